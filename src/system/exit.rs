//! How a command ends: exit codes, and errors that carry one.

use record::{End, EndReason};
use std::process::ExitCode;

/// The exit codes. 130 (stopped twice) is given by the signal handler itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The answer can be trusted, even if it is "undecided".
    Sound = 0,
    /// The answer can be trusted but does not meet a requirement.
    NotMet = 1,
    /// The command line is invalid, or cannot be executed.
    Usage = 2,
    /// No verdict, because the audit refused it or no round is complete.
    Void = 3,
    /// A target was not found, was never ready, or died.
    TargetFailed = 4,
    /// tiebreak itself failed.
    Failed = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// The exit code after a second SIGINT or SIGTERM.
pub const STOPPED_TWICE: i32 = 130;

/// Why a command failed: a sentence for people, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// How the process exits.
    pub exit: Exit,
    /// What is wrong and what to do.
    pub text: String,
}

impl Error {
    /// The user requested something that cannot be done.
    pub fn usage(text: impl Into<String>) -> Error {
        Error { exit: Exit::Usage, text: text.into() }
    }

    /// A target failed.
    pub fn target(text: impl Into<String>) -> Error {
        Error { exit: Exit::TargetFailed, text: text.into() }
    }

    /// tiebreak or the machine failed.
    pub fn failed(text: impl Into<String>) -> Error {
        Error { exit: Exit::Failed, text: text.into() }
    }
}

/// The exit code of a judged run. It is the same when the run has just ended and when its journal
/// is read again. Without an `end` the run was interrupted and is judged as far as it goes. `met`
/// says whether all requirements were met.
pub fn of_run(end: Option<&End>, void: bool, complete_rounds: u32, met: bool) -> Exit {
    match end.map(|end| end.reason) {
        Some(EndReason::TargetFailed) => Exit::TargetFailed,
        Some(EndReason::Failed) => Exit::Failed,
        _ if void || complete_rounds == 0 => Exit::Void,
        _ if !met => Exit::NotMet,
        _ => Exit::Sound,
    }
}

/// The exit code of a sweep: that of its worst load point, in the order of the codes. A void point
/// says nothing against the others, but a reader of the exit code alone must not miss it. A sweep
/// without points is void.
pub fn of_sweep(points: impl IntoIterator<Item = Exit>) -> Exit {
    points.into_iter().max_by_key(|exit| *exit as u8).unwrap_or(Exit::Void)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_exits_by_its_end_then_by_its_audit() {
        use EndReason::*;
        let table = [
            (Some(Complete), false, 10, Exit::Sound),
            (Some(Complete), true, 10, Exit::Void),
            (Some(Stopped), false, 3, Exit::Sound),
            (Some(Stopped), true, 3, Exit::Void),
            (Some(Stopped), false, 0, Exit::Void),
            (Some(TargetFailed), false, 3, Exit::TargetFailed),
            (Some(TargetFailed), true, 0, Exit::TargetFailed),
            (Some(Failed), false, 10, Exit::Failed),
            (None, false, 2, Exit::Sound),
            (None, false, 0, Exit::Void),
        ];
        for (reason, void, rounds, exit) in table {
            let end = reason.map(|reason| End { reason, detail: String::new() });
            let seen = |met| of_run(end.as_ref(), void, rounds, met);
            assert_eq!(seen(true), exit, "{reason:?} {void} {rounds}");
            // A requirement matters only if the run ended well.
            let not_met = if exit == Exit::Sound { Exit::NotMet } else { exit };
            assert_eq!(seen(false), not_met, "{reason:?} {void} {rounds}");
        }
    }

    #[test]
    fn a_sweep_exits_as_its_worst_point() {
        use Exit::*;
        let table = [
            (vec![], Void),
            (vec![Sound, Sound], Sound),
            (vec![Sound, NotMet], NotMet),
            (vec![Void, NotMet, Sound], Void),
            (vec![TargetFailed, Void], TargetFailed),
            (vec![Failed, TargetFailed], Failed),
        ];
        for (points, exit) in table {
            assert_eq!(of_sweep(points.clone()), exit, "{points:?}");
        }
    }

    #[test]
    fn exit_codes_are_the_published_ones() {
        use Exit::*;
        let codes = [Sound, NotMet, Usage, Void, TargetFailed, Failed];
        assert_eq!(codes.map(|exit| exit as u8), [0, 1, 2, 3, 4, 5]);
    }
}
