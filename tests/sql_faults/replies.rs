//! Replies that are larger than what a lane may keep.

use crate::Servers;
use crate::common::mariadb;
use crate::common::postgres;
use crate::common::{MS, PATIENCE, in_one_slice, order, with};
use drivers::Database;
use record::{Address, Failure, LaneTask, Seen, SqlProtocol};

/// The peak memory of this process since the last call, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it says");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    // Resets the peak.
    std::fs::write("/proc/self/clear_refs", "5").expect("our own");
    kilobytes * 1024
}

pub(crate) fn large_replies(servers: &Servers) {
    const BYTES: u64 = 100_000_000;
    let Servers { pg, my } = servers;
    let once = |address| {
        let mut once = in_one_slice(order(address, LaneTask::Ask), 1);
        once.lanes[0].timeout_ns = 60_000 * MS;
        once
    };
    let from = |rows: &str| format!("SELECT repeat('x', 10000) FROM {rows}");
    let check = |drive: &dyn Fn() -> Seen, what: &str| {
        peak();
        let before = peak();
        let seen = drive();
        let grew = peak().saturating_sub(before);

        assert_eq!(seen.outcomes.ok, 1, "{what}: {:?}", seen.outcomes);
        // A histogram has three digits.
        let bytes = seen.body_bytes.max().expect("one reply");
        assert!(bytes.abs_diff(BYTES) < BYTES / 500, "{what}: {bytes}");
        assert!(grew < BYTES / 4, "{what}: {grew} bytes more memory");
    };
    let reply_bytes = Some(2 * BYTES);
    for protocol in [SqlProtocol::Simple, SqlProtocol::Extended, SqlProtocol::Prepared] {
        let query = from("generate_series(1, 10000)");
        let access = with(pg.access("t"), |of| {
            of.common.query = query;
            of.sending = protocol;
            of.common.reply_bytes = reply_bytes;
        });
        check(&|| postgres::driven(&once(pg.tcp()), &access), &format!("{protocol:?}"));
    }
    for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
        let query = from("seq_1_to_10000");
        let access = with(my.access("t"), |of| {
            of.common.query = query;
            of.sending = protocol;
            of.common.reply_bytes = reply_bytes;
        });
        check(&|| mariadb::driven(&once(my.tcp()), &access), &format!("{protocol:?}"));
    }
}

/// Replies over the limit are counted as too large.
pub(crate) fn too_large_replies(servers: &Servers) {
    let Servers { pg, my } = servers;
    let once = |address| in_one_slice(order(address, LaneTask::Ask), 1);
    let too_large = |seen: &Seen, what: &str| {
        let failed = seen.outcomes.failed.get(&Failure::TooLarge);
        assert_eq!(failed, Some(&1), "{what}: {:?}", seen.outcomes);
    };
    let from = |rows: &str| format!("SELECT repeat('x', 1000) FROM {rows}");
    for reply_bytes in [None, Some(50_000)] {
        for protocol in [SqlProtocol::Simple, SqlProtocol::Extended, SqlProtocol::Prepared] {
            let query = from("generate_series(1, 10000)");
            let access = with(pg.access("t"), |of| {
                of.common.query = query;
                of.sending = protocol;
                of.common.reply_bytes = reply_bytes;
            });
            let seen = postgres::driven(&once(pg.tcp()), &access);
            too_large(&seen, &format!("{protocol:?} {reply_bytes:?}"));
        }
        for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
            let query = from("seq_1_to_10000");
            let access = with(my.access("t"), |of| {
                of.common.query = query;
                of.sending = protocol;
                of.common.reply_bytes = reply_bytes;
            });
            let seen = mariadb::driven(&once(my.tcp()), &access);
            too_large(&seen, &format!("{protocol:?} {reply_bytes:?}"));
        }
    }
    let rows = from("seq_1_to_10000");
    for address in [my.tcp(), my.unix()] {
        let by_tcp = matches!(address, Address::Tcp(_));
        let access = if by_tcp { my.access("t") } else { my.root() };
        let refused = access.ask(&address, std::slice::from_ref(&rows), PATIENCE);
        let why = refused.expect_err("10 MB are no answer to a question").why;
        assert!(why.contains("the reply is longer than 1048576 bytes"), "{address}: {why}");
    }
}
