//! Servers whose replies are too long. The library does not limit their length.

use crate::common::{MS, in_one_slice, order, took_at_least};
use crate::counted::only;
use crate::name_of;
use crate::proxy::{Fault, Proxy, Which, string};
use crate::{access, driven, driven_alone};
use record::LaneTask;

const OPERATIONS: u64 = 8;
/// Far less than the longest reply would need.
const MOST_MEMORY: u64 = 1 << 30;

/// Returns the beginning of a frame that announces this many bytes.
fn announced(bytes: u32) -> Vec<u8> {
    [b"\x84\0\0\x01\x08", &bytes.to_be_bytes()[..], b"x"].concat()
}

/// Returns the maximum memory that this process has used, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

/// The library allocates what is announced, whether or not it arrives.
#[test]
fn a_reply_that_would_fill_the_memory_is_given_up_with_its_connection() {
    for fault in [Fault::Stop(announced(2 << 30)), Fault::Flood(announced(3 << 30))] {
        let what = format!("{fault:?}");
        let proxy = Proxy::with(Which::OneIn(1), fault);
        let mut order = in_one_slice(order(proxy.address(), LaneTask::Ask), OPERATIONS);
        order.lanes[0].timeout_ns = 60_000 * MS;
        let seen = driven_alone(&order, &access(true));
        assert_eq!(only(&seen, name_of, "too_large", &what), seen.operations, "{what}");
        assert_eq!(seen.operations, OPERATIONS, "{what}");
        assert!(!took_at_least(&seen, 30_000 * MS), "{what}: nobody waits for it");
        assert!(peak() < MOST_MEMORY, "{what}: {} bytes", peak());
    }
}

/// Returns a reply of one row with one column of this many bytes.
fn row_of(bytes: u32) -> Vec<u8> {
    let columns = [&1u32.to_be_bytes()[..], &1u32.to_be_bytes()].concat();
    let of_table = [string("app"), string("t")].concat();
    let column = [string("marked"), vec![0, 3]].concat();
    let rows = [&1u32.to_be_bytes()[..], &bytes.to_be_bytes()].concat();
    let value = vec![b'x'; bytes as usize];
    [&2u32.to_be_bytes()[..], &columns, &of_table, &column, &rows, &value].concat()
}

#[test]
fn a_reply_of_more_bytes_than_were_allowed_fails_and_others_do_not() {
    for (allowed, bytes, wanted) in [
        (Some(1000), 900, None),
        (Some(1000), 1000, Some("too_large")),
        (None, 3 << 20, None),
        (None, 4 << 20, Some("too_large")),
    ] {
        let proxy = Proxy::with(Which::OneIn(2), Fault::Result(row_of(bytes)));
        let order = in_one_slice(order(proxy.address(), LaneTask::Ask), OPERATIONS);
        let mut access = access(false);
        access.common.reply_bytes = allowed;
        let seen = driven(&order, &access);
        let what = format!("{bytes} of {allowed:?}");
        match wanted {
            None => assert_eq!(seen.outcomes.ok, OPERATIONS, "{what}: {:?}", seen.outcomes),
            Some(class) => {
                assert_eq!(only(&seen, name_of, class, &what), OPERATIONS / 2, "{what}");
            }
        }
        assert_eq!(proxy.given(), OPERATIONS / 2, "{what}");
    }
}
