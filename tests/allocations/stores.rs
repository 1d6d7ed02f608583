//! After warm-up a lane of a store allocates nothing, including operations of two requests and
//! user-defined commands: ten times the operations make no more allocations.

use crate::thrift_server::server::Cassandra;
use crate::{counting, memcached_server, redis_server};
use engine::workload::preset;
use protocol::testing::{StoreServer, lane, until_done};
use record::{
    Custom, CustomOperation, Kind, LaneTask, OperationText, Parameter, Share, Step, ValueBytes,
    Workload,
};
use wire::memcached::Dialect;
use wire::resp::Protocol;

fn workload(kinds: &[Kind]) -> Workload {
    let step = |bytes| Step { bytes, weight: 1.0 };
    Workload {
        keys: 200,
        value: ValueBytes::Steps(vec![step(32), step(1000)]),
        mix: kinds.iter().map(|&kind| Share { kind, weight: 1.0 }).collect(),
        commands: vec![vec!["SET".to_owned(), "{key}".to_owned(), "{number}-{value}".to_owned()]],
        custom: custom(),
        groups: Vec::new(),
        ..preset("kv").expect("a preset")
    }
}

/// Returns a command with a parameter of every kind that is drawn for each operation.
fn custom() -> Custom {
    const FROM: [&str; 8] = [
        "uniform(-5, 5_000_000)",
        "zipf(1000, 0.99)",
        "seq()",
        "bytes(10, 60)",
        "text(20)",
        "pattern(\"##-@@\")",
        "pick(\"a\", 3)",
        "now()",
    ];
    let named = |(at, from): (usize, &&str)| Parameter {
        name: format!("p{at}"),
        from: from.parse().expect("a generator"),
    };
    let parameters: Vec<Parameter> = FROM.iter().enumerate().map(named).collect();
    let places = parameters.iter().map(|of| format!("{{{}}}", of.name));
    let words = ["RPUSH".to_owned(), "mine".to_owned()].into_iter().chain(places);
    let says = OperationText::Command(words.collect());
    let operation = CustomOperation { name: "push".to_owned(), parameters, says };
    Custom { operations: vec![operation], ..Custom::default() }
}

/// A server under test: a process, or threads of this one that allocate nothing for a call.
enum Partner {
    Process(StoreServer),
    Threads(Box<Cassandra>),
}

impl Partner {
    fn drive(&self, doing: LaneTask, operations: u64, depth: u32) {
        let address = match self {
            Partner::Process(server) => server.address,
            Partner::Threads(server) => server.address(),
        };
        let mut lane = lane(address);
        (lane.doing, lane.operations, lane.intensity.depth) = (doing, Some(operations), depth);
        let mut order = until_done(vec![lane]);
        let seen = match self {
            Partner::Process(server) => server.drive_one(&mut order),
            Partner::Threads(server) => server.drive(&mut order),
        };
        let outcomes = &seen.outcomes;
        assert_eq!(outcomes.ok + outcomes.conflict, operations, "{outcomes:?}");
    }

    fn allocations(&self, workload: &Workload, operations: u64, depth: u32) -> u64 {
        let before = counting::allocations();
        self.drive(LaneTask::Drive(workload.clone()), operations, depth);
        counting::allocations() - before
    }
}

pub(crate) fn ten_times_the_operations_make_no_allocation_more() {
    use Kind::{Cas, Command, Get, Incr, MultiGet, ReadModifyWrite, Set};
    let both = [Get, Set, ReadModifyWrite, Incr];
    let memcached = workload(&[&both[..], &[Cas]].concat());
    let redis = workload(&[&both[..], &[Command(0), Kind::Custom(0)]].concat());
    let cassandra = workload(&[Get, Set, ReadModifyWrite, MultiGet(5)]);
    for (partner, name, workload) in [
        (Partner::Process(memcached_server::start(Dialect::Text)), "memcached", memcached),
        (Partner::Process(redis_server::start(Protocol::Resp2)), "RESP2", redis),
        (Partner::Threads(Box::new(Cassandra::start(None))), "Thrift", cassandra),
    ] {
        partner.drive(LaneTask::load(workload.clone()), workload.to_load(), 8);
        for depth in [1, 16] {
            // The first run also includes what is allocated once in a process.
            partner.allocations(&workload, 500, depth);
            let few = partner.allocations(&workload, 2_000, depth);
            let many = partner.allocations(&workload, 20_000, depth);
            // Replies that are cut at the end of the buffer are held in memory of the
            // connection, which grows until the longest fits.
            assert!(many <= few + 20, "{name} {depth}: {few} for 2000, {many} for 20000");
        }
    }
}
