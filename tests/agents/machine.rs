//! What tests of agents need of the machine: programs, root, and namespaces.

use crate::common::TestDirectory;
use crate::common::not_tested::not_tested;
use std::path::Path;
use std::process::{Command, Stdio};

const DIRECTORIES: [&str; 4] = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"];

/// Returns true if these programs are installed and this process is root. Otherwise reports that the
/// test cannot run; `needed` names the packages.
pub(crate) fn has(programs: &[&str], needed: &str) -> bool {
    let is_there =
        |program: &&str| DIRECTORIES.iter().any(|at| Path::new(at).join(program).exists());
    // SAFETY: cannot fail.
    let has_all = programs.iter().all(is_there) && unsafe { libc::geteuid() } == 0;
    if !has_all {
        not_tested(&format!("{needed} and root are needed"));
    }
    has_all
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
