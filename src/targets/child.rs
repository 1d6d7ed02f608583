//! A child process that follows instructions, for tests: this very test binary,
//! started again with only [`obey`] to run.
//!
//! An order is a line, and so is the answer. The order `sub X` is passed on to a child of the child
//! as `X`.

use super::{cpu::Meter, find};
use record::Address;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child as Process, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};
use sys::net::{
    AddressFamily, SocketFlags, SocketType, bind, listen, set_socket_reuseport, socket_with,
};

/// Set only for the child.
const MARK: &str = "TIEBREAK_TEST_CHILD";
/// The prefix of answers, since the test harness writes on stdout, too.
const ANSWER: &str = "answer:";

/// A child that is killed and reaped when it is dropped.
pub(super) struct Child {
    process: Process,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Child {
    pub(super) fn start() -> Child {
        Child::start_with(|_| ())
    }

    /// `prepare` may add to the command.
    pub(super) fn start_with(prepare: impl FnOnce(&mut Command)) -> Child {
        Child::start_from(&std::env::current_exe().expect("this test"), prepare)
    }

    fn start_from(program: &Path, prepare: impl FnOnce(&mut Command)) -> Child {
        let mut command = Command::new(program);
        command
            .args(["targets::child::obey", "--exact", "--nocapture", "--test-threads=1"])
            .env(MARK, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        prepare(&mut command);
        let mut process = command.spawn().expect("the child starts");
        let orders = process.stdin.take().expect("piped");
        let answers = BufReader::new(process.stdout.take().expect("piped"));
        let mut child = Child { process, orders, answers };
        assert_eq!(child.send("hello"), "hello");
        child
    }

    /// What a child of another user answers; only root can ask. It runs a copy of this test in a
    /// place that this user can reach.
    pub(super) fn ask_as_nobody(order: &str) -> String {
        const NOBODY: u32 = 65534;
        let name = format!("tiebreak-test-{}-{NOBODY}", std::process::id());
        let copy = std::env::temp_dir().join(name);
        // This process does not write the copy: a child that another test starts at that moment
        // would hold the file open, and it could not be run.
        let this = std::env::current_exe().expect("this test");
        let copied = Command::new("cp").arg(this).arg(&copy).status().expect("cp");
        assert!(copied.success());
        let mut child = Child::start_from(&copy, |command| {
            command.uid(NOBODY).gid(NOBODY).current_dir("/");
        });
        let _ = std::fs::remove_file(&copy);
        child.send(order)
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Gives an order and waits for the answer.
    pub(super) fn send(&mut self, order: &str) -> String {
        writeln!(self.orders, "{order}").expect("the child listens");
        loop {
            let mut line = String::new();
            let read = self.answers.read_line(&mut line).expect("the child answers");
            assert!(read > 0, "the child ended at `{order}`");
            if let Some((_, answer)) = line.split_once(ANSWER) {
                return answer.trim().to_owned();
            }
        }
    }

    /// Sends an order whose answer is a number, and returns it.
    pub(super) fn ask(&mut self, order: &str) -> u64 {
        let answer = self.send(order);
        answer.parse().unwrap_or_else(|_| panic!("`{order}`: {answer}"))
    }

    /// Kills it and waits for it.
    pub(super) fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

/// This is not a test but the main function of the child. In an ordinary test run it returns at
/// once.
#[test]
fn obey() {
    if std::env::var_os(MARK).is_none() {
        return;
    }
    let mut process = TestProcess::default();
    for line in io::stdin().lock().lines() {
        let line = line.expect("orders are text");
        println!("\n{ANSWER}{}", process.obey(&line));
    }
    process.spinning.into_iter().for_each(|thread| thread.join().expect("burnt"));
    // The parent is gone, so nobody would read what the harness prints.
    std::process::exit(0);
}

#[derive(Default)]
struct TestProcess {
    sub: Option<Child>,
    tcp: Vec<TcpListener>,
    connected: Vec<TcpStream>,
    unix: Vec<UnixListener>,
    spinning: Vec<JoinHandle<()>>,
}

impl TestProcess {
    fn obey(&mut self, order: &str) -> String {
        let (verb, rest) = order.split_once(' ').unwrap_or((order, ""));
        match verb {
            "hello" => "hello".to_owned(),
            // CPU time of this process, and of children that it waited for.
            "used" => used(libc::RUSAGE_SELF).to_string(),
            "reaped" => used(libc::RUSAGE_CHILDREN).to_string(),
            "start" => self.sub.insert(Child::start()).pid().to_string(),
            "thread-starts" => {
                let started = thread::spawn(Child::start).join().expect("started");
                self.sub.insert(started).pid().to_string()
            }
            // A child that inherits the listening socket, as workers do.
            "fork" => {
                let socket = self.tcp[0].as_raw_fd();
                self.sub.insert(inheriting(socket)).pid().to_string()
            }
            "sub" => self.sub.as_mut().expect("started").send(rest),
            // What this user can see.
            "find" => match find::serving(&Address::Tcp(rest.parse().expect("an address"))) {
                Ok(found) => format!("{:?}", found.pids()),
                Err(why) => why.0,
            },
            "meter" => match Meter::of_tree(rest.parse().expect("a number")) {
                Ok(mut meter) => meter.read().to_string(),
                Err(why) => why.0,
            },
            "listen" => self.listen(TcpListener::bind(rest).expect("free")),
            "listen-too" => self.listen(sharing_port(rest)),
            _ => {
                self.act(verb, rest);
                "done".to_owned()
            }
        }
    }

    fn act(&mut self, verb: &str, rest: &str) {
        let number = || rest.parse::<u64>().expect("a number");
        match verb {
            "burn" => burn(number()),
            // Four threads that end.
            "threads" => {
                let each = number();
                let threads = [(); 4].map(|()| thread::spawn(move || burn(each)));
                threads.into_iter().for_each(|thread| thread.join().expect("burnt"));
            }
            // Burns in the background, to the end even if the parent is gone.
            "spin" => {
                let ms = number();
                self.spinning.push(thread::spawn(move || burn(ms)));
            }
            // A child that nobody sees: it starts, burns and ends.
            "brief" => {
                Child::start().send(&format!("burn {rest}"));
            }
            "end" => self.sub = None,
            // Lets the kernel reap children: their time is then not added to that of any parent.
            "ignore" => ignore_children(),
            "memory" => {
                let held = vec![1u8; usize::try_from(number()).expect("fits")];
                std::hint::black_box(&held);
            }
            "unix" => self.unix.push(UnixListener::bind(rest).expect("free")),
            "connect" => self.connected.push(TcpStream::connect(rest).expect("it listens")),
            "close" => self.tcp.clear(),
            other => panic!("unknown order {other}"),
        }
    }

    fn listen(&mut self, listener: TcpListener) -> String {
        let address = listener.local_addr().expect("bound");
        self.tcp.push(listener);
        address.to_string()
    }
}

/// A listener on a port that others may listen on as well.
fn sharing_port(address: &str) -> TcpListener {
    let address: std::net::SocketAddrV4 = address.parse().expect("an IPv4 address");
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None);
    let socket = socket.expect("a socket");
    set_socket_reuseport(&socket, true).expect("Linux");
    bind(&socket, &address).expect("free");
    listen(&socket, 8).expect("bound");
    socket.into()
}

/// A child in which this descriptor stays open.
fn inheriting(socket: i32) -> Child {
    Child::start_with(|command| {
        let keep = move || {
            // SAFETY: fcntl may be called between fork and exec.
            match unsafe { libc::fcntl(socket, libc::F_SETFD, 0) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        };
        // SAFETY: `keep` makes one system call and touches no memory.
        unsafe { command.pre_exec(keep) };
    })
}

fn ignore_children() {
    // SAFETY: setting a disposition has no preconditions.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// CPU time, user and system, in nanoseconds.
fn used(fault_owner: i32) -> u64 {
    // SAFETY: all zeros are a valid rusage, and it is valid for writes.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(fault_owner, &raw mut usage), 0);
        usage
    };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

/// Uses this many milliseconds of this thread's CPU time.
fn burn(ms: u64) {
    let now = sys::clock::cpu_of_this_thread;
    let until = now() + ms * 1_000_000;
    while now() < until {
        std::hint::spin_loop();
    }
}
