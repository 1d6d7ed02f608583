//! What tests of agents need of the machine: programs, root, and namespaces.

use crate::common::TestDirectory;
use crate::common::not_tested::{Lack, lacks, not_installed};
use std::path::Path;
use std::process::{Command, Stdio};

const DIRECTORIES: [&str; 4] = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"];

/// Returns true if these programs are installed, and this process is root and may make namespaces.
/// Otherwise reports that the test cannot run; `packages` bring the programs.
pub(crate) fn has(programs: &[&str], packages: &str) -> bool {
    let is_missing =
        |program: &&&str| !DIRECTORIES.iter().any(|at| Path::new(at).join(program).exists());
    let missing = programs.iter().find(is_missing);
    if let Some(program) = missing {
        not_installed(&format!("{program}: apt-get install {packages}"));
    }
    missing.is_none() && !lacks(Lack::Root) && !lacks(Lack::Namespaces)
}

/// A command that runs a script of bash in this directory, with network and processes of its own. All
/// of these end with it.
pub(crate) fn in_namespaces(directory: &TestDirectory, script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "--pid", "--mount-proc", "--fork", "--kill-child", "bash", script]);
    command.env("XDG_CACHE_HOME", directory.file(".cache"));
    command.current_dir(directory.path()).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}
