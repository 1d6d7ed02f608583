//! What a process finds when it starts, and programs that run to their end.

use crate::Test;
use crate::holder::{Holder, HolderReport, HolderRequest};
use crate::process::{Process, command, tree, wait_for};
use keeper::{Ending, LaunchOptions, ProcessOrder};
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("programs::run_to_their_end_with_a_log", to_their_end),
    ("programs::that_take_too_long_are_killed_with_their_children", too_long),
    ("programs::that_cannot_start_say_why", cannot_start),
    ("programs::run_as_another_user", user),
    ("programs::find_nothing_of_tiebreak", clean),
    ("programs::are_pinned_from_the_start_and_later", pinned),
    ("programs::secrets_show_in_no_command_line_and_are_blotted_out_of_logs", secrets),
];

const LONG: Duration = Duration::from_secs(60);

fn run(holder: &mut Holder, order: ProcessOrder) -> HolderReport {
    holder.ask(&HolderRequest::Run(order, LONG))
}

fn to_their_end() {
    let mut holder = Holder::new();
    for (script, status) in [("echo one; echo two >&2", 0), ("echo three; exit 3", 3)] {
        let order = holder.script(script);
        assert_eq!(run(&mut holder, order), HolderReport::Ran(Some(Ending::Status(status))));
    }
    assert_eq!(holder.log(), "one\ntwo\nthree\n");
    let order = holder.script("kill -SEGV $$");
    assert_eq!(run(&mut holder, order), HolderReport::Ran(Some(Ending::Signal(libc::SIGSEGV))));
}

fn too_long() {
    let mut holder = Holder::new();
    let order = holder.script("sleep 1000 & setsid sleep 1001 & echo up; wait");
    let report = holder.ask(&HolderRequest::Run(order, Duration::from_millis(500)));
    assert_eq!(report, HolderReport::Ran(None));
    wait_for("all of it to end", || tree(holder.keeper.pid) == [holder.keeper.clone()]);
    // The keeper continues.
    let order = holder.script("echo next");
    assert_eq!(run(&mut holder, order), HolderReport::Ran(Some(Ending::Status(0))));
}

fn cannot_start() {
    let mut holder = Holder::new();
    std::fs::write(holder.directory.0.join("text"), "#!/no/such/interpreter\n").expect("writes");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(holder.directory.0.join("text"), mode).expect("chmod");
    let plain = holder.script("true");
    let with = |argv: &[&str]| holder.program(argv);
    let table = [
        (
            with(&["no-such-server"]),
            "the program `no-such-server` is not installed (not found in PATH)",
        ),
        (with(&["./no-such-server"]), "`./no-such-server` does not exist"),
        (with(&["./log"]), "`./log` does not exist"),
        (
            with(&["./text"]),
            "`./text` cannot be started: No such file or directory (os error 2): check that the \
             interpreter in its first line exists",
        ),
        (with(&[]), "there is no program to start"),
        (
            ProcessOrder { user: Some("no-such-user".into()), ..plain.clone() },
            "there is no user `no-such-user` on this machine",
        ),
        (
            ProcessOrder { cores: vec![1000], ..plain.clone() },
            "core 1000 is not among those that this process may use",
        ),
        (
            ProcessOrder { cwd: "/no/such/directory".into(), ..plain.clone() },
            "the directory /no/such/directory, in which `sh` is to run, does not exist",
        ),
        (
            ProcessOrder { log: "/no/such/log".into(), ..plain },
            "the log /no/such/log cannot be written: No such file or directory (os error 2)",
        ),
    ];
    for (order, message) in table {
        let refused = HolderReport::Error(message.to_owned());
        assert_eq!(holder.ask(&HolderRequest::Launch(order.clone())), refused);
        assert_eq!(holder.ask(&HolderRequest::Run(order, LONG)), refused);
    }
}

fn user() {
    let mut holder = Holder::new();
    let order = ProcessOrder {
        user: Some("nobody".to_owned()),
        ..holder.script("id -un; id -ru; id -Gn; grep -c . /proc/$$/environ")
    };
    // SAFETY: cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        let HolderReport::Error(why) = run(&mut holder, order) else { panic!("it became nobody") };
        assert!(why.starts_with("only root can start a process as the user `nobody`"), "{why}");
        return;
    }
    assert_eq!(run(&mut holder, order), HolderReport::Ran(Some(Ending::Status(0))));
    let log = holder.log();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[..3], ["nobody", "65534", "nogroup"], "no group of root's stays");
    let order = ProcessOrder { user: Some("nobody".to_owned()), ..holder.script("sleep 1000") };
    let process = holder.launch(&order);
    holder.kill();
    wait_for("it to be gone", || !process.runs());
}

