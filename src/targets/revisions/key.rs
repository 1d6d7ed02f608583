//! When a kept build is that of today: the same commit, commands, variables and tools.

use super::SnapshotOrder;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Changes when snapshots of an earlier tiebreak can no longer be used.
const FORMAT: u32 = 1;

/// Beginnings of the names of variables that compilers and package managers obey.
const VARIABLES: [&str; 24] = [
    "AR",
    "AS",
    "BUILD",
    "CARGO",
    "CC",
    "CFLAGS",
    "CGO_",
    "CMAKE",
    "CPATH",
    "CPPFLAGS",
    "CXX",
    "GO",
    "GRADLE",
    "HOME",
    "JAVA",
    "LD",
    "LIBRARY",
    "MAKE",
    "MAVEN",
    "NODE",
    "PATH",
    "PYTHON",
    "RUST",
    "TIEBREAK_REBUILD",
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
    let mut obeyed: Vec<_> = env.iter().filter(|(name, _)| is_obeyed(name)).collect();
    obeyed.sort();
    // Values may be secrets, so only what follows from them is kept.
    obeyed.iter().for_each(|(name, value)| {
        let _ = writeln!(key, "variable {name} {}", digest(value.as_bytes()));
    });
    let value = |wanted: &str| env.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
    let path = value("PATH").map_or("", String::as_str);
    TOOLS.iter().for_each(|tool| {
        let found = path.split(':').map(|directory| Path::new(directory).join(tool));
        let found = found.map(|file| about(&file)).find(|about| !about.is_empty());
        let _ = writeln!(key, "tool {tool} {}", found.unwrap_or_default());
    });
    if let Some(home) = value("HOME") {
        let rustup = Path::new(home).join(".rustup");
        let _ = writeln!(key, "rustup {}", about(&rustup.join("settings.toml")));
        let _ = writeln!(key, "toolchains {}", about(&rustup.join("toolchains")));
    }
    // Any package that is installed may change what is linked.
    let _ = writeln!(key, "packages {}", about(Path::new("/var/lib/dpkg/status")));
    key
}

/// A short name for a text, which other texts do not have.
pub(super) fn digest(text: &[u8]) -> String {
    Sha256::digest(text).iter().take(8).fold(String::new(), |mut all, byte| {
        let _ = write!(all, "{byte:02x}");
        all
    })
}

fn is_obeyed(name: &str) -> bool {
    VARIABLES.iter().any(|beginning| name.starts_with(beginning))
        || name.to_ascii_lowercase().starts_with("npm_config")
}

/// What changes when a file is replaced. Empty if there is none.
fn about(file: &Path) -> String {
    fs::metadata(file).map_or(String::new(), |about| {
        format!("{} {} {}.{}", about.ino(), about.len(), about.mtime(), about.mtime_nsec())
    })
}
