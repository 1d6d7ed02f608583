//! Lanes through a fake library, driven through interleaved slices by the engine: what is counted,
//! and what happens to connections.

use super::lanes;
use crate::SqlAccess;
use crate::driver::{Driver, Opening, Unopened};
use crate::events::Events;
use crate::request::{Request, Row};
use crate::request_error::RequestError;
use crate::testing::{ended, ok_or_waiting, order, run};
use engine::workload::Arguments;
use record::{
    Arrivals, DriveOrder, Failure, FaultOwner, Intensity, LaneOrder, LaneTask, Maintenance, Pool,
    Reuse, Seen,
};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::task::yield_now;

const MS: u64 = 1_000_000;

/// The behaviour of a server.
#[derive(Clone, Copy)]
enum Behaviour {
    Answers,
    /// Requests are answered after this many milliseconds.
    Dawdles(u64),
    /// Every fourth request is never answered.
    Hangs,
    /// No request is ever answered.
    IsMute,
    /// No connection is accepted.
    Refuses,
    /// Each request is answered with an error.
    Errs,
    /// Every fourth request ends its connection.
    Closes,
    /// The library panics when a connection is opened.
    PanicsInConnects,
    /// The library panics in every fourth request.
    PanicsInRequests,
    /// A task of the library panics in every fourth request, which waits for the task.
    PanicsBeside,
}

/// What the server sees of its clients.
#[derive(Default)]
struct ClientCounts {
    opened: AtomicU64,
    now: AtomicI64,
    most: AtomicI64,
    closed_cleanly: AtomicU64,
    requests: AtomicU64,
    pinged: AtomicU64,
    reset: AtomicU64,
    rows: AtomicU64,
}

struct FakeServer {
    behaviour: Behaviour,
    counts: Arc<ClientCounts>,
}

struct Client(Arc<ClientCounts>);

impl Drop for Client {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Relaxed);
    }
}

impl Driver for FakeServer {
    type Client = Client;

    async fn connect(&self, _from: Option<IpAddr>) -> Result<(Client, Opening), Unopened> {
        yield_now().await;
        assert!(!matches!(self.behaviour, Behaviour::PanicsInConnects), "in a connect");
        if matches!(self.behaviour, Behaviour::Refuses) {
            let error = RequestError::ServerError { code: 1040, closes: true };
            return Err(Unopened::new(error, || "Too many connections".to_owned()));
        }
        self.counts.opened.fetch_add(1, Relaxed);
        let now = self.counts.now.fetch_add(1, Relaxed) + 1;
        self.counts.most.fetch_max(now, Relaxed);
        let opening = Opening { connect_ns: Some(1), tls_ns: None, log_in_ns: 2 };
        Ok((Client(self.counts.clone()), opening))
    }

