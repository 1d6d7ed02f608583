//! Servers that can be launched by name. Each is written as one contender of
//! an experiment file, in the directory of its protocol. Web servers serve a page of 87 bytes or a directory (`site`);
//! stores and databases begin empty.

use crate::plan::experiment::{Contender, Target, parse_one};
use crate::protocols::PROTOCOLS;
use crate::targets::launch::Launch;
use protocol::Recipe;
use text::near;
use text::shown::shown;

/// The recipes of all protocols that this build speaks.
pub fn all() -> impl Iterator<Item = Recipe> {
    PROTOCOLS.iter().flat_map(|row| row.recipes).copied()
}

/// The recipe of this name.
pub fn find(name: &str) -> Option<Recipe> {
    all().find(|recipe| recipe.name == name)
}

/// The names of all recipes.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|recipe| recipe.name)
}

/// Returns the error for a name that is not that of a recipe.
pub fn unknown(name: &str) -> String {
    let all: Vec<&str> = names().collect();
    near::unknown(format!("there is no recipe `{}`", shown(name)), name, &all)
}

/// The recipe as a contender.
///
/// # Panics
/// Never: every recipe is read by a test.
pub fn contender(recipe: Recipe) -> Contender {
    let file = format!("{}.toml", recipe.name);
    match parse_one(recipe.name, &file, recipe.text) {
        Ok(contender) => contender,
        Err(error) => panic!("{}", error.text),
    }
}

/// What a recipe launches.
///
/// # Panics
/// Never: every recipe is read by a test, and launches something.
pub(crate) fn launch(recipe: Recipe) -> Launch {
    match contender(recipe).target {
        Target::Launched(launch) => *launch,
        Target::Attached { .. } | Target::Program(_) => {
            panic!("the recipe {} launches nothing", recipe.name)
        }
    }
}

/// Returns the description of a recipe, in one line.
pub fn about(recipe: Recipe) -> String {
    launch(recipe).about.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_can_be_read_and_says_what_a_recipe_says() {
        let protocols = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
        let recipes =
            protocols.expect("a directory").flatten().map(|entry| entry.path().join("recipes"));
        let files =
            recipes.filter_map(|directory| std::fs::read_dir(directory).ok()).flatten().flatten();
        let files = files.filter(|entry| entry.path().is_file()).count();
        let are_all = cfg!(all(
            feature = "memcached",
            feature = "redis",
            feature = "cassandra",
            feature = "thrift",
            feature = "postgres",
            feature = "mysql"
        ));
        assert!(files == all().count() || !are_all, "each file is embedded");
        for recipe in all() {
            let Target::Launched(launch) = contender(recipe).target else {
                panic!("{} launches nothing", recipe.name);
            };
            assert!(!about(recipe).is_empty(), "{}", recipe.name);
            assert!(!launch.facts.is_empty(), "{}: no version", recipe.name);
            assert!(!launch.packages.is_empty(), "{}: no package", recipe.name);
            let secrets = launch.files.iter().flat_map(|file| file.text.secrets());
            assert_eq!(secrets.count(), 0, "{}: `${{` must be written $${{", recipe.name);
        }
    }

    /// A server that starts removes the temporary tables of all servers that share its directory.
    #[test]
    fn each_mariadb_has_a_directory_of_its_own_for_temporary_tables() {
        for name in ["mariadb-innodb", "mariadb-memory"] {
            let Target::Launched(launch) = contender(find(name).expect("a recipe")).target else {
                panic!("{name} launches nothing");
            };
            let started = launch.processes.iter().map(|process| &process.command);
            for command in launch.prepare.iter().chain(started) {
                let words = command.to_string();
                assert!(words.contains(" --tmpdir={temp} "), "{name}: {words}");
            }
        }
    }

    #[test]
    fn a_slip_in_a_name_is_seen() {
        assert_eq!(
            unknown("ngnix"),
            "there is no recipe `ngnix`: nginx, lighttpd, caddy, apache, node, go, uvicorn, memcached, redis, \
             cassandra, cassandra-cluster, cassandra-1.2, cassandra-1.2-cluster, postgres, \
             postgres-unlogged, postgres-tmpfs, pgbouncer, mariadb-innodb, mariadb-memory; did you \
             mean `nginx`?"
        );
    }
}
