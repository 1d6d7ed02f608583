//! The disk under a run with launched targets.

use crate::case::{Case, LONG};
use crate::common::not_tested::{Lack, lacks};
use crate::common::with_small_disk;
use crate::experiment::Program;
use crate::{Test, test};

pub(crate) fn cases() -> Vec<Test> {
    vec![test("ours::a_full_disk_ends_the_run_and_its_targets", full_disk)]
}

/// A file system of 64 kB for the run's directory, that no other process sees.
fn full_disk() {
    if lacks(Lack::Namespaces) {
        return;
    }
    let case = Case::new();
    let right = Program::testserver("").in_company().contender("right", "");
    let wrong = Program::testserver("").in_company().contender("wrong", "");
    case.write("e.toml", format!("{right}{wrong}"));
    let mut command = case.command("unshare", "tiebreak");
    with_small_disk(&mut command, "small", "64k");
    command.arg(env!("CARGO_BIN_EXE_tiebreak"));
    let words = LONG.replace("--out run", "--out small/run");
    let ended = case.start_as(command, &format!("compare e.toml {words}")).wait();
    let says = [
        "error: small/run: the journal cannot be written: No space left on device",
        "The run was aborted; `tiebreak report` shows what was written before",
    ];
    ended.expect(5, &says);
    assert!(ended.out.is_empty(), "no verdict from half a journal: {}", ended.out);
    assert!(case.seen().processes.len() > 6, "both were launched");
    case.left_nothing(true);
}
