//! Servers that can be launched by name. Each is written as one contender of
//! an experiment file. Web servers serve a page of 87 bytes or a directory (`site`);
//! stores and databases begin empty.

use crate::plan::experiment::{Contender, Target, parse_one};
use crate::targets::launch::Launch;
use text::near;
use text::shown::shown;

/// A recipe, embedded.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Its name.
    pub name: &'static str,
    /// The text of the recipe, to print or to copy.
    pub text: &'static str,
}

/// The recipe of a Cassandra: its own text, and after it the text that all of them share.
macro_rules! cassandra {
    ($custom:literal, $common:literal) => {
        concat!(
            include_str!(concat!("../../../recipes/", $custom)),
            include_str!(concat!("../../../recipes/cassandra/", $common))
        )
    };
}

/// All recipes.
pub const RECIPES: [Recipe; 19] = [
    Recipe { name: "nginx", text: include_str!("../../../recipes/nginx.toml") },
    Recipe { name: "lighttpd", text: include_str!("../../../recipes/lighttpd.toml") },
    Recipe { name: "caddy", text: include_str!("../../../recipes/caddy.toml") },
    Recipe { name: "apache", text: include_str!("../../../recipes/apache.toml") },
    Recipe { name: "node", text: include_str!("../../../recipes/node.toml") },
    Recipe { name: "go", text: include_str!("../../../recipes/go.toml") },
    Recipe { name: "uvicorn", text: include_str!("../../../recipes/uvicorn.toml") },
    Recipe { name: "memcached", text: include_str!("../../../recipes/memcached.toml") },
    Recipe { name: "redis", text: include_str!("../../../recipes/redis.toml") },
    Recipe { name: "mariadb-innodb", text: include_str!("../../../recipes/mariadb-innodb.toml") },
    Recipe { name: "mariadb-memory", text: include_str!("../../../recipes/mariadb-memory.toml") },
    Recipe { name: "postgres", text: include_str!("../../../recipes/postgres.toml") },
    Recipe {
        name: "postgres-unlogged",
        text: include_str!("../../../recipes/postgres-unlogged.toml"),
    },
    Recipe { name: "postgres-tmpfs", text: include_str!("../../../recipes/postgres-tmpfs.toml") },
    Recipe { name: "pgbouncer", text: include_str!("../../../recipes/pgbouncer.toml") },
    Recipe { name: "cassandra", text: cassandra!("cassandra.toml", "5.0.toml") },
    Recipe { name: "cassandra-cluster", text: cassandra!("cassandra-cluster.toml", "5.0.toml") },
    Recipe { name: "cassandra-1.2", text: cassandra!("cassandra-1.2.toml", "1.2.toml") },
    Recipe {
        name: "cassandra-1.2-cluster",
        text: cassandra!("cassandra-1.2-cluster.toml", "1.2.toml"),
    },
];

/// The recipe of this name.
pub fn find(name: &str) -> Option<Recipe> {
    RECIPES.into_iter().find(|recipe| recipe.name == name)
}

/// The names of all recipes.
pub fn names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|recipe| recipe.name)
}

/// Returns the error for a name that is not that of a recipe.
pub fn unknown(name: &str) -> String {
    let meant = near::did_you_mean(name, names());
    let all: Vec<&str> = names().collect();
    format!("there is no recipe `{}`: {}{meant}", shown(name), all.join(", "))
}

impl Recipe {
    /// The recipe as a contender.
    ///
    /// # Panics
    /// Never: every recipe is read by a test.
    pub fn contender(self) -> Contender {
        let file = format!("recipes/{}.toml", self.name);
        match parse_one(self.name, &file, self.text) {
            Ok(contender) => contender,
            Err(error) => panic!("{}", error.text),
        }
    }

    /// What it launches.
    ///
    /// # Panics
    /// Never: every recipe is read by a test, and launches something.
    pub(crate) fn launch(self) -> Launch {
        match self.contender().target {
            Target::Launched(launch) => *launch,
            Target::Attached { .. } | Target::Program(_) => {
                panic!("the recipe {} launches nothing", self.name)
            }
        }
    }

    /// Returns its description, in one line.
    pub fn about(self) -> String {
        self.launch().about.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_can_be_read_and_says_what_a_recipe_says() {
        let directory = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/recipes"));
        let files =
            directory.expect("a directory").flatten().filter(|entry| entry.path().is_file());
        assert_eq!(files.count(), RECIPES.len(), "each file is embedded");
        for recipe in RECIPES {
            let Target::Launched(launch) = recipe.contender().target else {
                panic!("{} launches nothing", recipe.name);
            };
            assert!(!recipe.about().is_empty(), "{}", recipe.name);
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
            let Target::Launched(launch) = find(name).expect("a recipe").contender().target else {
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
             mariadb-innodb, mariadb-memory, postgres, postgres-unlogged, \
             postgres-tmpfs, pgbouncer, cassandra, cassandra-cluster, cassandra-1.2, \
             cassandra-1.2-cluster; did \
             you mean `nginx`?"
        );
    }
}
