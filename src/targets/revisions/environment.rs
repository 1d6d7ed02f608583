//! The environments of builds and of runs in a snapshot: those of the user, without what leads both sides into
//! one directory or into the user's working tree.

use crate::targets::launch::{inherited, whole_environment};
use std::fs;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// Variables that lead builds of both sides into one directory.
const SHARED: [&str; 17] = [
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_BUILD_BUILD_DIR",
    "CARGO_INSTALL_ROOT",
    "GOBIN",
    "GOWORK",
    "DESTDIR",
    "VIRTUAL_ENV",
    "UV_PROJECT_ENVIRONMENT",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PYTHONUSERBASE",
    "PYTHONPATH",
    "NODE_PATH",
    "npm_config_prefix",
    "NPM_CONFIG_PREFIX",
    "PREFIX",
];

/// Variables with which git finds a repository: a hook that starts tiebreak sets them.
const OF_REPOSITORY: [&str; 9] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
];

/// Variables that say how a toolchain compiles. A run that calls it, such as `cargo bench`, would otherwise
/// compile again, in another way. What a compiled program reads itself (GOMAXPROCS) is not among them.
const OF_TOOLCHAINS: [&str; 40] = [
    "AR",
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "PKG_CONFIG_PATH",
    "JAVA_HOME",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_BOOTSTRAP",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "CARGO_HOME",
    "CARGO_INCREMENTAL",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_NET_OFFLINE",
    "CGO_ENABLED",
    "CGO_CFLAGS",
    "CGO_CPPFLAGS",
    "CGO_CXXFLAGS",
    "CGO_LDFLAGS",
    "GOAMD64",
    "GOARCH",
    "GOARM64",
    "GOCACHE",
    "GOENV",
    "GOEXPERIMENT",
    "GOFLAGS",
    "GOMODCACHE",
    "GOOS",
    "GOPATH",
    "GOPROXY",
    "GOROOT",
    "GOSUMDB",
    "GOTOOLCHAIN",
];

/// Beginnings of further names of them: of profiles, targets and settings of cargo's builds.
const OF_CARGO: [&str; 3] = ["CARGO_PROFILE_", "CARGO_TARGET_", "CARGO_BUILD_"];

/// The variable that leads cargo into a directory.
const TARGET_DIR: &str = "CARGO_TARGET_DIR";

/// The variable with the number of a rebuild, from 1.
const REBUILD: &str = "TIEBREAK_REBUILD";

/// Where a snapshot is, for its environment.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) top: &'a Path,
    pub(super) tree: &'a Path,
    /// The directory that stands for that of the experiment file.
    pub(super) directory: &'a Path,
}

/// That of builds before the snapshot is known: all variables but those that lead elsewhere.
pub(super) fn of_builds(top: &Path, rebuild: Option<u32>) -> Vec<(String, String)> {
    let is_left = |name: &str| !OF_REPOSITORY.contains(&name) && name != REBUILD;
    let mut env: Vec<_> =
        whole_environment().into_iter().filter(|(name, _)| is_left(name)).collect();
    lead_nowhere(&mut env, top);
    env.extend(rebuild.map(|number| (REBUILD.to_owned(), number.to_string())));
    env
}

/// That of runs: of programs that the file describes, with what their builds had of toolchains.
pub(super) fn of_runs(around: &Around<'_>) -> Vec<(String, String)> {
    let mut env = inherited(None);
    env.extend(whole_environment().into_iter().filter(|(name, _)| is_of_toolchain(name)));
    lead_nowhere(&mut env, around.top);
    env.extend(target_directory(around));
    env
}

/// The directory that cargo must be told to build into, because the user's settings name one for everything.
/// None if cargo builds into the snapshot by itself.
pub(super) fn target_directory(around: &Around<'_>) -> Option<(String, String)> {
    let settings = settings_of_cargo(around.directory);
    let named = settings.iter().find_map(|file| {
        let text = fs::read_to_string(file).ok()?;
        let table = DeTable::parse(&text).ok()?;
        let build = table.get_ref().get("build")?.get_ref();
        let named = build.get("target-dir")?.get_ref().as_str()?.to_owned();
        Some((file, named))
    });
    let (file, named) = named?;
    if file.starts_with(around.tree) && Path::new(&named).is_relative() {
        return None;
    }
    let target = workspace(around).join("target");
    Some((TARGET_DIR.to_owned(), target.display().to_string()))
}

