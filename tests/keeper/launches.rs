//! Experiment files, launched.

use crate::Test;
use crate::common::processes::wait_at_most;
use crate::holder::TestDirectory;
use crate::process::{Process, command, tree, wait_for};
use protocol::{Error, Exit};
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tiebreak::plan::experiment::{Contender, Experiment, FileText, Target};
use tiebreak::targets::launch::Launch;
use tiebreak::targets::launch::{Failed, LaunchContext, Launcher, Running};

pub(crate) const TESTS: &[Test] = &[
    ("launches::serve_and_leave_nothing_behind", whole),
    ("launches::start_processes_in_order", in_order),
    ("launches::that_fail_say_why_and_leave_nothing_behind", failing),
    ("launches::are_tried_again_when_the_port_is_taken", port_taken),
    ("launches::see_that_a_stranger_answers", stranger),
    ("launches::notice_a_target_that_dies", dying),
    ("launches::show_no_secret", secrets),
    ("launches::run_as_another_user", user),
    ("launches::are_pinned_once_ready", pinned),
    ("launches::end_when_the_run_is_stopped", stopped),
    ("launches::are_prepared_once_and_launched_again", again),
    ("launches::serve_on_a_unix_socket", unix),
    ("launches::of_several_nodes_are_one_target", nodes),
    ("launches::of_several_nodes_stop_at_once", nodes_stop),
    ("launches::name_the_node_that_dies", dying_node),
    ("launches::begin_afresh_where_that_is_said", fresh),
];

const CANARY: &str = "CANARY-91ab";

/// An experiment file, and a directory of logs beside it.
pub(crate) struct LaunchTest {
    pub(crate) directory: TestDirectory,
    pub(crate) experiment: Experiment,
}

impl LaunchTest {
    /// `SERVER` in the text is this program as a server.
    pub(crate) fn new(text: &str) -> LaunchTest {
        let directory = TestDirectory::new();
        let us = std::env::current_exe().expect("a program");
        let server = format!("'{}', '{}'", us.display(), crate::server::ARGUMENT);
        let shell = format!("{} {}", us.display(), crate::server::ARGUMENT);
        let text = text.replace("SHELL_SERVER", &shell).replace("SERVER", &server);
        let file = FileText { path: directory.0.join("e.toml"), text };
        std::fs::create_dir(directory.0.join("logs")).expect("a directory");
        let environment = |name: &str| (name == "TOKEN").then(|| CANARY.into());
        let experiment = Experiment::parse(&file, None, &environment)
            .unwrap_or_else(|error| panic!("{}\n{}", error.text, file.text));
        LaunchTest { directory, experiment }
    }

    /// A file with one contender.
    fn one(contender: &str) -> LaunchTest {
        LaunchTest::new(&format!("[contender.a]\n{contender}\n"))
    }

    pub(crate) fn contender(&self) -> &Contender {
        &self.experiment.contenders[0]
    }

    pub(crate) fn launch(&self) -> &Launch {
        match &self.contender().target {
            Target::Launched(launch) => launch,
            _ => panic!("nothing to launch"),
        }
    }

    pub(crate) fn launcher(&self) -> Result<Launcher<'_>, Failed> {
        self.launcher_until(&|| false)
    }

    fn launcher_until<'a>(&'a self, stopped: &'a dyn Fn() -> bool) -> Result<Launcher<'a>, Failed> {
        let logs = Box::leak(Box::new(self.directory.0.join("logs")));
        let secrets = &self.experiment.secrets;
        Launcher::new(self.launch(), LaunchContext { logs, cores: &[], secrets, stopped })
    }

    pub(crate) fn log(&self, name: &str) -> String {
        let file = self.directory.0.join("logs").join(name);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// Why it cannot be prepared or launched.
    fn why_not(&self) -> Error {
        let launched = self.launcher().and_then(|mut launcher| {
            launcher.prepare()?;
            launcher.launch().map(drop)
        });
        match launched {
            Err(Failed::Error(error)) => error,
            Err(Failed::Stopped) => panic!("nobody asked for the end"),
            Ok(()) => panic!("it was launched"),
        }
    }
}

