//! Machines between an agent and its coordinator: one delays one direction more than the other, which no
//! exchange of messages can see, and one changes what the coordinator sends.

use crate::common::number;
use crate::common::running::Running;
use crate::group::{Group, QUICK, contenders, errors, judged, serve, wait_for};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const MS: Duration = Duration::from_millis(1);

/// Accepts one connection and connects it with `to`. What comes from there arrives this much later.
/// Returns the address.
fn delaying(to: SocketAddr, delay: Duration) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("it listens");
    thread::spawn(move || {
        let (agent, _) = listener.accept().expect("the agent connects");
        // The coordinator listens already, or the agent would not be here; see the test.
        let coordinator = TcpStream::connect(to).expect("the coordinator listens");
        for stream in [&agent, &coordinator] {
            stream.set_nodelay(true).expect("a socket");
        }
        let both = (agent.try_clone().expect("a socket"), coordinator.try_clone().expect("one"));
        thread::spawn(move || copy(both.0, both.1, Duration::ZERO));
        copy(coordinator, agent, delay);
    });
    address
}

/// Copies until either side ends. Every piece arrives `delay` after it came, so a piece that comes
/// meanwhile is not delayed by the one before.
fn copy(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let (send, pieces) = mpsc::channel::<(Instant, Vec<u8>)>();
    let writer = thread::spawn(move || {
        for (due, piece) in pieces {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if to.write_all(&piece).is_err() {
                return;
            }
        }
        // It may be closed already.
        let _ = to.shutdown(Shutdown::Write);
    });
    let mut piece = [0; 16_384];
    while let Ok(read @ 1..) = from.read(&mut piece) {
        if send.send((Instant::now() + delay, piece[..read].to_vec())).is_err() {
            break;
        }
    }
    drop(send);
    writer.join().expect("it ends");
}

/// Accepts one connection and connects it with `to`. Exchanges the port of every address in an order that
/// comes from there, as a machine could that knows no token. Returns the address.
fn changing(to: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("it listens");
    thread::spawn(move || {
        let (mut agent, _) = listener.accept().expect("the agent connects");
        let mut coordinator = TcpStream::connect(to).expect("the coordinator listens");
        let back = (agent.try_clone().expect("a socket"), coordinator.try_clone().expect("one"));
        thread::spawn(move || copy(back.0, back.1, Duration::ZERO));
        let mut head = [0; 8];
        while coordinator.read_exact(&mut head).is_ok() {
            let [.., a, b, c, d] = head;
            let mut body = vec![0; u32::from_be_bytes([a, b, c, d]) as usize];
            coordinator.read_exact(&mut body).expect("a body");
            if head[3] == ORDER {
                let at = body.windows(10).position(|part| part == b"127.0.0.1:");
                let digit = &mut body[at.expect("an address") + 10];
                *digit = if *digit == b'1' { b'2' } else { b'1' };
            }
            if agent.write_all(&[&head[..], &body].concat()).is_err() {
                return;
            }
        }
    });
    address
}

/// The kind of a message.
const ORDER: u8 = 51;

#[test]
fn a_changed_order_ends_the_connection_and_nothing_is_driven() {
    let group = Group::of(1);
    let (a, b) = (serve(MS), serve(MS));
    let words = format!("{} {QUICK}", contenders(&a, &b));
    let coordinator = group.start(0, &words);
    wait_for("the coordinator", || TcpStream::connect(group.coordinator).is_ok());
    let mut agent = group.command(1, &words);
    agent.env("TIEBREAK_COORDINATOR", changing(group.coordinator).to_string());
    let agent = Running::new(agent.spawn().expect("it starts")).output();
    assert_eq!(agent.status.code(), Some(5), "{}", errors(&agent));
    let why = "a message was changed on its way";
    assert!(errors(&agent).contains(why), "{}", errors(&agent));
    let coordinator = coordinator.output();
    assert_eq!(coordinator.status.code(), Some(5), "{}", errors(&coordinator));
    let lost = format!("agent 1 is lost: {why}");
    assert!(errors(&coordinator).contains(&lost), "{}", errors(&coordinator));
    // Each was asked whether it is ready, by the coordinator.
    for server in [a, b] {
        assert!(server.stop().requests <= 2);
    }
}

/// Both clocks are this machine's, so the true offset is 0. Where one direction takes d and an exchange r,
/// it looks like d − r ÷ 2: like 2 ms, where d is 4 ms and the other direction takes no time, and like
/// less where a busy machine delays the other direction. The bound says so.
#[test]
fn a_delay_in_one_direction_is_within_the_bound_of_the_clock() {
    let group = Group::of(2);
    let (a, b) = (serve(MS), serve(MS));
    let words = format!("{} {QUICK}", contenders(&a, &b));
    let coordinator = group.start(0, &words);
    wait_for("the coordinator", || TcpStream::connect(group.coordinator).is_ok());
    let near = group.start(1, &words);
    let mut far = group.command(2, &words);
    far.env("TIEBREAK_COORDINATOR", delaying(group.coordinator, 4 * MS).to_string());
    let far = Running::new(far.spawn().expect("it starts"));
    for agent in [near, far] {
        let output = agent.output();
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    }
    judged(&coordinator.output(), &group.directory);
    let events = group.events(0);
    let clocks = events.iter().filter_map(|event| event["clocks"].as_array());
    let mut models = 0;
    for clock in clocks.flatten() {
        let of = |key: &str| number(&clock[key]);
        let (off_ns, bound_ns) = (1e9 * of("offset_s").abs(), of("bound_ns"));
        assert!(off_ns <= bound_ns, "{clock}");
        if clock["rank"] == 2 {
            let round_trip_ns = of("round_trip_ns");
            assert!(bound_ns >= 2e6 && round_trip_ns >= 4e6, "{clock}");
            assert!(off_ns > 4e6 - round_trip_ns / 2.0 - 0.1e6, "{clock}");
        }
        models += 1;
    }
    assert_eq!(models, 4, "of two agents, after the pilot and after the rounds");
}
