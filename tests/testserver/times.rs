//! When requests are answered. Everything is measured by the server's own log and as a share of
//! something, because the machine may be busy.

use crate::client::{Client, GET};
use crate::{every, start};
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use testserver::{
    Behaviour, Deferred, Delay, Freeze, PathService, Report, Slow, Stall, TestServer,
};

const MS: u64 = 1_000_000;

/// Held by tests whose server spins: two of them at once would take the cores from each other.
static SPINNING: Mutex<()> = Mutex::new(());

fn spins_alone() -> MutexGuard<'static, ()> {
    // A test that failed while it held the lock has left nothing behind.
    SPINNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends `each` pipelined requests on each of 8 connections before it reads
/// the first reply: the server's queue does not run dry.
fn saturate(server: &TestServer, each: usize) {
    let mut clients: Vec<Client> = (0..8).map(|_| Client::dial(server.address())).collect();
    clients.iter_mut().for_each(|client| client.send(&GET.repeat(each)));
    for client in &mut clients {
        for _ in 0..each {
            assert_eq!(client.reply().expect("a reply").status, 200);
        }
    }
}

/// Checks completions against the definition: none before its time, and half
/// of them late by less than 2 % of the whole.
fn assert_on_schedule(report: &Report, mut service: impl FnMut(u64) -> u64) {
    let first = report.arrivals_ns[0];
    let mut end = 0;
    let mut late = Vec::new();
    for (arrived, completed) in report.arrivals_ns.iter().zip(&report.completions_ns) {
        let start = end.max(*arrived);
        end = start + service(start - first);
        assert!(*completed >= end, "{} ns early", end - completed);
        late.push(completed - end);
    }
    late.sort_unstable();
    let (whole, median) = (end - first, late[late.len() / 2]);
    assert!(median * 50 < whole, "half are late by {median} ns or more in {whole} ns");
}

#[test]
fn saturated_throughput_is_one_over_service() {
    let _alone = spins_alone();
    let service = Duration::from_millis(1);
    let server = start(Behaviour { service, log: true, ..Behaviour::default() });
    saturate(&server, 100);
    let report = server.stop();
    assert_eq!((report.requests, report.replies), (800, 800));
    assert_on_schedule(&report, |_| MS);
    let arrived_within = report.arrivals_ns[799] - report.arrivals_ns[0];
    assert!(arrived_within < 800 * MS, "the queue ran dry: not the test that was meant");
    // None was early. At one of the last replies at least, the machine had not just paused the server.
    let since = |end: &u64| (end - report.arrivals_ns[0]) as f64;
    let ends = report.completions_ns.iter().enumerate().skip(600);
    let each = ends.map(|(at, end)| since(end) / (at + 1) as f64).fold(f64::MAX, f64::min);
    assert!(each / 1e6 < 1.02, "{each} ns a reply");
}

/// Arrivals are stamped when they come, not when the server has time: while one reply is being
/// served, the others are seen nevertheless.
#[test]
fn arrivals_are_noticed_during_service() {
    let _alone = spins_alone();
    let service = Duration::from_millis(20);
    let server = start(Behaviour { service, log: true, ..Behaviour::default() });
    let mut clients: Vec<Client> = (0..8).map(|_| Client::dial(server.address())).collect();
    clients.iter_mut().for_each(|client| client.send(GET));
    for client in &mut clients {
        client.reply().expect("a reply");
    }
    let report = server.stop();
    let spread = report.arrivals_ns[7] - report.arrivals_ns[0];
    assert!(spread < 4 * 20 * MS, "all sent at once, but seen over {spread} ns");
    let last = *report.reply_times_ns().last().expect("a reply");
    assert!(last + spread >= 8 * 20 * MS, "the last waited for all: {last} ns");
}

/// Every second request is for the path with a service time of its own.
#[test]
fn service_of_a_path() {
    let _alone = spins_alone();
    let slower = PathService { path: "/b".to_owned(), service: Duration::from_millis(6) };
    let service = Duration::from_millis(2);
    let behaviour = Behaviour { service, paths: vec![slower], log: true, ..Behaviour::default() };
    let server = start(behaviour);
    let mut client = Client::dial(server.address());
    let both = "GET /a HTTP/1.1\r\n\r\nGET /b?x=1 HTTP/1.1\r\n\r\n";
    client.send(&both.repeat(50));
    for _ in 0..100 {
        assert_eq!(client.reply().expect("a reply").status, 200);
    }
    let mut services = [2 * MS, 6 * MS].into_iter().cycle();
    assert_on_schedule(&server.stop(), |_| services.next().expect("endless"));
}

#[test]
fn service_that_drifts() {
    let _alone = spins_alone();
    // 4 ms, and 4 ms more for each 200 ms.
    let behaviour = Behaviour {
        service: Duration::from_millis(4),
        service_drift: 5.0,
        log: true,
        ..Behaviour::default()
    };
    let server = start(behaviour);
    saturate(&server, 10);
    let report = server.stop();
    let service = |since_first: u64| (4e6 * (1.0 + 5.0 * since_first as f64 / 1e9)) as u64;
    assert_on_schedule(&report, service);
    // dt/dk = 4 ms × (1 + 5 t): 80 replies take (e^1.6 − 1) × 200 ms = 790 ms.
    let took = report.completions_ns[79] - report.arrivals_ns[0];
    assert!(took > 2 * 80 * 4 * MS, "{took} ns is not much longer than without drift");
}

