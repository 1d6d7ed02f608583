//! Clients of several real memcached servers: each key is on one of them, and a server that dies
//! takes only its own keys with it.

use crate::server::start;
use engine::{Numbers, Sharded};
use memcached::{MemcachedAccess, memcached_lanes};
use protocol::testing::{StoreServer, drive_one, lane, until_done, verified};
use record::{
    Address, Arrivals, Kind, LaneOrder, LaneTask, Reuse, Seen, ShardRule, Sharding, Workload,
};
use std::io::{Read, Write};
use std::net::TcpStream;
use wire::memcached::Dialect;

const KEYS: u64 = 600;
const OPERATIONS: u64 = 6000;

/// Three servers as one contender.
struct Servers {
    each: Vec<StoreServer>,
    access: MemcachedAccess,
}

impl Servers {
    fn start(rule: ShardRule, failover: bool) -> Servers {
        let each: Vec<StoreServer> = (0..3).map(|_| start(Dialect::Text)).collect();
        let name = |server: &StoreServer| (server.address.ip().to_string(), server.address.port());
        let sharding = Sharding { servers: 3, rule, failover };
        let sharded = Sharded { sharding, servers: each.iter().map(name).collect() };
        let (dialect, numbers) = (Dialect::Text, Numbers::new(8));
        Servers { each, access: MemcachedAccess { dialect, numbers, sharded: Some(sharded) } }
    }

    /// Starts the servers and loads the keys of the workload.
    fn loaded(rule: ShardRule, failover: bool, workload: &Workload) -> Servers {
        let servers = Servers::start(rule, failover);
        let seen = servers.drive(LaneTask::load(workload.clone()), KEYS);
        assert_eq!(seen.outcomes.ok, KEYS, "{rule:?}: {:?}", seen.outcomes);
        servers
    }

    fn lane(&self, doing: LaneTask, operations: u64) -> LaneOrder {
        let nodes = self.each.iter().map(|server| server.address).collect();
        LaneOrder {
            address: Address::Nodes(nodes),
            doing,
            operations: Some(operations),
            ..lane(self.each[0].address)
        }
    }

    fn drive(&self, doing: LaneTask, operations: u64) -> Seen {
        run(self.lane(doing, operations), &self.access)
    }

    /// Returns how many items each server holds.
    fn items(&self) -> Vec<u64> {
        self.each.iter().map(items).collect()
    }
}

fn run(lane: LaneOrder, access: &MemcachedAccess) -> Seen {
    let order = until_done(vec![lane]);
    drive_one(&order, memcached_lanes(&order, 0, access))
}

fn items(server: &StoreServer) -> u64 {
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    stream.write_all(b"stats\r\nquit\r\n").expect("it listens");
    let mut message = String::new();
    stream.read_to_string(&mut message).expect("it answers");
    let line = message.lines().find_map(|line| line.strip_prefix("STAT curr_items "));
    line.and_then(|count| count.parse().ok()).expect("a count of items")
}

fn gets() -> Workload {
    verified(KEYS, &[(Kind::Get, 1.0)])
}

#[test]
fn every_key_is_on_one_server_and_found_there() {
    for rule in &ShardRule::ALL {
        let servers = Servers::loaded(*rule, false, &gets());
        let items = servers.items();
        assert_eq!(items.iter().sum::<u64>(), KEYS, "{rule:?}: {items:?}");
        assert!(items.iter().all(|count| *count > KEYS / 10), "{rule:?}: {items:?}");
        let seen = servers.drive(LaneTask::Drive(gets()), OPERATIONS);
        assert_eq!(seen.outcomes.ok, OPERATIONS, "{rule:?}: {:?}", seen.outcomes);
        assert_eq!(seen.connections.opened, 4 * 3, "each client has one to every server");
    }
}

#[test]
fn every_policy_and_both_kinds_of_arrivals_reach_all_servers() {
    let servers = Servers::loaded(ShardRule::Ketama, false, &gets());
    for reuse in [Reuse::Never, Reuse::Times(3)] {
        for arrivals in [Arrivals::Closed, Arrivals::Constant(20_000.0)] {
            let mut lane = servers.lane(LaneTask::Drive(gets()), 2000);
            (lane.reuse, lane.intensity.arrivals) = (reuse, arrivals);
            let seen = run(lane, &servers.access);
            assert_eq!(seen.outcomes.ok, 2000, "{reuse:?} {arrivals:?}: {:?}", seen.outcomes);
        }
    }
}

/// Returns what is measured while all servers are up, while one is dead, and when it is back
/// without its keys.
fn dies_and_comes_back(rule: ShardRule, failover: bool, workload: &Workload) -> [Seen; 3] {
    let mut servers = Servers::loaded(rule, failover, workload);
    let drive = |servers: &Servers| servers.drive(LaneTask::Drive(workload.clone()), OPERATIONS);
    let up = drive(&servers);
    servers.each[1].kill();
    let dead = drive(&servers);
    servers.each[1].start_again();
    [up, dead, drive(&servers)]
}

fn failed(seen: &Seen) -> u64 {
    seen.outcomes.failed.values().sum()
}

#[test]
fn without_failover_a_dead_servers_keys_fail_and_the_others_are_untouched() {
    let [before, dead, back] = dies_and_comes_back(ShardRule::Modula, false, &gets());
    assert_eq!(before.outcomes.ok, before.operations, "{:?}", before.outcomes);
    let (all, failed) = (dead.operations, failed(&dead));
    assert_eq!(dead.outcomes.ok + failed, all, "{:?}", dead.outcomes);
    // A third of the keys fails; they are drawn uniformly.
    assert!((all / 5..all / 2).contains(&failed), "{:?}", dead.outcomes);
    let all = back.operations;
    assert_eq!(back.outcomes.ok + back.outcomes.miss, all, "{:?}", back.outcomes);
    assert!(back.outcomes.miss > all / 5, "it lost its keys: {:?}", back.outcomes);
}

#[test]
fn with_failover_a_dead_servers_keys_move_to_the_others() {
    let workload = verified(KEYS, &[(Kind::Get, 1.0), (Kind::Set, 1.0)]);
    for rule in [ShardRule::Consistent, ShardRule::Ketama, ShardRule::PhpMemcache] {
        let [.., dead, back] = dies_and_comes_back(rule, true, &workload);
        let (all, lost) = (dead.operations, failed(&dead));
        // Each client notices separately, and tries again from time to time.
        assert!(lost < all / 20, "{rule:?}: {:?}", dead.outcomes);
        assert!(dead.outcomes.miss > 0, "{rule:?}: what moves is not there yet");
        assert_eq!(dead.outcomes.ok + dead.outcomes.miss + lost, all, "{rule:?}");
        assert_eq!(failed(&back), 0, "{rule:?}: {:?}", back.outcomes);
    }
}