pub(crate) fn started(launcher: &mut Launcher<'_>) -> Running {
    launcher.launch().unwrap_or_else(|failed| panic!("{failed:?}"))
}

/// Status line and body.
pub(crate) fn get(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").expect("plain HTTP");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
    let request = format!("GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it answers");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
    (head.lines().next().expect("a status").to_owned(), body.to_owned())
}

/// The temporary directories of launches of this name in this process.
pub(crate) fn homes(name: &str) -> Vec<PathBuf> {
    let start = format!("tiebreak-{}-", std::process::id());
    let all = std::fs::read_dir(std::env::temp_dir()).expect("a directory").flatten();
    let all = all.map(|entry| entry.path());
    let ours = |path: &PathBuf| {
        let name_of = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name_of.starts_with(&start) && name_of.ends_with(&format!("-{name}"))
    };
    all.filter(ours).collect()
}

fn whole() {
    let launch_test = LaunchTest::new(
        "[contender.whole]
         prepare = [['sh', '-c', 'echo preparing $EXTRA$FIX; cp {temp}/etc/conf {temp}/copy']]
         facts = [['sh', '-c', 'echo; echo version 1.2 >&2; echo more'], ['false']]
         launch = ['sh', '-c', 'cat copy; env; exec \"$@\"', 'sh', SERVER, '{port}']
         cwd = '{temp}'
         env = { EXTRA = 'at {port}', LANG = 'xx', FIX = 'now' }
         ready = { expect = [200, 204], bytes = 2 }
         [contender.whole.files]
         'etc/conf' = 'port {port} {{port}} of {folder} site {site} with {workers}'
         [contender.spare]
         url = 'http://127.0.0.1:1/'",
    );
    let mut launcher = launch_test.launcher().expect("all is there");
    let facts = launcher.prepare().expect("it is prepared");
    assert_eq!(facts[0].line.as_deref(), Some("version 1.2"));
    assert_eq!(facts[1].line, None);
    assert_eq!(facts[1].command, "false");
    let mut running = started(&mut launcher);
    let url = running.url().to_owned();
    assert_eq!(get(&url), ("HTTP/1.1 200 X".to_owned(), "xx".to_owned()));
    assert!(running.ready_requests() >= 1);
    assert_eq!(running.check(), Ok(()));
    let port = url.trim_start_matches("http://127.0.0.1:").trim_end_matches('/');
    let [home] = &homes("whole")[..] else { panic!("one directory: {:?}", homes("whole")) };
    let log = launch_test.log("whole.log");
    let directory = launch_test.directory.0.display();
    let workers = std::thread::available_parallelism().expect("cores");
    let conf =
        format!("port {port} {{port}} of {directory} site {0}/site with {workers}", home.display());
    assert!(log.starts_with(&conf), "{log}");
    let mark = log.lines().find_map(|line| line.strip_prefix("TIEBREAK_LAUNCH="));
    assert_eq!(mark.map(str::len), Some(32), "by which a later run knows it: {log}");
    for line in [format!("EXTRA=at {port}"), "LANG=xx".to_owned()] {
        assert!(log.lines().any(|found| found == line), "{line}: {log}");
    }
    assert!(!log.contains("CARGO"), "nothing of our environment");
    assert_eq!(launch_test.log("whole.prepare.log"), "preparing now\n");
    let page = std::fs::read_to_string(home.join("site/index.html")).expect("a page");
    assert_eq!(page.len(), 87);
    let all = tree(running.keeper());
    assert_eq!(all.len(), 1 + running.processes().len());
    assert_eq!(running.stop().expect("it stops").killed, 0);
    assert!(!all.iter().any(Process::runs), "{all:?}");
    drop(launcher);
    assert!(homes("whole").is_empty());
}