#[test]
fn service_that_grows_and_compounds() {
    let _alone = spins_alone();
    let behaviour = Behaviour {
        service: Duration::from_millis(4),
        service_growth: 20.0,
        log: true,
        ..Behaviour::default()
    };
    let server = start(behaviour);
    saturate(&server, 8);
    let report = server.stop();
    let service = |since_first: u64| (4e6 * 21f64.powf(since_first as f64 / 1e9)) as u64;
    assert_on_schedule(&report, service);
    // dt/dk = 4 ms × 21^t: 64 replies take −ln(1 − 0.256 ln 21) ÷ ln 21 = 497 ms.
    let took = report.completions_ns[63] - report.arrivals_ns[0];
    assert!(took > 3 * 64 * 4 * MS / 2, "{took} ns is not much longer than without growth");
}

#[test]
fn delays_are_kept_and_side_by_side() {
    let delay = Delay::Fixed(Duration::from_millis(100));
    let server = start(Behaviour { delay, log: true, ..Behaviour::default() });
    let mut clients: Vec<Client> = (0..20).map(|_| Client::dial(server.address())).collect();
    clients.iter_mut().for_each(|client| client.send(GET));
    clients.iter_mut().for_each(|client| assert_eq!(client.reply().expect("one").status, 200));
    let report = server.stop();
    let times = report.reply_times_ns();
    assert!(times.len() == 20 && times[0] >= 100 * MS, "{times:?}");
    assert!(times[10] < 2 * 100 * MS, "20 delays of 100 ms, not one after another: {times:?}");
}