/// The files with settings that cargo reads in this directory, the one that is obeyed first.
fn settings_of_cargo(directory: &Path) -> Vec<PathBuf> {
    let above = directory.ancestors().map(|above| above.join(".cargo"));
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let directories = above.chain(home);
    directories.flat_map(|of| [of.join("config"), of.join("config.toml")]).collect()
}

/// The directory whose `target` cargo builds into by default: that of the workspace, or of the package.
fn workspace(around: &Around<'_>) -> PathBuf {
    let above = around.directory.ancestors().take_while(|above| above.starts_with(around.tree));
    let manifests: Vec<(&Path, String)> = above
        .filter_map(|above| Some((above, fs::read_to_string(above.join("Cargo.toml")).ok()?)))
        .collect();
    let is_workspace = |(_, text): &&(&Path, String)| {
        DeTable::parse(text).is_ok_and(|table| table.get_ref().contains_key("workspace"))
    };
    let found = manifests.iter().find(is_workspace).or_else(|| manifests.first());
    found.map_or(around.directory, |(above, _)| above).to_owned()
}

/// Removes what leads both sides into one directory, and programs of the working tree from PATH.
fn lead_nowhere(env: &mut Vec<(String, String)>, top: &Path) {
    env.retain(|(name, _)| !SHARED.contains(&name.as_str()));
    for (_, path) in env.iter_mut().filter(|(name, _)| name == "PATH") {
        let is_inside = |entry: &&str| {
            let entry = Path::new(entry);
            entry.starts_with(top) || entry.canonicalize().is_ok_and(|entry| entry.starts_with(top))
        };
        let outside: Vec<&str> = path.split(':').filter(|entry| !is_inside(entry)).collect();
        *path = outside.join(":");
    }
}

fn is_of_toolchain(name: &str) -> bool {
    // The user's own secrets can have such a name, too.
    let is_secret = ["TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word));
    let is_known = OF_TOOLCHAINS.contains(&name) || OF_CARGO.iter().any(|of| name.starts_with(of));
    is_known && !is_secret
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn text(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn nothing_leads_into_the_working_tree_or_one_directory_for_both_sides() {
        let mut env = vec![
            text("PATH", "/r/venv/bin:/usr/bin:/r/node_modules/.bin:/rest/bin:/r"),
            text("VIRTUAL_ENV", "/r/venv"),
            text("NODE_PATH", "/x"),
            text("RUSTFLAGS", "-O"),
        ];
        lead_nowhere(&mut env, Path::new("/r"));
        assert_eq!(env, [text("PATH", "/usr/bin:/rest/bin"), text("RUSTFLAGS", "-O")]);
        for (name, is_given) in [
            ("RUSTFLAGS", true),
            ("CARGO_HOME", true),
            ("CARGO_PROFILE_BENCH_LTO", true),
            ("GOFLAGS", true),
            ("GOMAXPROCS", false),
            ("GOOGLE_APPLICATION_CREDENTIALS", false),
            ("CARGO_REGISTRY_TOKEN", false),
            ("LD_PRELOAD", false),
        ] {
            assert_eq!(is_of_toolchain(name), is_given, "{name}");
        }
    }

    #[test]
    fn a_target_directory_of_the_user_is_replaced_by_that_of_the_snapshot() {
        let scratch = Scratch::new();
        let (home, tree) = (scratch.path().to_owned(), scratch.path().join("tree"));
        let directory = tree.join("a/b");
        fs::create_dir_all(&directory).expect("scratch");
        for of in [&home, &tree] {
            fs::create_dir(of.join(".cargo")).expect("scratch");
        }
        let write = |file: PathBuf, text: &str| fs::write(file, text).expect("scratch");
        let around = Around { top: Path::new("/r"), tree: &tree, directory: &directory };
        let of_home = home.join(".cargo/config.toml");
        write(of_home, "[build]\ntarget-dir = '/tmp/all'\n");
        write(directory.join("Cargo.toml"), "[package]\nname = 'b'\n");
        let target = |below: &str| {
            Some(text(TARGET_DIR, &tree.join(below).join("target").display().to_string()))
        };
        assert_eq!(target_directory(&around), target("a/b"));
        write(tree.join("a/Cargo.toml"), "[workspace]\nmembers = ['b']\n");
        assert_eq!(target_directory(&around), target("a"));
        let of_tree = tree.join(".cargo/config.toml");
        write(of_tree.clone(), "[build]\ntarget-dir = 'made'\n");
        assert_eq!(target_directory(&around), None, "cargo finds it in the snapshot");
        write(of_tree, "[build]\ntarget-dir = '/tmp/made'\n");
        assert_eq!(target_directory(&around), target("a"));
    }
}
