//! A real `mpirun`, which says in the environment who a process is.

use crate::common::not_tested::not_installed;
use crate::common::running::Running;
use crate::group::{Group, QUICK, agree, contenders, judged, serve};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn mpirun_starts_a_coordinator_and_its_agents() {
    const MPIRUN: &str = "/usr/bin/mpirun.openmpi";
    if !Path::new(MPIRUN).exists() {
        return not_installed("mpirun: apt-get install openmpi-bin");
    }
    let group = Group::of(2);
    let (a, b) = (serve(Duration::from_millis(1)), serve(Duration::from_millis(1)));
    let words = format!("{} {QUICK}", contenders(&a, &b));
    // Rank and size must come from mpirun, so nothing of a group's own process is used but its words.
    let process = group.command(0, &words);
    let mut command = Command::new(MPIRUN);
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3"]);
    command.arg(process.get_program()).args(process.get_args());
    command.current_dir(group.directory.path()).stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", group.directory.file(".cache"));
    command.env("TIEBREAK_COORDINATOR", group.coordinator.to_string());
    command.env("TIEBREAK_TOKEN_FILE", group.directory.file("token"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = Running::new(command.spawn().expect("mpirun starts")).output();
    let report = judged(&output, &group.directory);
    agree(&report, [a, b], 2);
}