fn in_order() {
    let launch_test = LaunchTest::one(
        "[[contender.a.process]]
         name = 'db'
         launch = [SERVER, '{port}', 'up=200', 'say=db starts']
         ready = { log = 'listening on {port}' }
         [[contender.a.process]]
         name = 'middle'
         launch = [SERVER, '{port}', 'needs={db.port}', 'status=204']
         ready = { path = '/', expect = 204 }
         [[contender.a.process]]
         name = 'web'
         launch = [SERVER, '{port}', 'needs={middle.port}', 'bytes=5']
         ready = { run = ['sh', '-c', '[ -n \"{web.port}\" ] && [ -e {temp} ]'] }",
    );
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().expect("nothing to prepare");
    let running = started(&mut launcher);
    let names: Vec<&str> = running.started().map(|(name, _)| name).collect();
    assert_eq!(names, ["db", "middle", "web"]);
    wait_for("the last one", || launch_test.log("a-web.log").contains("listening"));
    assert_eq!(get(running.url()).1, "xxxxx", "the last one is driven");
    assert!(launch_test.log("a-db.log").starts_with("db starts\nlistening on "));
    let farewell = running.stop().expect("it stops");
    assert_eq!((farewell.endings.len(), farewell.killed), (3, 0));
}

fn failing() {
    let table = [
        (
            "launch = [SERVER, '{port}', 'status=503']\nready = { timeout = '3s' }",
            "`a`: was not ready within 3 s: it answers with status 503: it says \"xx\"; LOGS/a.log says:\n  listening on ",
        ),
        (
            "launch = [SERVER, '{port}', 'bytes=3']\nready = { timeout = '3s', bytes = 2 }",
            "`a`: was not ready within 3 s: its reply has 3 bytes; LOGS/a.log says:\n  listening on ",
        ),
        (
            "launch = ['sleep', '1000']\nready = { timeout = '200ms' }",
            "`a`: was not ready within 200 ms: it refused the connection; it wrote nothing to LOGS/a.log",
        ),
        (
            "launch = ['sleep', '1000']\nready = { timeout = '200ms', log = 'up' }",
            "`a`: was not ready within 200 ms: its log does not contain `up`; it wrote nothing to LOGS/a.log",
        ),
        (
            "launch = ['sleep', '1000']\nready = { timeout = '3s', run = ['sh', '-c', 'exit 4'] }",
            "`a`: was not ready within 3 s: `sh -c 'exit 4'` exited with status 4; it wrote nothing to LOGS/a.log",
        ),
        (
            "shell = true\nlaunch = 'echo one; echo \"\u{9b}two\"; exit 7'",
            "`a`: it exited with status 7 before it was ready; LOGS/a.log ends with:\n  one\n  \\u{9b}two",
        ),
        (
            "shell = true\nlaunch = 'sleep 1000 & exit 0'",
            "`a`: it exited with status 0 before it was ready; a target must stay in the foreground (nginx: `daemon off;`); it wrote nothing to LOGS/a.log",
        ),
        (
            "prepare = [['sh', '-c', 'seq 40; exit 2']]\nlaunch = ['sleep', '1']",
            "`a`: `sh -c 'seq 40; exit 2'` exited with status 2; LOGS/a.prepare.log ends with:\n  11\n  12\n",
        ),
        (
            "prepare = [['sleep', '1000']]\nprepare_timeout = '200ms'\nlaunch = ['sleep', '1']",
            "`a`: `sleep 1000` took longer than its prepare_timeout, and was stopped; it wrote nothing to LOGS/a.prepare.log",
        ),
        (
            "launch = ['no-such-server']\npackages = { no-such-server = 'such-package' }",
            "`a`: the program `no-such-server` is not installed (not found in PATH): apt-get install such-package",
        ),
        (
            "launch = ['sleep', '1']\nfacts = [['no-such-tool']]",
            "`a`: the program `no-such-tool` is not installed (not found in PATH): install it, or give its path",
        ),
        ("launch = ['./no-such-server']", "`a`: `./no-such-server` does not exist"),
        (
            "launch = ['sleep', '1']\nuser = 'no-such-user'",
            "`a`: there is no user `no-such-user` on this machine",
        ),
        (
            "launch = ['sleep', '1']\ncores = [1000]",
            "`a`: core 1000 is not among those that this process may use",
        ),
    ];
    for (contender, message) in table {
        let launch_test = LaunchTest::one(contender);
        let error = launch_test.why_not();
        let logs = launch_test.directory.0.join("logs").display().to_string();
        let text = error.text.replace(&logs, "LOGS");
        // What follows a port differs.
        let text = text.replacen("`a`: it was not", "`a`: was not", 1);
        assert!(text.starts_with(message), "{contender}\n{text}\n{message}");
        assert_eq!(error.exit, Exit::TargetFailed);
        let left = tree(std::process::id() as i32);
        let marks = format!("{}", launch_test.directory.0.display());
        assert!(!left.iter().any(|p| command(p.pid).contains(&marks)), "{left:?}");
    }
}

