//! Every kind of operation on a table, prepared and as text.

use crate::common::{in_one_slice, order, workload};
use crate::proxy::{BATCH, EXECUTE, PREPARE, Proxy, QUERY};
use crate::{access, driven};
use record::{Kind, LaneTask, Share, Verify, Workload};

const OPERATIONS: u64 = 40;

/// Returns a workload of this kind; the null server has one value for all keys.
fn only(kind: Kind) -> Workload {
    let mix = vec![Share { kind, weight: 1.0 }];
    Workload { mix, verify: Verify::Off, ..workload("kv") }
}

#[test]
fn each_operation_is_one_request() {
    let driving = [Kind::Get, Kind::Set, Kind::Add, Kind::Delete, Kind::Scan(10)];
    let driving = driving.map(|kind| LaneTask::Drive(only(kind)));
    for doing in driving.into_iter().chain([LaneTask::Ask]) {
        for prepares in [true, false] {
            let proxy = Proxy::new();
            let order = in_one_slice(order(proxy.address(), doing.clone()), OPERATIONS);
            let seen = driven(&order, &access(prepares));
            assert_eq!(seen.outcomes.ok, OPERATIONS, "{doing:?}: {:?}", seen.outcomes);
            // The library prepares and executes its own requests about the cluster.
            let (own, queries) = (proxy.requests(PREPARE), proxy.requests(QUERY));
            let executed = proxy.requests(EXECUTE);
            if prepares {
                assert!(executed > OPERATIONS && executed <= OPERATIONS + own, "{executed} {own}");
            } else {
                assert!(queries >= OPERATIONS && executed <= own, "{queries} {executed} {own}");
            }
        }
    }
}

#[test]
fn a_load_writes_each_key() {
    let proxy = Proxy::new();
    let keys = only(Kind::Set);
    let order = in_one_slice(order(proxy.address(), LaneTask::load(keys.clone())), keys.keys);
    let seen = driven(&order, &access(true));
    assert_eq!(seen.outcomes.ok, keys.keys, "{:?}", seen.outcomes);
    let (executed, own) = (proxy.requests(EXECUTE), proxy.requests(PREPARE));
    assert!((keys.keys..=keys.keys + own).contains(&executed), "{executed}");
}

/// A partition has 100 columns of 380 bytes, and a batch at most 5 KiB of one partition.
#[test]
fn a_load_of_wide_rows_writes_each_column_in_a_batch() {
    let proxy = Proxy::new();
    let wide = Workload { keys: 3, ..workload("wide-rows") };
    let columns = wide.to_load();
    let order = in_one_slice(order(proxy.address(), LaneTask::load(wide)), columns);
    let seen = driven(&order, &access(true));
    assert_eq!((seen.outcomes.ok, columns), (600, 600), "{:?}", seen.outcomes);
    assert_eq!(proxy.batched(), 600);
    let batches = proxy.requests(BATCH);
    assert!((60..=120).contains(&batches), "{batches}: 6 partitions, 11 columns of each at a time");
}
