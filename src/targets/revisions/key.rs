//! When a kept build is that of today: the same commit, commands, variables and tools.

use super::SnapshotOrder;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use text::hex::hex;

/// Changes when snapshots of an earlier tiebreak can no longer be used.
const FORMAT: u32 = 2;

/// Beginnings of the names of variables that differ between two shells, and that no build depends on.
const VOLATILE: [&str; 24] = [
    "COLORTERM",
    "COLUMNS",
    "DBUS_",
    "DISPLAY",
    "GITHUB_",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "LINES",
    "LS_COLORS",
    "OLDPWD",
    "PS1",
    "PWD",
    "RUNNER_",
    "SHLVL",
    "SSH_",
    "STY",
    "TERM",
    "TMUX",
    "VSCODE_",
    "WAYLAND_",
    "WINDOW",
    "XAUTHORITY",
    "XDG_SESSION",
    "XDG_VTNR",
];

/// Settings that builds obey, below the home directory.
const SETTINGS: [&str; 5] = [
    ".npmrc",
    ".config/go/env",
    ".config/pip/pip.conf",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
];

/// Tools that builds use without naming them.
const TOOLS: [&str; 20] = [
    "rustc", "cargo", "rustup", "go", "cc", "gcc", "g++", "c++", "clang", "clang++", "ld", "node",
    "npm", "python3", "java", "javac", "mvn", "make", "cmake", "ninja",
];

/// The text that identifies what is built. It is the same only if the build is.
pub(super) fn of(
    top: &Path,
    id: &str,
    order: &SnapshotOrder<'_>,
    env: &[(String, String)],
) -> String {
    let mut key = format!("format {FORMAT}\nrepository {}\ncommit {id}\n", top.display());
    let _ = writeln!(key, "below {}", order.below.display());
    order.build.iter().for_each(|command| {
        let _ = writeln!(key, "build {command}");
    });
    // Values may be secrets, so only a digest of all of them together is kept.
    let mut variables: Vec<_> = env.iter().filter(|(name, _)| !is_volatile(name)).collect();
    variables.sort();
    let _ = writeln!(key, "variables {}", digest(format!("{variables:?}").as_bytes()));
    let value = |wanted: &str| env.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
    let path = value("PATH").map_or("", String::as_str);
    TOOLS.iter().for_each(|tool| {
        let found = path.split(':').map(|directory| Path::new(directory).join(tool));
        let found = found.map(|file| about(&file)).find(|about| !about.is_empty());
        let _ = writeln!(key, "tool {tool} {}", found.unwrap_or_default());
    });
    let home = value("HOME").map_or(Path::new(""), Path::new);
    let named = |name: &str, usual: &str| value(name).map_or(home.join(usual), PathBuf::from);
    let (cargo, rustup) = (named("CARGO_HOME", ".cargo"), named("RUSTUP_HOME", ".rustup"));
    let settings = SETTINGS.iter().map(|file| home.join(file));
    let of_rust = ["settings.toml", "toolchains"].map(|name| rustup.join(name));
    let of_cargo = ["config.toml", "config"].map(|name| cargo.join(name));
    // An update of a toolchain writes one of these and nothing else that is noted here.
    let updates = fs::read_dir(rustup.join("update-hashes")).into_iter().flatten().flatten();
    let mut updates: Vec<PathBuf> = updates.map(|entry| entry.path()).collect();
    updates.sort();
    settings.chain(of_rust).chain(of_cargo).chain(updates).for_each(|file| {
        let _ = writeln!(key, "settings {} {}", file.display(), about(&file));
    });
    // A build may use what this processor has (`-march=native`).
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let is_constant =
        |line: &&str| ["model name", "flags", "Features"].iter().any(|of| line.starts_with(of));
    let processor: Vec<&str> = processor.lines().filter(is_constant).collect();
    let _ = writeln!(key, "processor {}", digest(processor.join("\n").as_bytes()));
    // Any package that is installed may change what is linked.
    let _ = writeln!(key, "packages {}", about(Path::new("/var/lib/dpkg/status")));
    key
}

/// A short name for a text, which other texts do not have.
pub(super) fn digest(text: &[u8]) -> String {
    hex(&Sha256::digest(text)[..8])
}

fn is_volatile(name: &str) -> bool {
    name == "_" || VOLATILE.iter().any(|of| name.starts_with(of))
}

/// What changes when a file is replaced. Empty if there is none.
fn about(file: &Path) -> String {
    fs::metadata(file).map_or(String::new(), |about| {
        format!("{} {} {}.{}", about.ino(), about.len(), about.mtime(), about.mtime_nsec())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_key_changes_with_tools_settings_and_variables() {
        let scratch = Scratch::new();
        let home = scratch.path();
        for directory in ["bin", ".rustup/update-hashes", ".cargo", "elsewhere"] {
            fs::create_dir_all(home.join(directory)).expect("scratch");
        }
        let key = |more: &[(&str, &str)]| {
            let given = [("HOME", ""), ("PATH", "bin")]
                .map(|(name, below)| (name.to_owned(), home.join(below).display().to_string()));
            let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let env: Vec<(String, String)> = given.into_iter().chain(more).collect();
            let order = SnapshotOrder {
                name: "a",
                below: Path::new(""),
                build: &[],
                rebuild: None,
                secrets: &[],
                stopped: &|| false,
                tell: &|_, _| {},
                check: &|_, _| Ok(()),
            };
            of(Path::new("/r"), "1", &order, &env)
        };
        let mut seen = vec![key(&[])];
        assert_eq!(key(&[]), seen[0]);
        assert_eq!(key(&[("SHLVL", "2"), ("_", "x"), ("TERM", "x")]), seen[0]);
        let secret = key(&[("MY_TOKEN", "CANARY")]);
        assert!(!secret.contains("CANARY"), "{secret}");
        let elsewhere = home.join("elsewhere").display().to_string();
        seen.extend([secret, key(&[("RUSTFLAGS", "-O")]), key(&[("CARGO_HOME", &elsewhere)])]);
        for file in ["bin/rustc", ".rustup/update-hashes/stable", ".cargo/config.toml", ".npmrc"] {
            fs::write(home.join(file), "x").expect("scratch");
            seen.push(key(&[]));
        }
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count, "each of them changes the key");
    }
}