/// The first time it says that its port is taken, and ends.
fn port_taken() {
    let launch_test = LaunchTest::one(
        "shell = true
         launch = 'mkdir once 2>/dev/null && { echo \"bind: Address already in use\"; exit 1; }; \
                   echo {port}; exec SHELL_SERVER {port}'",
    );
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().expect("nothing to prepare");
    let running = started(&mut launcher);
    assert_eq!(get(running.url()).1, "xx");
    drop(running);
    let never = LaunchTest::one("shell = true\nlaunch = 'echo {port}; echo EADDRINUSE; exit 1'");
    assert!(never.why_not().text.contains("it exited with status 1"), "three times are enough");
    let log = never.log("a.log");
    let ports: Vec<&str> = log.lines().filter(|line| *line != "EADDRINUSE").collect();
    assert_eq!(ports.len(), 3);
    assert!(ports[0] != ports[1] && ports[1] != ports[2], "{ports:?}");
}

/// The first time somebody else listens on the port: nginx waits for it then,
/// and the stranger would be taken for it.
fn stranger() {
    let launch_test = LaunchTest::one(
        "shell = true
         launch = 'mkdir once 2>/dev/null && { echo {port} > port.new; mv port.new port; exec sleep 1000; }; \
                   exec SHELL_SERVER {port}'",
    );
    let file = launch_test.directory.0.join("port");
    let stranger = std::thread::spawn(move || {
        wait_for("the port", || file.exists());
        let port = std::fs::read_to_string(&file).expect("a port").trim().parse::<u16>();
        let port = port.expect("a number");
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("free");
        let (mut stream, _) = listener.accept().expect("a client");
        let _ = stream.read(&mut [0; 1000]);
        stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nstranger").expect("it reads");
        drop(stream);
        // Until the question who listens is settled.
        std::thread::sleep(Duration::from_secs(1));
        port
    });
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().expect("nothing to prepare");
    let running = started(&mut launcher);
    assert_eq!(get(running.url()).1, "xx");
    let first = stranger.join().expect("it was asked");
    assert!(!running.url().contains(&first.to_string()), "another port");
}

