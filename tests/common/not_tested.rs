//! What a machine may lack: then a test that needs it passes, and a line says that it was not made.
//! Included by unit tests, too.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The table of what a machine may lack, which CONTRIBUTING.md explains. Everything else, a package
/// above all, is [`not_installed`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lack {
    Ipv6,
    SecondCore,
    Root,
    Namespaces,
    WritableCgroup,
    RealTimePriority,
    JavaForCassandra,
}

impl Lack {
    pub(crate) const ALL: [Lack; 7] = [
        Lack::Ipv6,
        Lack::SecondCore,
        Lack::Root,
        Lack::Namespaces,
        Lack::WritableCgroup,
        Lack::RealTimePriority,
        Lack::JavaForCassandra,
    ];

    /// What is lacking, as the table in CONTRIBUTING.md names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Lack::Ipv6 => "IPv6 on loopback",
            Lack::SecondCore => "a second core",
            Lack::Root => "root",
            Lack::Namespaces => "new namespaces",
            Lack::WritableCgroup => "a writable cgroup",
            Lack::RealTimePriority => "real-time priority",
            Lack::JavaForCassandra => "Java 23 or older for Cassandra",
        }
    }

    /// Whether this machine, with this user, lacks it.
    pub(crate) fn is_here(self) -> bool {
        match self {
            Lack::Ipv6 => std::net::TcpListener::bind("[::1]:0").is_err(),
            Lack::SecondCore => allowed_cores() < 2,
            Lack::Root => !is_root(),
            Lack::Namespaces => !namespaces_can_be_made(),
            Lack::WritableCgroup => !cgroup_can_be_made(),
            Lack::RealTimePriority => !real_time_is_permitted(),
            // Cassandra sets a security manager, which Java 24 no longer has.
            Lack::JavaForCassandra => java_version().is_some_and(|version| version >= 24),
        }
    }
}

/// Whether this machine lacks what the rest of a test needs. If so, a line says that.
#[track_caller]
pub(crate) fn lacks(lack: Lack) -> bool {
    let is_lacking = lack.is_here();
    if is_lacking {
        say(&format!("{} is lacking here", lack.name()));
    }
    is_lacking
}

/// Reports a test that needs something that can be installed. With CI=true it fails.
#[track_caller]
pub(crate) fn not_installed(why: &str) {
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "NOT TESTED: {why}");
    say(why);
}

#[track_caller]
fn say(why: &str) {
    let at = Location::caller();
    let line = format!("\nNOT TESTED: {why} ({}:{})\n", at.file(), at.line());
    // Not by a macro, because the harness would capture what a passing test prints.
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
}

pub(crate) fn is_root() -> bool {
    // SAFETY: cannot fail.
    unsafe { libc::geteuid() == 0 }
}

fn allowed_cores() -> i32 {
    // SAFETY: a set of cores is plain bits, and zeroes are an empty one. It outlives the call.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let result = libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
        libc::CPU_COUNT(&set)
    }
}

/// The first arguments of `unshare`: only root needs no namespace of users to make others.
pub(crate) fn unshare_arguments() -> &'static [&'static str] {
    if is_root() { &[] } else { &["--user", "--map-root-user"] }
}

/// All kinds of namespaces that tests make, and a mount in one.
fn namespaces_can_be_made() -> bool {
    let mut command = Command::new("unshare");
    command.args(unshare_arguments());
    command.args(["--net", "--mount", "--pid", "--mount-proc", "--fork", "mount", "-t", "tmpfs"]);
    command.args(["none", "/tmp"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn cgroup_can_be_made() -> bool {
    let Some(group) = own_cgroup() else { return false };
    let name = format!("test-of-tiebreak-{}-{:?}", std::process::id(), std::thread::current().id());
    let new = group.join(name);
    std::fs::create_dir(&new).is_ok_and(|()| std::fs::remove_dir(&new).is_ok())
}

/// The directory of this process's cgroup of version 2.
fn own_cgroup() -> Option<PathBuf> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?;
    let mut fields = mount.split(' ').skip(3);
    let (root, point) = (fields.next()?, fields.next()?);
    Some(Path::new(point).join(Path::new(path).strip_prefix(root).ok()?))
}

fn real_time_is_permitted() -> bool {
    let asked = std::thread::spawn(|| {
        let lowest = libc::sched_param { sched_priority: 1 };
        // SAFETY: the parameters outlive the call; 0 is the calling thread, which ends here.
        unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const lowest) == 0 }
    });
    asked.join().expect("the thread ends")
}

/// The first number of the version of the installed Java. Returns None if there is no Java.
fn java_version() -> Option<u32> {
    let output = Command::new("java").arg("-version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let version = text.split('"').nth(1)?;
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