#[test]
fn distributed_delays_are_those_of_the_seed() {
    let delay = Delay::Exponential(Duration::from_millis(5));
    let server = start(Behaviour { delay, seed: 3, log: true, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    for _ in 0..100 {
        client.get();
    }
    let times = server.stop().reply_times_ns();
    let mean = times.iter().sum::<u64>() as f64 / 100.0;
    // 100 exponential delays of 5 ms: the mean has a standard error of 0.5 ms,
    // and replies are late, never early.
    assert!(mean > 3.5e6 && times[99] > 10 * MS && times[0] < 2 * MS, "{mean}: {times:?}");
}

#[test]
fn every_tenth_is_slow_and_nobody_else() {
    let slow = every(10).map(|nth| Slow { nth, by: Duration::from_millis(300) });
    let server = start(Behaviour { slow, log: true, ..Behaviour::default() });
    let mut clients: Vec<Client> = (0..10).map(|_| Client::dial(server.address())).collect();
    for client in &mut clients {
        client.send(GET);
    }
    clients.iter_mut().for_each(|client| assert_eq!(client.reply().expect("one").status, 200));
    let report = server.stop();
    assert_eq!(report.replies, 10);
    let took = |number: usize| report.completions_ns[number] - report.arrivals_ns[number];
    assert!(took(9) >= 300 * MS);
    let mut others: Vec<u64> = (0..9).map(took).collect();
    others.sort_unstable();
    assert!(others[4] < 150 * MS, "{others:?}");
}

#[test]
fn frozen_it_neither_reads_nor_answers() {
    let ms = Duration::from_millis;
    let freeze = Some(Freeze { lasts: ms(300), every: ms(1000), first: ms(100) });
    let server = start(Behaviour { freeze, log: true, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    let (mut longest, mut first) = (Duration::ZERO, None);
    // Until well after the first freeze.
    while first.get_or_insert_with(std::time::Instant::now).elapsed() < ms(600) {
        let begun = std::time::Instant::now();
        assert_eq!(client.get().status, 200);
        longest = longest.max(begun.elapsed());
    }
    assert!(longest >= ms(270), "one request met the whole freeze, but took {longest:?}");
    let report = server.stop();
    let origin = report.arrivals_ns[0];
    let inside = |at: &&u64| (origin + 150 * MS..origin + 400 * MS).contains(at);
    assert_eq!(report.arrivals_ns.iter().filter(inside).count(), 0, "arrivals while frozen");
    assert_eq!(report.completions_ns.iter().filter(inside).count(), 0, "replies while frozen");
    assert!(report.arrivals_ns.iter().any(|at| *at > origin + 400 * MS), "it thawed");
}

#[test]
fn after_every_third_request_it_stalls() {
    let third = NonZeroU64::new(3).expect("it is not 0");
    let stall = Some(Stall { nth: third, lasts: Duration::from_millis(500) });
    let server = start(Behaviour { stall, log: true, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    (0..9).for_each(|_| assert_eq!(client.get().status, 200));
    let report = server.stop();
    let times = report.arrivals_ns.iter().zip(&report.completions_ns);
    for (at, (arrival, completion)) in times.enumerate() {
        assert_eq!((at + 1) % 3 == 0, completion - arrival >= 500 * MS, "{at}: {report:?}");
    }
}

#[test]
fn a_freeze_interrupts_the_work() {
    let ms = Duration::from_millis;
    let freeze = Some(Freeze { lasts: ms(100), every: ms(10_000), first: ms(10) });
    let server = start(Behaviour { service: ms(20), freeze, log: true, ..Behaviour::default() });
    Client::dial(server.address()).get();
    let times = server.stop().reply_times_ns();
    // 10 ms of the work before the freeze, and the other 10 ms after it.
    assert!(times[0] >= 120 * MS, "{times:?}");
}

#[test]
fn a_frozen_server_can_be_stopped() {
    let freeze = Some(Freeze {
        lasts: Duration::from_secs(3600),
        every: Duration::from_secs(7200),
        first: Duration::ZERO,
    });
    let server = start(Behaviour { freeze, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    client.get();
    client.send(GET);
    assert_eq!(server.stop().replies, 1);
}

/// Returns the CPU time of the server's thread so far, from the kernel's scheduler.
fn cpu_ns(server: &TestServer) -> u64 {
    let name = format!("test:{}\n", server.address().port());
    for task in std::fs::read_dir("/proc/self/task").expect("procfs") {
        let task = task.expect("an entry").path();
        // Threads of other tests end at the same time.
        if std::fs::read_to_string(task.join("comm")).is_ok_and(|comm| comm == name) {
            let stat = std::fs::read_to_string(task.join("schedstat")).expect("schedstat");
            let cpu = stat.split(' ').next().and_then(|field| field.parse().ok());
            return cpu.expect("CPU time first");
        }
    }
    panic!("no thread is called {name}");
}

fn cpu_of_a_pause(server: &TestServer, pause: Duration) -> f64 {
    let before = cpu_ns(server);
    std::thread::sleep(pause);
    (cpu_ns(server) - before) as f64 / pause.as_nanos() as f64
}

#[test]
fn at_rest_it_burns_nothing() {
    let pause = Duration::from_millis(200);
    let delay = Delay::Fixed(Duration::from_secs(20));
    let service = Duration::from_micros(100);
    for behaviour in [
        Behaviour::default(),
        Behaviour { service, ..Behaviour::default() },
        Behaviour { delay, ..Behaviour::default() },
    ] {
        let waits = behaviour.delay != Delay::None;
        let server = start(behaviour);
        let mut client = Client::dial(server.address());
        client.send(GET);
        if !waits {
            client.reply().expect("a reply");
        } else {
            std::thread::sleep(Duration::from_millis(20));
        }
        let share = cpu_of_a_pause(&server, pause);
        assert!(share < 0.05, "{share} of a core at rest");
    }
}

#[test]
fn awake_it_burns_what_it_gets() {
    let _alone = spins_alone();
    let server = start(Behaviour { awake: true, ..Behaviour::default() });
    let share = cpu_of_a_pause(&server, Duration::from_millis(200));
    assert!(share > 0.1, "only {share} of a core");
}

#[test]
fn deferred_work_is_burnt_after_the_replies_and_then_it_rests() {
    let _alone = spins_alone();
    let deferred =
        Some(Deferred { work: Duration::from_millis(1), flush_every: Duration::from_millis(400) });
    let server = start(Behaviour { deferred, log: true, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    client.send(&GET.repeat(100));
    for _ in 0..100 {
        client.reply().expect("a reply");
    }
    let before = cpu_ns(&server);
    // The tick comes within 400 ms and the work takes 100 ms; a request in between,
    // the server answers when it is done.
    std::thread::sleep(Duration::from_millis(420));
    assert_eq!(client.get().status, 200);
    let burnt = cpu_ns(&server) - before;
    // Sleeping through the work would cost less than 1 ms; on a busy machine
    // the thread gets only a part of its 100 ms.
    assert!((5 * MS..110 * MS).contains(&burnt), "{burnt} ns of 100 ms of work");
    let share = cpu_of_a_pause(&server, Duration::from_millis(200));
    assert!(share < 0.05, "{share} of a core with the work of one reply left");
    let report = server.stop();
    let last_of_batch = report.completions_ns[..100].iter().max().expect("replies");
    assert!(last_of_batch - report.arrivals_ns[0] < 400 * MS, "replies before the work");
    let done = report.arrivals_ns[0] + 500 * MS;
    assert!(report.completions_ns[100] >= done, "a reply in the middle of the work");
}

#[test]
fn the_log_has_every_request_in_order() {
    let server = start(Behaviour { log: true, ..Behaviour::default() });
    let mut client = Client::dial(server.address());
    for _ in 0..500 {
        client.get();
    }
    let report = server.stop();
    assert_eq!((report.arrivals_ns.len(), report.completions_ns.len()), (500, 500));
    assert!(report.arrivals_ns.is_sorted() && report.completions_ns.is_sorted());
    assert_eq!(report.reply_times_ns().len(), 500);
    assert!(!report.log_full);
}
