//! Several workloads at once on a real database: what each group counts is what the server did, and readers
//! know what writers of another group wrote.

use super::{MS, all_ok, order, workload};
use record::{Address, Arrivals, DriveOrder, Intensity, Kind, LaneTask, Seen, Share, Workload};

const RATE: f64 = 400.0;

/// One group reads, the other writes. So few keys that what is read was mostly
/// written by the other.
pub(crate) fn reads_and_writes() -> Workload {
    let share = |kind| Share { kind, weight: 1.0 };
    let mix = vec![share(Kind::Get), share(Kind::Set)];
    Workload { keys: 60, mix, groups: vec![1, 1], ..workload("kv") }
}

/// Four readers in closed loop beside one writer at a rate for each worker.
pub(crate) fn readers_and_writers(address: Address, of: &Workload, workers: u32) -> DriveOrder {
    let group = |connections, arrivals| Intensity { connections, depth: 1, arrivals };
    let mut order = order(address, LaneTask::Drive(of.clone()));
    order.cores = if workers == 1 { Vec::new() } else { (0..workers).collect() };
    order.round_ns = 300 * MS;
    order.lanes[0].groups =
        vec![group(4, Arrivals::Closed), group(workers, Arrivals::Constant(RATE))];
    order
}

/// Asserts that each group has as many operations as the server carried out for it.
pub(crate) fn holds(seen: &Seen, (reads, writes): (u64, u64), what: &str) {
    let [readers, writers] = seen.groups.as_slice() else { panic!("two groups") };
    all_ok(seen, what);
    assert_eq!((readers.operations, writers.operations), (reads, writes), "{what}");
    assert_eq!(seen.operations, reads + writes, "{what}");
    let sending: u64 = seen.slices.iter().map(|slice| slice.sending_ns).sum();
    let due = (RATE * sending as f64 / 1e9).round() as u64;
    assert_eq!((writers.operations, writers.unsent), (due, 0), "{what}: the rate is kept");
    assert!(writers.operations > 2 * 60 && readers.operations > writers.operations, "{what}");
    let kinds = |of: &Seen| of.kinds.iter().map(|of| of.kind).collect::<Vec<_>>();
    assert_eq!((kinds(readers), kinds(writers)), (vec![Kind::Get], vec![Kind::Set]));
}
