//! Measures before the pilot what the lanes of this run cost by themselves, so that the audit can
//! say whether the generator limited the result.

use crate::run::conformance::alone;
use record::{Contender, DriveOrder, LaneOrder, LaneTask, Plan, RequestPlan};

/// How long each lane is driven, in pieces. The cheapest piece counts, since nothing disturbed it;
/// the first one serves as warm-up. A piece must be long enough for some hundred operations, and
/// short compared with disturbances.
const DRIVEN_NS: u64 = 45_000_000;
const PIECE_NS: u64 = 5_000_000;
/// The maximum number of connections of a lane: enough to keep it busy, and few enough for any
/// limit of descriptors, since the null server holds the other end of each.
const MOST_CONNECTIONS: u32 = 32;

/// The lanes that can be driven against the null server, each with its contender's number.
pub(super) fn lanes(plan: &Plan) -> Vec<(usize, LaneOrder)> {
    let workers = plan.workers();
    let known = plan.contenders.iter().enumerate().filter(|(_, contender)| comparable(contender));
    let lane = |(at, contender): (usize, &Contender)| {
        let members = contender.asks.members();
        let connections = (contender.intensity.connections / workers).clamp(1, MOST_CONNECTIONS);
        // At least one room, and only whole rooms.
        let connections = (connections / members).max(1) * members;
        (
            at,
            alone::lane(
                connections,
                contender.intensity.depth,
                contender.reuse,
                lane_task(contender),
            ),
        )
    };
    known.map(lane).collect()
}

/// The order that drives them. One worker is enough: its cost does not depend on the number of
/// workers, and one null server would be slower than several workers.
pub(super) fn order(plan: &Plan, lanes: Vec<LaneOrder>) -> DriveOrder {
    DriveOrder {
        seed: plan.seed,
        cores: plan.generator_cores.last().copied().into_iter().collect(),
        rounds: 1,
        first_round: 1,
        round_ns: DRIVEN_NS,
        slice_ns: PIECE_NS,
        lanes,
        ..DriveOrder::default()
    }
}

/// The largest number of members of a room whose lane is driven against the null server.
const MOST_MEMBERS: u32 = 256;

/// The null server answers over loopback. A lane costs less over a network, where the other end
/// costs this machine nothing, and over a unix socket: a limit that was too low would blame a
/// generator that has capacity left.
fn comparable(contender: &Contender) -> bool {
    let nodes = contender.address.nodes();
    contender.asks.members() <= MOST_MEMBERS
        && !nodes.is_empty()
        && nodes.iter().all(|node| node.ip().is_loopback())
}

fn lane_task(contender: &Contender) -> LaneTask {
    match &contender.asks {
        RequestPlan::Store(work) | RequestPlan::Files(work) => {
            LaneTask::Drive(alone::workload(work.workload.verify))
        }
        // The null server answers a database's cheapest statement, and no other.
        _ => LaneTask::Ask,
    }
}
