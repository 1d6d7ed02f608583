//! The exit codes of runs.

use protocol::Exit;
use record::{End, EndReason};

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
}
