//! Every flag of `tiebreak testserver`, as a client of the process observes it. The exact times are
//! tested in `times.rs`, without a process.

use crate::answers::PAGE;
use crate::client::{Client, GET, Reply, say_and_finish};
use crate::process::Process;
use crate::scratch::Scratch;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

const MS: Duration = Duration::from_millis(1);

/// Status, body, and what is special about the reply.
fn described(reply: &Reply) -> String {
    let body = match (&*reply.body, std::str::from_utf8(&reply.body)) {
        (PAGE, _) => "page".to_owned(),
        (_, Ok("content")) => "content".to_owned(),
        (other, _) => format!("{} bytes", other.len()),
    };
    let chunked = if reply.says("Transfer-Encoding: chunked") { " in chunks" } else { "" };
    let last = if reply.says("Connection: close") { ", last" } else { "" };
    let version = if reply.head.starts_with("HTTP/1.0") { ", HTTP/1.0" } else { "" };
    format!("{} {body}{chunked}{last}{version}", reply.status)
}

fn failure(error: std::io::Error) -> String {
    let name = match error.kind() {
        ErrorKind::ConnectionReset => "reset",
        ErrorKind::UnexpectedEof => "cut",
        ErrorKind::InvalidData => "not HTTP",
        other => panic!("{other:?}"),
    };
    name.to_owned()
}

/// What the client gets for four requests. After a reply that ends its connection, the next request
/// goes over a new one.
fn answers(address: SocketAddr) -> [String; 4] {
    let mut client = Client::dial(address);
    std::array::from_fn(|_| {
        let answer = client.ask().map_or_else(failure, |reply| described(&reply));
        if ["last", "HTTP/1.0", "reset", "cut", "not HTTP"].iter().any(|end| answer.ends_with(end))
        {
            client = Client::dial(address);
        }
        answer
    })
}

#[test]
fn flags_of_the_answers() {
    let scratch = Scratch::new();
    let page = scratch.path().join("page");
    std::fs::write(&page, "content").expect("a file");
    let usual = "200 page";
    let cases = [
        ("", [usual; 4]),
        ("--status 404", ["404 page"; 4]),
        ("--status-nth 3:503", [usual, usual, "503 page", usual]),
        ("--body-bytes 100", ["200 100 bytes"; 4]),
        ("--body FILE", ["200 content"; 4]),
        ("--empty", ["200 0 bytes"; 4]),
        ("--chunked", ["200 page in chunks"; 4]),
        ("--http10", ["200 page, HTTP/1.0"; 4]),
        ("--close-every 2", [usual, "200 page, last", usual, "200 page, last"]),
        ("--reset-nth 3", [usual, usual, "reset", usual]),
        ("--truncate-nth 3", [usual, usual, "cut", usual]),
        ("--garbage-nth 3", [usual, usual, "not HTTP", usual]),
        // Each connection serves one request.
        ("--refuse-nth 2 --close-every 1", ["200 page, last", "reset", "200 page, last", "reset"]),
    ];
    for (flags, expected) in cases {
        let (_process, address) =
            Process::serving(&flags.replace("FILE", &page.display().to_string()));
        assert_eq!(answers(address), expected, "{flags}");
    }
    let (_process, address) = Process::serving("--never-reply");
    assert_eq!(say_and_finish(address, GET), b"", "--never-reply");
}

#[test]
fn random_bodies_are_those_of_the_seed() {
    let bodies = |flags: &str| {
        let (_process, address) = Process::serving(flags);
        let mut client = Client::dial(address);
        [client.get().body, client.get().body]
    };
    let [first, second] = bodies("--body-random --seed 2");
    assert!(first != second && first.len() == PAGE.len());
    assert_eq!(bodies("--body-random --seed 2"), [first.clone(), second]);
    assert_ne!(bodies("--body-random")[0], first);
}

#[test]
fn it_listens_where_it_is_told_to() {
    let (_process, address) = Process::serving("--listen 127.0.0.2:0");
    assert_eq!(address.ip().to_string(), "127.0.0.2");
    let scratch = Scratch::new();
    let socket = scratch.path().join("socket");
    let (process, _) = Process::serving(&format!("--unix {}", socket.display()));
    assert_eq!(Client::dial_unix(&socket).get().body, PAGE);
    // It removes the socket when it ends.
    process.end("-TERM");
    assert!(!socket.exists());
}

/// How long each of so many requests takes, one after the other.
fn times(flags: &str, requests: usize) -> Vec<Duration> {
    let (_process, address) = Process::serving(flags);
    let mut client = Client::dial(address);
    let time = |_| {
        let begun = Instant::now();
        client.get();
        begun.elapsed()
    };
    (0..requests).map(time).collect()
}