/// Descriptors, signals and environment: only what was ordered.
fn clean() {
    // The stand-in has descriptor 9 open, and ignores SIGINT and SIGHUP.
    let before = ["sh", "-c", "exec 9</dev/null; trap '' INT HUP; exec \"$@\"", "sh"];
    let mut holder = Holder::below(&before, LaunchOptions::default());
    let script = "
        ls /proc/$$/fd; readlink /proc/$$/fd/0; env | sort
        grep -E 'SigBlk|SigIgn' /proc/self/status; cut -d' ' -f6 /proc/self/stat";
    let mut order = holder.script(script);
    order.env.push(("ONLY".to_owned(), "this one".to_owned()));
    assert_eq!(run(&mut holder, order), HolderReport::Ran(Some(Ending::Status(0))));
    let log = holder.log();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[..5], ["0", "1", "2", "/dev/null", "ONLY=this one"], "{log}");
    // dash adds PWD, and the keeper the mark by which a later run knows what it left.
    assert!(lines[5].starts_with("PATH=") && lines[6].starts_with("PWD="), "{log}");
    assert!(lines[7].starts_with("TIEBREAK_LAUNCH="), "{log}");
    for (line, name) in lines[8..10].iter().zip(["SigBlk:\t", "SigIgn:\t"]) {
        let mask = line.strip_prefix(name).expect(&log);
        let mask = u64::from_str_radix(mask, 16).expect(&log);
        // 32 and 33 are the C library's own, and no program may use them.
        assert_eq!(mask & 0x7fff_ffff, 0, "{log}");
    }
    assert_eq!(lines[10].trim(), holder.keeper.pid.to_string(), "the keeper leads the session");
}

fn cores_of(process: &Process) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.pid)).expect("runs");
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.expect("Linux").trim().to_owned()
}

fn pinned() {
    let mut holder = Holder::new();
    let all = cores_of(&holder.process());
    let (first, last) = (all.split([',', '-']).next(), all.split([',', '-']).next_back());
    let core = |text: Option<&str>| text.and_then(|core| core.parse::<u32>().ok()).expect("a core");
    let (first, last) = (core(first), core(last));
    let order = ProcessOrder { cores: vec![first], ..holder.script("sleep 1000 & wait") };
    let process = holder.launch(&order);
    wait_for("its child", || tree(process.pid).len() == 2);
    assert!(tree(process.pid).iter().all(|p| cores_of(p) == first.to_string()));
    let other = holder.launch(&order);
    assert_eq!(
        holder.ask(&HolderRequest::Pin(Some(process.pid), vec![last])),
        HolderReport::Pinned(2)
    );
    assert!(tree(process.pid).iter().all(|p| cores_of(p) == last.to_string()));
    assert_eq!(cores_of(&other), first.to_string(), "the other is left where it is");
    wait_for("its child", || tree(other.pid).len() == 2);
    assert_eq!(holder.ask(&HolderRequest::Pin(None, vec![last])), HolderReport::Pinned(4));
    assert_eq!(cores_of(&other), last.to_string());
    assert_eq!(cores_of(&holder.keeper), all, "the keeper is left where it is");
    assert!(matches!(holder.ask(&HolderRequest::Pin(None, vec![1000])), HolderReport::Error(_)));
}

fn secrets() {
    let canary = "CANARY-5c1f";
    let launch_options = LaunchOptions { secrets: vec![canary.to_owned()], ..Default::default() };
    let mut holder = Holder::with(launch_options.clone());
    let mut order =
        holder.script("echo the token is $TOKEN; echo up; while :; do sleep 0.05; done");
    order.env.push(("TOKEN".to_owned(), canary.to_owned()));
    let process = holder.launch(&order);
    wait_for("it to be up", || holder.log().contains("up\n"));
    let environment = std::fs::read(format!("/proc/{}/environ", process.pid)).expect("runs");
    assert!(String::from_utf8_lossy(&environment).contains(canary), "it does have the secret");
    for process in tree(holder.process().pid) {
        assert!(!command(process.pid).contains(canary), "{}", command(process.pid));
    }
    holder.stop();
    let blotted = "the token is ***********\nup\n";
    assert_eq!(holder.log(), blotted);
    // The same where tiebreak is killed, and where the keeper is.
    for kill_keeper in [false, true] {
        let mut holder = Holder::with(launch_options.clone());
        order.log = holder.directory.0.join("log");
        order.cwd = holder.directory.0.clone();
        holder.launch(&order);
        wait_for("it to be up", || holder.log().contains("up\n"));
        if kill_keeper {
            holder.kill_keeper()
        } else {
            holder.kill()
        }
        wait_for("the log to be clean", || holder.log() == blotted);
    }
}
