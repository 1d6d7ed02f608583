//! Workloads that have a name.

use record::{Distribution, Kind, ValueBytes, Verify, Workload};

/// The names that [`preset`] knows.
pub const PRESETS: [&str; 8] =
    ["kv", "ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f", WIDE_ROWS];

/// The preset whose operations are on wide rows: it cannot be combined with other operations,
/// and its operations cannot be used elsewhere.
pub const WIDE_ROWS: &str = "wide-rows";

/// Returns the workload of this name, without a prefix.
///
/// `ycsb-a` to `ycsb-f` have the mixes and the request distributions of YCSB's
/// `workloads/workloada` to `workloadf`. What differs:
/// - A record is one value of 1000 bytes, and not ten fields of 100. A store of
///   keys and values has no fields: an update writes all 1000 bytes, where
///   YCSB's writes one field of 100; a read returns 1000 bytes in both.
/// - There are 100 000 keys; the 1000 in YCSB's files fit any cache.
/// - Values are incompressible; YCSB's are printable text.
/// - Keys have 12 digits after a prefix, and not a hash after `user`.
/// - In `ycsb-e` scans begin at loaded keys; YCSB's also begin at inserted ones.
/// - Read-modify-write is one operation, and its halves are distinguished in a table of
///   their own; YCSB counts them as reads and updates too.
///
/// `wide-rows` has 1000 users, each with 2 types of 100 columns; its reads stay within 10 %
/// of the users.
pub fn preset(name: &str) -> Option<Workload> {
    use Distribution::{Latest, YcsbZipfian};
    use Kind::{Get, Insert, InsertColumn, Newest, ReadModifyWrite, Scan, Set};
    Some(match name {
        "kv" => {
            let value = ValueBytes::Fixed(32);
            Workload { value, ..workload(Distribution::Uniform, &[(Get, 0.9), (Set, 0.1)]) }
        }
        "ycsb-a" => workload(YcsbZipfian, &[(Get, 0.5), (Set, 0.5)]),
        "ycsb-b" => workload(YcsbZipfian, &[(Get, 0.95), (Set, 0.05)]),
        "ycsb-c" => workload(YcsbZipfian, &[(Get, 1.0)]),
        "ycsb-d" => workload(Latest, &[(Get, 0.95), (Insert, 0.05)]),
        "ycsb-e" => workload(YcsbZipfian, &[(Scan(100), 0.95), (Insert, 0.05)]),
        "ycsb-f" => workload(YcsbZipfian, &[(Get, 0.5), (ReadModifyWrite, 0.5)]),
        WIDE_ROWS => {
            let (value, hot) = (ValueBytes::Fixed(380), 0.1);
            let mix = [(Newest, 10.0 / 11.0), (InsertColumn, 1.0 / 11.0)];
            Workload { keys: 1000, value, hot, ..workload(Distribution::Uniform, &mix) }
        }
        _ => return None,
    })
}

fn workload(distribution: Distribution, mix: &[(Kind, f64)]) -> Workload {
    let (value, verify) = (ValueBytes::Fixed(1000), Verify::Sample);
    Workload { keys: 100_000, distribution, value, verify, ..Workload::of(mix) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_workload_and_weights_that_add_up_to_one() {
        for name in PRESETS {
            let workload = preset(name).expect("a preset");
            let sum: f64 = workload.mix.iter().map(|share| share.weight).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{name}: {sum}");
        }
        assert_eq!(preset("ycsb-g"), None);
    }
}