fn dying() {
    let launch_test =
        LaunchTest::one("launch = [SERVER, '{port}', 'die=600', 'say=last words of it']");
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().expect("nothing to prepare");
    let mut running = started(&mut launcher);
    let gives_up = Instant::now() + Duration::from_secs(60);
    let error = loop {
        assert!(Instant::now() < gives_up, "it is not noticed");
        if let Err(error) = running.check() {
            break error;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(error.text.starts_with("`a`: it exited with status 3; "), "{}", error.text);
    assert!(
        error.text.contains("a.log ends with:\n  last words of it\n  listening"),
        "{}",
        error.text
    );
    assert_eq!(error.exit, Exit::TargetFailed);
}

fn secrets() {
    let text = "shell = true
        launch = 'echo env $PASSWORD; cat {temp}/conf; exec SHELL_SERVER {port} die=700'
        prepare = ['echo preparing with $PASSWORD']
        facts = ['echo version $PASSWORD']
        env = { PASSWORD = '${TOKEN}' }
        headers = { X-Token = '${TOKEN}' }
        [contender.a.files]
        conf = 'conf ${TOKEN}'
        open = 'open'";
    let launch_test = LaunchTest::one(text);
    let mut launcher = launch_test.launcher().expect("all is there");
    let facts = launcher.prepare().expect("it is prepared");
    assert_eq!(facts[0].line.as_deref(), Some("version ***********"));
    let mut running = started(&mut launcher);
    let conf = |file: &str| {
        let homes = homes("a").into_iter().map(|home| home.join(file));
        let mut files = homes.filter_map(|file| Some((std::fs::read_to_string(&file).ok()?, file)));
        files.find(|(text, _)| text.contains(CANARY) || text == "open").expect("a file").1
    };
    for (file, mode) in [("conf", 0o600), ("open", 0o644)] {
        let found = std::fs::metadata(conf(file)).expect("there").permissions().mode();
        assert_eq!(found & 0o777, mode, "{file}");
    }
    for process in tree(std::process::id() as i32) {
        assert!(!command(process.pid).contains(CANARY), "{}", command(process.pid));
    }
    wait_for("its end", || running.processes().is_empty());
    let gives_up = Instant::now() + Duration::from_secs(60);
    let error = loop {
        assert!(Instant::now() < gives_up, "it is not noticed");
        if let Err(error) = running.check() {
            break error.text;
        }
    };
    assert!(error.contains("env ***********") && !error.contains(CANARY), "{error}");
    running.stop().expect("it is over");
    for log in ["a.log", "a.prepare.log", "a.facts.log"] {
        assert!(launch_test.log(log).contains("***********"), "{}", launch_test.log(log));
        assert!(!launch_test.log(log).contains(CANARY), "{}", launch_test.log(log));
    }
}

fn user() {
    // SAFETY: cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        let launch_test = LaunchTest::one("launch = ['sleep', '1']\nuser = 'nobody'");
        assert!(launch_test.why_not().text.contains("only root can start a process as the user"));
        return;
    }
    let launch_test = LaunchTest::one(
        "user = 'nobody'
         shell = true
         prepare = ['id -un; echo data > {temp}/data']
         launch = 'id -un; echo $HOME; cat {temp}/secret; sleep 1000'
         cwd = '/'
         ready = { log = 'token' }
         files = { secret = 'token ${TOKEN}' }",
    );
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    let running = started(&mut launcher);
    let (_, pid) = running.started().next().expect("a process");
    assert_eq!(std::fs::metadata(format!("/proc/{pid}")).expect("it runs").uid(), 65534);
    assert_eq!(launch_test.log("a.prepare.log"), "nobody\n");
    assert!(
        launch_test.log("a.log").starts_with("nobody\n/nonexistent\ntoken "),
        "{}",
        launch_test.log("a.log")
    );
    let owners: Vec<u32> = homes("a")
        .iter()
        .filter_map(|home| Some(std::fs::metadata(home.join("secret")).ok()?.uid()))
        .collect();
    assert!(owners.contains(&65534), "{owners:?}");
    drop(running);
}

fn pinned() {
    let first = allowed()[0];
    let launch_test = LaunchTest::one(&format!(
        "cores = [{first}]\ncores_from = 'ready'\nlaunch = [SERVER, '{{port}}', 'say={{workers}} worker']"
    ));
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().expect("nothing to prepare");
    let running = started(&mut launcher);
    assert!(launch_test.log("a.log").starts_with("1 worker\n"), "{}", launch_test.log("a.log"));
    let (_, pid) = running.started().next().expect("a process");
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    assert!(status.contains(&format!("Cpus_allowed_list:\t{first}\n")), "{status}");
}

fn allowed() -> Vec<u32> {
    let facts = tiebreak::system::cores::Facts::read().expect("cores");
    facts.allowed
}

fn stopped() {
    for contender in [
        "launch = ['sleep', '1000']",
        "prepare = [['sleep', '1000']]\nlaunch = ['a']\npackages = {}\nshell = false",
    ] {
        let launch_test = LaunchTest::one(&contender.replace("'a'", "'sleep', '1'"));
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        let mut launcher = launch_test.launcher_until(&stop).expect("all is there");
        let before = Instant::now();
        let failed = launcher.prepare().and_then(|_| launcher.launch().map(drop)).err();
        assert_eq!(failed, Some(Failed::Stopped));
        assert!(before.elapsed() < Duration::from_secs(25), "not after its 30 s");
    }
}

fn again() {
    let launch_test = LaunchTest::one(
        "prepare = [['sh', '-c', 'echo once']]\nlaunch = [SERVER, '{port}']\nstop = 'KILL'",
    );
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().expect("it is prepared");
    let mut urls = Vec::new();
    for _ in 0..3 {
        let running = started(&mut launcher);
        urls.push(running.url().to_owned());
        assert_eq!(get(running.url()).1, "xx");
        running.stop().expect("it stops");
    }
    urls.dedup();
    assert_eq!(urls.len(), 3, "a port of its own each time");
    assert_eq!(launch_test.log("a.prepare.log"), "once\n");
    assert_eq!(launch_test.log("a.log").lines().count(), 3, "one log for all");
}

fn unix() {
    let launch_test = LaunchTest::one(
        "url = 'http+unix://{temp}%2Fsocket/'\nlaunch = ['nginx', '-c', '{temp}/nginx.conf', '-e', 'stderr']
         [contender.a.files]
         'nginx.conf' = '''
         daemon off; pid {temp}/pid; events { }
         http { access_log off; client_body_temp_path {temp}/a; proxy_temp_path {temp}/b;
         fastcgi_temp_path {temp}/c; uwsgi_temp_path {temp}/d; scgi_temp_path {temp}/e;
         server { listen unix:{temp}/socket; root {site}; } }'''",
    );
    let mut launcher = launch_test.launcher().expect("nginx (./test installs it)");
    launcher.prepare().expect("nothing to prepare");
    let running = started(&mut launcher);
    assert!(running.url().starts_with("http+unix://%2F"), "{}", running.url());
    assert_eq!(running.stop().expect("it stops").killed, 0);
}

const TWO_NODES: &str = "url = 'cassandra://127.0.0.1:{one.port},127.0.0.2:{two.port}/k'
     more_ports = ['other']
     choices = { level = 'low', sync = { slow = 'wait 10', quick = 'wait 0' } }
     files = { '{process}/conf' = 'I am {process} at {host}:{port} and {other.port}: {choice.sync}' }";

/// The first waits for the second, which is only there if both are started at once.
fn nodes() {
    let launch_test = LaunchTest::one(&format!(
        "{TWO_NODES}
         [[contender.a.process]]
         name = 'one'
         launch = [SERVER, '{{port}}', 'host={{host}}', 'waits=127.0.0.2:{{two.port}}', 'say={{choice.level}}']
         ready = {{ log = 'listening', also_log = ['on {{port}}', 'low'] }}
         [[contender.a.process]]
         name = 'two'
         launch = ['sh', '-c', 'cat {{temp}}/two/conf; exec \"$@\"', 'sh', SERVER, '{{port}}', 'host={{host}}']",
    ));
    let mut launcher = launch_test.launcher().expect("all is there");
    let facts = launcher.prepare().expect("nothing to prepare");
    let facts: Vec<String> = facts
        .into_iter()
        .map(|fact| format!("{} {}", fact.command, fact.line.expect("a line")))
        .collect();
    assert_eq!(facts, ["level low", "sync slow", "nodes 2"]);
    let running = started(&mut launcher);
    let (_, rest) = running.url().split_once("127.0.0.1:").expect("the first node");
    let (port, rest) = rest.split_once(',').expect("another");
    assert_eq!(rest, format!("127.0.0.2:{port}/k"), "the same port on every host");
    let log = launch_test.log("a-two.log");
    assert!(log.starts_with(&format!("I am two at 127.0.0.2:{port} and ")), "{log}");
    assert!(log.contains(": wait 10"), "{log}");
    assert!(launch_test.log("a-one.log").contains("listening"));
    let farewell = running.stop().expect("it stops");
    assert_eq!((farewell.endings.len(), farewell.killed), (2, 0));
    goes_on(started(&mut launcher));
}

/// Of two nodes one can end, if that was agreed to, and then the other cannot.
fn goes_on(mut running: Running) {
    let [one, two] = [0, 1].map(|at| running.started().nth(at).expect("a node").1);
    let ended = |running: &mut Running| {
        wait_at_most(Duration::from_secs(20), "the end of a node", || running.check().is_err());
        running.check().expect_err("it ended").text
    };
    // SAFETY: one number each; it is a process of this test's keeper, which still runs.
    unsafe { libc::kill(two, libc::SIGKILL) };
    let why = ended(&mut running);
    assert!(why.starts_with("`a`: its process `two` was ended by SIGKILL"), "{why}");
    let lost = running.continue_without_ended_nodes();
    assert!(lost.len() == 1 && lost[0].starts_with("`two` was ended by SIGKILL"), "{lost:?}");
    assert!(running.check().is_ok() && running.continue_without_ended_nodes().is_empty());
    assert_eq!(running.lost(), lost);
    // SAFETY: as above.
    unsafe { libc::kill(one, libc::SIGKILL) };
    let why = ended(&mut running);
    assert!(why.starts_with("`a`: its process `one` was ended by SIGKILL"), "{why}");
    assert!(
        running.continue_without_ended_nodes().is_empty() && running.check().is_err(),
        "none is left"
    );
    running.stop().expect("it stops");
}

/// The second ends only when the first was asked to stop, too.
fn nodes_stop() {
    let launch_test = LaunchTest::one(&format!(
        "{TWO_NODES}
         ready = {{ log = 'up' }}
         stop_grace = '1m'
         shell = true
         [[contender.a.process]]
         name = 'one'
         launch = 'trap \"touch {{temp}}/asked; exit 0\" TERM; echo up; while :; do sleep 0.05; done'
         [[contender.a.process]]
         name = 'two'
         launch = 'trap \"until [ -e {{temp}}/asked ]; do sleep 0.05; done; exit 0\" TERM; echo up; while :; do sleep 0.05; done'",
    ));
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().expect("nothing to prepare");
    let farewell = started(&mut launcher).stop().expect("it stops");
    assert_eq!(farewell.killed, 0, "{:?}", farewell.endings);
    assert!(farewell.endings.iter().all(|(_, how)| how.good()), "{:?}", farewell.endings);
}

fn dying_node() {
    let launch_test = LaunchTest::new(&format!(
        "[contender.dying]
         {TWO_NODES}
         [[contender.dying.process]]
         name = 'one'
         launch = [SERVER, '{{port}}']
         [[contender.dying.process]]
         name = 'two'
         launch = ['sh', '-c', 'echo no room; exit 3']",
    ));
    let error = launch_test.why_not();
    assert!(
        error.text.starts_with("`dying`: its process `two` exited with status 3"),
        "{}",
        error.text
    );
    assert!(error.text.ends_with("dying-two.log says:\n  no room"), "{}", error.text);
    assert!(homes("dying").is_empty());
}

fn fresh() {
    let launch_test = LaunchTest::new(
        "[contender.fresh]
         fresh = true
         launch = ['sh', '-c', 'ls {temp}; touch {temp}/data; exec \"$@\"', 'sh', SERVER, '{port}']",
    );
    let mut launcher = launch_test.launcher().expect("all is there");
    launcher.prepare().expect("nothing to prepare");
    for _ in 0..3 {
        started(&mut launcher).stop().expect("it stops");
        assert_eq!(homes("fresh").len(), 1, "the directory before it is removed");
    }
    assert!(
        !launch_test.log("fresh.log").contains("data"),
        "each begins without what the others left"
    );
}