#[test]
fn flags_that_make_replies_late() {
    let least = 100 * MS;
    let usual = times("", 10);
    let all: fn(usize) -> bool = |_| true;
    let third: fn(usize) -> bool = |number| number % 3 == 0;
    let cases = [
        ("--delay 100ms", 3, all),
        ("--delay-distribution uniform:100ms,110ms", 3, all),
        ("--service 100ms", 3, all),
        ("--workers 2 --service-distribution constant:100ms", 3, all),
        ("--path /=100ms", 3, all),
        // The requests are for /.
        ("--path /b=100ms", 3, |_| false),
        // 30 ms × (1 + 4 × the seconds before): the twelfth takes 104 ms. The first ones are far quicker, also on a
        // machine where the first request comes late.
        ("--service 30ms --service-drift 400%/s", 12, |number| number == 12),
        // 30 ms × 5^the seconds before: the sixteenth takes 99 ms, the next one 116 ms.
        ("--service 30ms --service-growth 400%/s", 17, |number| number == 17),
        ("--slow-nth 3 --slow-by 100ms", 7, third),
        ("--stall-nth 3 --stall-for 100ms", 7, third),
        // Five pieces have four pauses.
        ("--slow-body 5,25ms", 3, all),
    ];
    for (flags, requests, is_late) in cases {
        let taken = times(flags, requests);
        let (late, others): (Vec<_>, Vec<_>) =
            (1..).zip(&taken).partition(|(number, _)| is_late(*number));
        assert!(late.iter().all(|(_, took)| **took >= least), "{flags}: {taken:?}");
        // A busy machine delays some requests by as much, but not all of them.
        let not_late = others.iter().map(|(_, took)| *took).min().or(usual.iter().min());
        assert!(not_late.is_some_and(|took| *took < least), "{flags}: {taken:?} {usual:?}");
    }
}

/// A request in a freeze gets its reply at the end of it.
#[test]
fn freezes() {
    for (flags, begins, ends) in [
        ("--freeze 400ms --every 800ms", 400 * MS, 800 * MS),
        ("--freeze 400ms --every 800ms --freeze-at 100ms", 100 * MS, 500 * MS),
    ] {
        let (_process, address) = Process::serving(flags);
        let mut client = Client::dial(address);
        let before = Instant::now();
        client.get();
        // The freezes are counted from when the first request arrived: between these two times.
        let after = Instant::now();
        let mut period = Duration::ZERO;
        loop {
            let inside = period + begins + 50 * MS;
            std::thread::sleep(inside.saturating_sub(after.elapsed()));
            let thaws = period + ends;
            // On a busy machine the sleep may be longer than the freeze.
            if before.elapsed() < thaws {
                client.get();
                assert!(before.elapsed() >= thaws, "{flags}: {:?}", before.elapsed());
                break;
            }
            period += 800 * MS;
        }
    }
}

/// How long six requests take, the last one 100 ms after the others.
fn time_of_six(flags: &str) -> Duration {
    let (_process, address) = Process::serving(flags);
    let mut client = Client::dial(address);
    let begun = Instant::now();
    (0..5).for_each(|_| drop(client.get()));
    std::thread::sleep(100 * MS);
    client.get();
    begun.elapsed()
}

#[test]
fn deferred_work_is_done_before_a_later_request() {
    let least = 500 * MS;
    let took = time_of_six("--deferred 100ms --flush-every 50ms");
    assert!(took >= least, "five replies defer 100 ms each: {took:?}");
    // A busy machine delays some by as much, but not all of them.
    assert!((0..5).any(|_| time_of_six("") < least), "as long as with deferred work");
}

/// How long it takes two servers on one core to do 100 ms of work each.
fn both_on_one_core(flags: &str) -> Duration {
    let flags = format!("--service 100ms --core {} {flags}", first_core());
    let servers = [Process::serving(&flags), Process::serving(&flags)];
    let mut clients = servers.each_ref().map(|(_, address)| Client::dial(*address));
    let begun = Instant::now();
    clients.iter_mut().for_each(|client| client.send(GET));
    for client in &mut clients {
        client.reply().expect("a reply");
    }
    begun.elapsed()
}

#[test]
fn work_by_the_cpu_clock_takes_longer_where_the_core_is_shared() {
    // One core does the work of both in 200 ms. By the time of day both end after 100 ms.
    let between = 150 * MS;
    let by_cpu_clock = both_on_one_core("--by-cpu-clock");
    assert!(by_cpu_clock > between, "{by_cpu_clock:?}");
    // A busy machine delays some by as much, but not all of them.
    assert!((0..5).any(|_| both_on_one_core("") < between), "as long as by the CPU clock");
}

/// CPU time of all threads of the process so far.
fn cpu(process: &Process) -> Duration {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", process.id())).expect("procfs");
    let of_task = |task: std::io::Result<std::fs::DirEntry>| {
        let stat = task.expect("an entry").path().join("schedstat");
        let stat = std::fs::read_to_string(stat).expect("schedstat");
        stat.split(' ').next().and_then(|field| field.parse::<u64>().ok()).expect("CPU time first")
    };
    Duration::from_nanos(tasks.map(of_task).sum())
}

#[test]
fn awake_it_is_never_at_rest() {
    let (awake, _) = Process::serving("--awake");
    let (usual, _) = Process::serving("");
    let before = [&awake, &usual].map(cpu);
    let begun = Instant::now();
    // On a busy machine it gets a part of a core.
    while cpu(&awake) < before[0] + 100 * MS {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is at rest");
        std::thread::sleep(10 * MS);
    }
    assert!(cpu(&usual) - before[1] < 50 * MS, "the other one is awake, too");
}

fn first_core() -> String {
    tiebreak::system::cores::Facts::read().expect("our cores").allowed[0].to_string()
}

/// Cores of each thread of the process.
fn cores(process: &Process) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", process.id())).expect("procfs");
    let of_task = |task: std::io::Result<std::fs::DirEntry>| {
        let status = task.expect("an entry").path().join("status");
        let status = std::fs::read_to_string(status).expect("a status");
        let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        cores.expect("its cores").trim().to_owned()
    };
    tasks.map(of_task).collect()
}

#[test]
fn it_runs_on_its_core() {
    let core = first_core();
    let (process, address) = Process::serving(&format!("--core {core}"));
    Client::dial(address).get();
    assert!(cores(&process).contains(&core), "{:?}", cores(&process));
}
