//! The processes of a target that is already running.

use crate::plan::settings::Settings;
use crate::targets::find::NamedProcess;
use text::shown::shown;

/// Reads process IDs, separated by commas.
///
/// # Errors
/// When one of them is not a process ID.
pub(super) fn pids(text: &str) -> Result<Vec<u32>, String> {
    let pid = |word: &str| match word.trim().parse() {
        Ok(pid @ 1..=0x7fff_ffff) => Ok(pid),
        _ => Err(format!("`{}` is not a process ID", shown(word.trim()))),
    };
    text.split(',').map(pid).collect()
}

/// Reads names of programs, separated by commas.
///
/// # Errors
/// When one of them is empty or a path.
pub(super) fn names(text: &str) -> Result<Vec<String>, String> {
    let name = |word: &str| match word.trim() {
        name if name.is_empty() || name.contains('/') => Err(format!(
            "`{}` must be the name of a program without its path, such as nginx",
            shown(name)
        )),
        name => Ok(name.to_owned()),
    };
    text.split(',').map(name).collect()
}

impl Settings {
    pub(in crate::plan) fn names_processes(&self) -> bool {
        self.pids.is_some() || self.processes.is_some()
    }

    /// The processes that are named for this contender. Empty if they are found by its address.
    pub(in crate::plan) fn named_processes(&self) -> Vec<NamedProcess> {
        let pids = self.pids.iter().flatten().map(|pid| NamedProcess::Pid(*pid));
        let names = self.processes.iter().flatten();
        pids.chain(names.map(|name| NamedProcess::Program(name.clone()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_or_several() {
        assert_eq!(pids("4711"), Ok(vec![4711]));
        assert_eq!(pids("1, 2"), Ok(vec![1, 2]));
        for bad in ["", "0", "1,", "1,x", "2147483648"] {
            assert!(pids(bad).is_err_and(|why| why.ends_with("is not a process ID")), "{bad}");
        }
        assert_eq!(names("pgbouncer, postgres"), Ok(vec!["pgbouncer".into(), "postgres".into()]));
        for bad in ["", "a,", "/usr/bin/a"] {
            assert!(names(bad).is_err(), "{bad}");
        }
    }
}
