//! Drawing operations, naming keys, writing values and checking them allocates nothing: the hot
//! path does all four.

use crate::counting;
use engine::workload::{Check, Operations, preset};
use record::{Distribution, KeysAs, Kind, Share, ValuesAs};

fn operations(distribution: Distribution, hashed: bool) -> Operations {
    let mut workload = preset("ycsb-a").expect("a preset");
    if hashed {
        (workload.keys_as, workload.values_as) = (KeysAs::Md5, ValuesAs::Crc32);
    }
    workload.distribution = distribution;
    workload.mix = [Kind::MultiGet(4), Kind::Set, Kind::Insert]
        .map(|kind| Share { kind, weight: 1.0 })
        .to_vec();
    Operations::new(&workload, 1).expect("sane")
}

/// Draws, names, writes and checks. Returns how many values were right.
fn drive(operations: &Operations, out: &mut Vec<u8>) -> u64 {
    let values = operations.values();
    let mut right = 0;
    for n in 0..10_000 {
        let drawn = operations.operation(n);
        out.clear();
        for i in 0..4 {
            operations.write_key(drawn.space, operations.key_of(&drawn, i), out);
        }
        let named = out.len();
        values.write(drawn.key, drawn.version, out);
        let mut check = Check::new(true);
        out[named..].chunks(100).for_each(|piece| check.piece(&values, piece));
        right += u64::from(
            check.end(&values, drawn.key).is_some_and(|end| end.length_right && end.bytes_right),
        );
    }
    right
}

pub(crate) fn nothing_is_allocated_for_an_operation() {
    let mut out = Vec::with_capacity(2000);
    for distribution in [
        Distribution::Uniform,
        Distribution::Sequential,
        Distribution::Zipf(0.99),
        Distribution::Hotspot { keys: 0.2, operations: 0.8 },
        Distribution::Latest,
        Distribution::YcsbZipfian,
    ] {
        for hashed in [false, true] {
            let operations = operations(distribution, hashed);
            let before = counting::allocations_of_thread();
            let right = drive(&operations, &mut out);
            let after = counting::allocations_of_thread();
            assert_eq!((right, after - before), (10_000, 0), "{distribution:?} {hashed}");
        }
    }
}
