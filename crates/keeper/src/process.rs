//! The `/proc` data of a process, and its identity.

use std::fs;

/// A sentence that says why something about a target is not visible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotVisible(pub String);

/// The identity of a process. The number alone is not enough, because the kernel reuses it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Identity {
    /// Its number.
    pub pid: u32,
    /// When it started, in clock ticks since boot.
    pub started: u64,
}

impl Identity {
    /// The identity of the process that has this number now.
    pub fn of(pid: u32) -> Option<Identity> {
        Some(Identity { pid, started: Stat::of(pid)?.started })
    }
}

/// The part of `/proc/PID/stat` that is used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Name of the program, at most 15 bytes.
    pub name: String,
    /// The process that started it, or that adopted it since.
    pub parent: u32,
    /// Its session.
    pub session: u32,
    /// Whether it ended and has not been waited for.
    pub zombie: bool,
    /// Threads.
    pub threads: u32,
    /// CPU time of children that it waited for, and of theirs, in clock ticks.
    pub reaped_ticks: u64,
    /// Start, in clock ticks since boot.
    pub started: u64,
}

impl Stat {
    /// Reads it for the process that has this number now. Returns None if there is none that this
    /// user may see.
    pub fn of(pid: u32) -> Option<Stat> {
        Stat::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The fields are numbered in proc_pid_stat(5). The name is the second, in parentheses, and may
    /// itself contain blanks and parentheses.
    pub fn parse(text: &[u8]) -> Option<Stat> {
        let opens = text.iter().position(|byte| *byte == b'(')?;
        let closes = text.iter().rposition(|byte| *byte == b')')?;
        let name = String::from_utf8_lossy(text.get(opens + 1..closes)?).into_owned();
        let rest = std::str::from_utf8(&text[closes + 1..]).ok()?;
        let mut fields = [""; 20];
        let mut words = rest.split_ascii_whitespace();
        for field in &mut fields {
            *field = words.next()?;
        }
        // The third field is the first one after the name.
        let number = |field: usize| fields[field - 3].parse::<u64>().ok();
        Some(Stat {
            name,
            parent: u32::try_from(number(4)?).ok()?,
            session: u32::try_from(number(6)?).ok()?,
            zombie: matches!(fields[0], "Z" | "X"),
            threads: u32::try_from(number(20)?).ok()?,
            reaped_ticks: number(16)? + number(17)?,
            started: number(22)?,
        })
    }
}

/// All processes that this user may see, by number, ascending.
pub fn all() -> Vec<(u32, Stat)> {
    let mut pids: Vec<u32> = numbers_in("/proc");
    pids.sort_unstable();
    pids.into_iter().filter_map(|pid| Some((pid, Stat::of(pid)?))).collect()
}

/// The entries of a directory whose names are numbers.
pub fn numbers_in(directory: &str) -> Vec<u32> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything() {
        let fields = "S 7 1 1 0 -1 0 1 2 3 4 11 12 13 14 20 0 5 0 987 4096 1";
        for name in ["nginx", "a b", "x) S 1 (", ")", "", "(("] {
            let stat = Stat::parse(format!("42 ({name}) {fields}\n").as_bytes());
            let expected = Stat {
                name: name.to_owned(),
                parent: 7,
                session: 1,
                zombie: false,
                threads: 5,
                reaped_ticks: 27,
                started: 987,
            };
            assert_eq!(stat, Some(expected), "{name}");
        }
    }

    #[test]
    fn what_is_no_stat_is_none() {
        for text in ["", "42", "42 (x", "42 (x) S 7", "42 )x( S", "42 (x) S y 1 1 0"] {
            assert_eq!(Stat::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn our_own_parent_is_found() {
        let own = Stat::of(std::process::id()).expect("we are there");
        assert_eq!(own.parent, std::os::unix::process::parent_id());
        assert!(all().iter().any(|(pid, stat)| *pid == std::process::id() && stat == &own));
        assert_eq!(Identity::of(u32::MAX), None);
    }
}
