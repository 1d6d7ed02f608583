//! Before the pilot: what the lanes of this run cost by themselves, so that the
//! audit can say where the generator may be what was measured.

use crate::conformance::alone;
use record::{Address, Asked, Contender, Doing, Plan};

/// Each lane is driven so often, for so long. The cheapest round counts, so the
/// first one is warm-up enough; some thousand operations tell a cost to a few per
/// cent, and a run must not become noticeably longer.
const ROUNDS: u32 = 3;
const ROUND_NS: u64 = 15_000_000;
/// Connections of a lane at most: enough to keep it busy, and few enough for any
/// limit of descriptors, since the null server has the other end of each.
const MOST_CONNECTIONS: u32 = 32;

/// The order, and its lanes' contenders by number; none where there is nothing to
/// drive. One worker is enough: what a worker costs does not depend on how many
/// there are, and one null server would be slower than several of them.
pub(super) fn order(plan: &Plan) -> Option<(Asked, Vec<usize>)> {
    let workers = plan.generator_cores.len().max(1) as u32;
    let known = plan.contenders.iter().enumerate();
    let known: Vec<usize> =
        known.filter(|(_, contender)| comparable(contender)).map(|(at, _)| at).collect();
    let lanes = known.iter().map(|at| {
        let contender = &plan.contenders[*at];
        let connections = (contender.connections / workers).clamp(1, MOST_CONNECTIONS);
        alone::lane(connections, contender.depth, contender.reuse, doing(contender))
    });
    let order = Asked {
        seed: plan.seed,
        cores: plan.generator_cores.last().copied().into_iter().collect(),
        warm_up_ns: 0,
        rounds: ROUNDS,
        first_round: 1,
        round_ns: ROUND_NS,
        slice_ns: ROUND_NS,
        lanes: lanes.collect(),
    };
    (!known.is_empty()).then_some((order, known))
}

/// The null server answers over loopback. Over a network, where the other end
/// costs this machine nothing, and over a unix socket a lane costs less than that:
/// a limit that was too low would accuse a generator that has room.
fn comparable(contender: &Contender) -> bool {
    matches!(contender.address, Address::Tcp(address) if address.ip().is_loopback())
}

fn doing(contender: &Contender) -> Doing {
    match &contender.workload {
        // The null server answers a database's cheapest statement, and no other.
        _ if contender.sql.is_some() => Doing::Ask,
        Some(workload) if contender.is_store() => Doing::Drive(alone::workload(workload.verify)),
        _ => Doing::Ask,
    }
}
