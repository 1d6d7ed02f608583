//! A real Slurm, whose `srun` starts a coordinator and its agents.

use crate::common::TestDirectory;
use crate::common::running::Running;
use crate::group::judged;
use crate::machine::{has, in_namespaces};
use std::process::Output;
use std::time::Duration;

const SCRIPT: &str = include_str!("slurm.sh");

/// Two servers, and a comparison of them that Slurm starts on four nodes.
const RUN: &str = "\
tiebreak=$1
\"$tiebreak\" testserver --listen 127.0.0.1:18181 >a.out 2>&1 &
\"$tiebreak\" testserver --listen 127.0.0.1:18182 >b.out 2>&1 &
srun --immediate=60 -N4 -n4 --ntasks-per-node=1 \"$tiebreak\" compare --agents slurm \\
    a=http://127.0.0.1:18181/ b=http://127.0.0.1:18182/ --out run --quiet --json report.json \\
    --rounds 6 --round 100ms --slice 25ms --warm-up 25ms --pilot 100ms --connections 6 \\
    --matters 50% --cores 1
";

/// Runs a script in this directory in a Slurm of four nodes, with tiebreak and these words as its
/// arguments, for so long at most. Returns None, and says so, if there is no Slurm.
pub(crate) fn in_slurm(
    directory: &TestDirectory,
    script: &str,
    words: &[&str],
    longest: Duration,
) -> Option<Output> {
    let programs = ["srun", "slurmctld", "slurmd", "munged", "unshare", "ip"];
    if !has(&programs, "slurmctld slurmd slurm-client munge iproute2") {
        return None;
    }
    std::fs::write(directory.file("slurm.sh"), SCRIPT).expect("writes");
    std::fs::write(directory.file("run.sh"), script).expect("writes");
    let mut command = in_namespaces(directory, "slurm.sh");
    command.arg(directory.file("slurm"));
    command.args(["bash", "run.sh", env!("CARGO_BIN_EXE_tiebreak")]).args(words);
    Some(Running::new(command.spawn().expect("unshare starts")).output_within(longest))
}

#[test]
fn srun_starts_a_coordinator_and_its_agents() {
    let directory = TestDirectory::new();
    let Some(output) = in_slurm(&directory, RUN, &[], Duration::from_secs(120)) else { return };
    // srun exits with the code of the coordinator.
    let report = judged(&output, &directory);
    for of in report["contenders"].as_array().expect("two") {
        assert_eq!(of["agents"].as_array().map(Vec::len), Some(3), "{of}");
    }
    let left = std::fs::read_dir(directory.path()).expect("a directory").flatten();
    let files: Vec<_> = left.map(|entry| entry.file_name().into_string()).collect();
    let is_token = |name: &Result<String, _>| {
        name.as_ref().is_ok_and(|name: &String| name.ends_with(".rendezvous"))
    };
    assert!(!files.iter().any(is_token), "the token is removed: {files:?}");
}