    async fn perform(
        &self,
        _client: &mut Client,
        _request: &Request,
        events: &mut Events<'_>,
    ) -> Result<(), RequestError> {
        events.request_sent();
        let number = self.counts.requests.fetch_add(1, Relaxed);
        match self.behaviour {
            Behaviour::Dawdles(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
            Behaviour::Hangs if number % 4 == 3 => std::future::pending().await,
            Behaviour::IsMute => std::future::pending().await,
            Behaviour::PanicsInRequests if number % 4 == 3 => panic!("in a request"),
            Behaviour::PanicsBeside if number % 4 == 3 => {
                tokio::task::spawn_local(async { panic!("beside a request") });
                std::future::pending().await
            }
            _ => tokio::time::sleep(Duration::from_micros(300)).await,
        }
        match self.behaviour {
            Behaviour::Errs => Err(RequestError::ServerError { code: 1213, closes: false }),
            Behaviour::Closes if number % 4 == 3 => Err(RequestError::Failed(Failure::Closed)),
            _ => {
                events.row(None, b"1");
                Ok(())
            }
        }
    }

    async fn load(&self, _client: &mut Client, rows: &[Row]) -> Result<(), RequestError> {
        yield_now().await;
        self.counts.rows.fetch_add(rows.len() as u64, Relaxed);
        Ok(())
    }

    async fn fill(
        &self,
        _client: &mut Client,
        _table: u32,
        rows: &[&Arguments],
    ) -> Result<(), RequestError> {
        self.counts.rows.fetch_add(rows.len() as u64, Relaxed);
        Ok(())
    }

    async fn ping(&self, _client: &mut Client) -> Result<(), RequestError> {
        self.counts.pinged.fetch_add(1, Relaxed);
        Ok(())
    }

    async fn reset(&self, _client: &mut Client) -> Result<(), RequestError> {
        yield_now().await;
        self.counts.reset.fetch_add(1, Relaxed);
        Ok(())
    }

    async fn close(&self, client: Client) {
        yield_now().await;
        self.counts.closed_cleanly.fetch_add(1, Relaxed);
        drop(client);
    }

    fn is_closed(&self, _client: &Client) -> bool {
        false
    }
}

/// The measurements, and what the server saw.
fn driven(behaviour: Behaviour, change: impl FnOnce(&mut LaneOrder)) -> (Seen, Arc<ClientCounts>) {
    let mut order = order();
    change(&mut order.lanes[0]);
    let counts = Arc::new(ClientCounts::default());
    let of = counts.clone();
    let request_parts = SqlAccess::without_log_in().request_parts();
    let made =
        lanes(&order, 0, request_parts, move || Ok(FakeServer { behaviour, counts: of.clone() }));
    (run(&order, made), counts)
}

/// Why the order cannot be driven.
fn refused(order: &DriveOrder) -> String {
    broken(order, Behaviour::Answers)
}

/// Why its run ends early.
fn broken(order: &DriveOrder, behaviour: Behaviour) -> String {
    let request_parts = SqlAccess::without_log_in().request_parts();
    let made = lanes(order, 0, request_parts, move || {
        Ok(FakeServer { behaviour, counts: Arc::default() })
    });
    ended(order, made)
}

fn pool(max: u32, wait_ns: u64, maintenance: Maintenance) -> Reuse {
    Reuse::Pool(Pool { max, wait_ns, maintenance })
}

#[test]
fn everything_that_was_asked_is_counted_and_connections_stay() {
    let (seen, counts) = driven(Behaviour::Answers, |_| {});
    assert_eq!(seen.operations, counts.requests.load(Relaxed));
    assert_eq!((seen.operations, seen.sent), (ok_or_waiting(&seen), seen.operations));
    assert!(seen.operations >= 4 * 8, "each slice has room for some: {}", seen.operations);
    assert_eq!((seen.unfinished, seen.unsent), (0, 0));
    assert_eq!(seen.response_time.len(), seen.operations);
    assert_eq!(seen.phases.fetch.len(), seen.operations);
    // Both trials report the connections.
    assert_eq!((seen.connections.opened, seen.connections.established), (4, 2 * 4));
    assert_eq!((seen.connect_time.len(), seen.phases.log_in.len()), (4, 4));
    assert_eq!(counts.closed_cleanly.load(Relaxed), 4);
    assert_eq!(counts.now.load(Relaxed), 0);
}

#[test]
fn in_open_loop_every_operation_that_fell_due_has_its_outcome() {
    let (seen, counts) = driven(Behaviour::Answers, |lane_order| {
        lane_order.intensity.arrivals = Arrivals::Constant(1000.0);
        lane_order.intensity.connections = 8;
    });
    // 80 ms of lane time, one operation each millisecond.
    assert_eq!(seen.operations + seen.unsent, 80);
    assert_eq!(seen.operations, counts.requests.load(Relaxed));
    let due: u64 = seen.slices.iter().map(|slice| slice.due).sum();
    assert_eq!(due, seen.operations);
    assert!(seen.slices.iter().all(|slice| slice.took_ns >= slice.sending_ns));
}

#[test]
fn a_budget_of_operations_is_kept() {
    let (seen, counts) = driven(Behaviour::Answers, |lane_order| lane_order.operations = Some(7));
    assert_eq!((seen.operations, counts.requests.load(Relaxed)), (7, 7));
}

#[test]
fn connections_are_opened_anew_as_the_policy_says() {
    let (seen, counts) = driven(Behaviour::Answers, |lane_order| lane_order.reuse = Reuse::Never);
    assert_eq!(seen.connections.opened, seen.operations);
    assert_eq!(counts.closed_cleanly.load(Relaxed), seen.operations);

    let (seen, counts) = driven(Behaviour::Answers, |lane_order| {
        lane_order.reuse = Reuse::Times(3);
        lane_order.intensity.connections = 1;
        lane_order.operations = Some(7);
    });
    assert_eq!((seen.operations, seen.connections.opened), (7, 3));
    assert_eq!(counts.most.load(Relaxed), 1);
}

#[test]
fn a_pool_is_shared_and_never_larger_than_it_may_be() {
    for maintenance in [Maintenance::Neither, Maintenance::Ping, Maintenance::Reset] {
        let (seen, counts) = driven(Behaviour::Answers, |lane_order| {
            lane_order.intensity.connections = 8;
            lane_order.reuse = pool(2, 2_000 * MS, maintenance);
        });
        assert_eq!((counts.most.load(Relaxed), seen.connections.opened), (2, 2), "{maintenance:?}");
        assert_eq!(seen.operations, ok_or_waiting(&seen), "{maintenance:?}");
        assert_eq!(seen.phases.acquire.len(), seen.operations, "{maintenance:?}");
        let (pinged, reset) = (counts.pinged.load(Relaxed), counts.reset.load(Relaxed));
        let wanted = match maintenance {
            Maintenance::Neither => (0, 0),
            Maintenance::Ping => (seen.operations, 0),
            Maintenance::Reset => (0, seen.operations),
        };
        assert_eq!((pinged, reset), wanted, "{maintenance:?}");
    }
}

#[test]
fn waiting_too_long_for_the_pool_is_starvation() {
    let (seen, counts) = driven(Behaviour::Dawdles(20), |lane_order| {
        lane_order.intensity.connections = 4;
        lane_order.reuse = pool(1, 2 * MS, Maintenance::Neither);
    });
    let starved = seen.outcomes.failed.get(&Failure::Starved).copied().unwrap_or(0);
    assert!(starved > 0, "{:?}", seen.outcomes);
    assert_eq!(starved + ok_or_waiting(&seen), seen.operations);
    assert_eq!(seen.sent, counts.requests.load(Relaxed), "starved operations were never sent");
    assert_eq!(seen.outcomes.count(FaultOwner::Target), starved);
}

#[test]
fn hanging_operations_are_abandoned_with_their_connections() {
    let (seen, counts) = driven(Behaviour::Hangs, |lane_order| lane_order.timeout_ns = 5 * MS);
    let given_up = seen.outcomes.failed.get(&Failure::Timeout).copied().unwrap_or(0);
    assert!(given_up > 0, "{:?}", seen.outcomes);
    assert_eq!(given_up + ok_or_waiting(&seen), seen.operations);
    assert_eq!(seen.operations, counts.requests.load(Relaxed));
    // Censored at the time that it took at least.
    assert_eq!(seen.response_time.len(), seen.operations);
    assert!(seen.response_time.max() >= Some(5 * MS));
    assert!(seen.connections.opened > 4);
    assert_eq!(counts.most.load(Relaxed), 4);
}

#[test]
fn refusals_have_their_code_and_pauses() {
    let (seen, _) = driven(Behaviour::Refuses, |_| {});
    assert_eq!((seen.connections.established, seen.sent), (0, 0));
    assert_eq!(seen.outcomes.unexpected.get(&1040), Some(&seen.operations));
    // Four slots; the first pause is 10 ms, and each is longer than the last.
    assert!((4..=4 * 8).contains(&seen.operations), "{}", seen.operations);
}

#[test]
fn errors_are_replies_and_a_closed_connection_is_opened_again() {
    let (seen, _) = driven(Behaviour::Errs, |_| {});
    assert_eq!(seen.outcomes.unexpected.get(&1213), Some(&seen.operations));
    assert_eq!(seen.connections.opened, 4);

    let (seen, _) = driven(Behaviour::Closes, |_| {});
    let closed = seen.outcomes.failed.get(&Failure::Closed).copied().unwrap_or(0);
    assert!(closed > 0, "{:?}", seen.outcomes);
    assert!(seen.connections.opened > 4);
    assert_eq!(closed + ok_or_waiting(&seen), seen.operations);
}

#[test]
fn a_load_writes_every_row_once() {
    let workload = record::Workload {
        keys: 3210,
        prefix: "p:".to_owned(),
        ..engine::workload::preset("kv").expect("a preset")
    };
    let (seen, counts) = driven(Behaviour::Answers, |lane_order| {
        lane_order.doing = LaneTask::load(workload);
        lane_order.operations = Some(3210);
        lane_order.intensity.depth = 16;
    });
    assert_eq!((seen.operations, seen.outcomes.ok), (3210, 3210));
    assert_eq!(counts.rows.load(Relaxed), 3210);
}

/// The runtime continues without a task that panicked. The lane must not wait for it.
#[test]
fn a_library_that_panics_ends_the_run() {
    for (behaviour, message) in [
        (Behaviour::PanicsInConnects, "in a connect"),
        (Behaviour::PanicsInRequests, "in a request"),
        (Behaviour::PanicsBeside, "beside a request"),
    ] {
        let with = |change: fn(&mut LaneOrder)| {
            let mut order = order();
            order.lanes[0].timeout_ns = 60_000 * MS;
            change(&mut order.lanes[0]);
            order
        };
        for order in [
            with(|_| {}),
            with(|lane_order| lane_order.reuse = Reuse::Never),
            with(|lane_order| lane_order.reuse = pool(2, 60_000 * MS, Maintenance::Neither)),
            with(|lane_order| lane_order.intensity.arrivals = Arrivals::Constant(1000.0)),
            with(|lane_order| lane_order.groups = groups(4)),
            DriveOrder { cores: vec![0, 0], ..with(|_| {}) },
        ] {
            let why = broken(&order, behaviour);
            assert!(
                why.contains("a client library panicked at ") && why.contains(message),
                "{why}"
            );
        }
    }
}

#[test]
fn several_operations_on_one_connection_are_refused() {
    let mut order = order();
    order.lanes[0].intensity.depth = 2;
    let broken = refused(&order);
    assert!(broken.contains("leave out depth"), "{broken}");
}

/// This many connections in closed loop, beside two at 500 operations per second.
fn groups(connections: u32) -> Vec<Intensity> {
    let group = |connections, arrivals| Intensity { connections, depth: 1, arrivals };
    vec![group(connections, Arrivals::Closed), group(2, Arrivals::Constant(500.0))]
}

#[test]
fn each_group_has_connections_arrivals_and_an_end_of_its_own() {
    let (seen, counts) = driven(Behaviour::Answers, |lane_order| lane_order.groups = groups(4));
    let [many, few] = seen.groups.as_slice() else { panic!("two groups") };
    assert_eq!(seen.operations, counts.requests.load(Relaxed));
    assert_eq!(seen.operations, many.operations + few.operations);
    assert_eq!((ok_or_waiting(&seen), seen.unsent), (seen.operations, 0));
    // 80 ms of lane time.
    assert_eq!(few.operations, 40);
    assert!(many.operations >= 4 * 8, "{}", many.operations);
    assert_eq!((many.connections.opened, few.connections.opened), (4, 2));
    assert_eq!((many.connections.established, few.connections.established), (2 * 4, 2 * 2));
    assert_eq!((counts.most.load(Relaxed), counts.closed_cleanly.load(Relaxed)), (6, 6));
    for (at, slice) in seen.slices.iter().enumerate() {
        let took = [many.slices[at].took_ns, few.slices[at].took_ns];
        assert_eq!(Some(&slice.took_ns), took.iter().max());
        assert!(took.iter().all(|took| *took > 0));
        assert_eq!(slice.operations, many.slices[at].operations + few.slices[at].operations);
    }
}

#[test]
fn a_group_that_hangs_is_given_up_and_the_other_keeps_its_rate() {
    let (seen, counts) = driven(Behaviour::IsMute, |lane_order| {
        lane_order.groups = groups(1);
        lane_order.timeout_ns = 15 * MS;
    });
    let failed = |seen: &Seen| seen.outcomes.failed.get(&Failure::Timeout).copied().unwrap_or(0);
    assert_eq!(failed(&seen), seen.operations);
    let few = &seen.groups[1];
    assert_eq!(few.operations + few.unsent, 40);
    assert!(seen.groups[0].operations > 0);
    assert_eq!(counts.now.load(Relaxed), 0);
}

#[test]
fn a_pool_is_that_of_a_group() {
    let (seen, counts) = driven(Behaviour::Answers, |lane_order| {
        lane_order.groups = groups(8);
        lane_order.reuse = pool(3, 2_000 * MS, Maintenance::Neither);
    });
    // Two workers of an application do not use a third connection.
    assert_eq!((counts.most.load(Relaxed), seen.connections.opened), (3 + 2, 3 + 2));
    for group in &seen.groups {
        assert_eq!(group.phases.acquire.len(), group.operations);
    }
}

#[test]
fn groups_and_a_number_of_operations_are_refused() {
    let mut order = order();
    order.lanes[0].groups = groups(4);
    order.lanes[0].operations = Some(7);
    let broken = refused(&order);
    assert!(
        broken.contains("a number of operations cannot be set for a contender with groups"),
        "{broken}"
    );
}
