//! Facts that are needed to interpret the figures of a store.

use super::store::{Guard, Settings};
use engine::EngineError;
use std::path::Path;
use sys::fs::file_system;

/// Magic numbers of file systems (statfs(2)). The second, third and fourth extended file system
/// have the same one.
const KINDS: [(i64, &str); 10] = [
    (0x0102_1994, "tmpfs"),
    (0x8584_58F6, "ramfs"),
    (0xEF53, "ext2/ext3/ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683E, "btrfs"),
    (0xF2F5_2010, "f2fs"),
    (0x2FC1_2FC1, "zfs"),
    (0x794C_7630, "overlayfs"),
    (0x6969, "nfs"),
    (0x6573_5546, "fuse"),
];

/// Returns the names and values of the facts to record about a store in `root`.
///
/// # Errors
/// Returns an error if the file system of the directory cannot be read.
pub fn facts(root: &Path, settings: &Settings) -> Result<Vec<(String, String)>, EngineError> {
    let asked = |error| {
        EngineError::system(format!("cannot read the file system of {}", root.display()), error)
    };
    let kind = kind(file_system(root).map_err(asked)?);
    let locking = match settings.guard {
        Guard::Flock => "flock, written in place",
        Guard::Rename => "none, written to a second file that is renamed",
        Guard::Nothing => "none, written in place: readers can see half-written values",
    };
    let expires = settings.expires.map_or("never".to_owned(), |after| format!("{after:?}"));
    let facts = [
        ("filesystem", kind),
        ("fsync", if settings.fsync { "after every write" } else { "never" }.to_owned()),
        ("locking", locking.to_owned()),
        ("expires", expires),
        ("folders", "two levels, 256 in all".to_owned()),
        ("times", "of the calls alone, without waiting for a core".to_owned()),
    ];
    Ok(facts.map(|(name, value)| (name.to_owned(), value)).into())
}

fn kind(magic: i64) -> String {
    let known = KINDS.iter().find(|(number, _)| *number == magic);
    known.map_or_else(|| format!("{magic:#x}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_are_named_and_unknown_ones_numbered() {
        let known = Path::new("/proc");
        assert_eq!(file_system(known).map(kind).expect("mounted"), "0x9fa0");
        assert_eq!(kind(0x0102_1994), "tmpfs");
        let unknown = facts(Path::new("/nowhere/at/all"), &settings()).expect_err("not there");
        assert!(
            unknown.to_string().starts_with("cannot read the file system of /nowhere/at/all"),
            "{unknown}"
        );
    }

    #[test]
    fn settings_are_reported() {
        let facts = facts(Path::new("/"), &settings()).expect("a root");
        let of = |name: &str| facts.iter().find(|fact| fact.0 == name).map(|fact| fact.1.as_str());
        assert_eq!(of("fsync"), Some("after every write"));
        assert_eq!(of("locking"), Some("flock, written in place"));
        assert_eq!(of("expires"), Some("90s"));
    }

    fn settings() -> Settings {
        let expires = Some(std::time::Duration::from_secs(90));
        Settings { guard: Guard::Flock, fsync: true, expires }
    }
}
