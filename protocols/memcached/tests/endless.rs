//! Servers that never stop sending.

use engine::Numbers;
use memcached::{MemcachedAccess, memcached_lanes};
use protocol::testing::{drive_one, endless, impatient_of_keys};
use wire::memcached::Dialect;

#[test]
fn a_memcached_that_never_stops_is_given_up() {
    for dialect in [Dialect::Text, Dialect::Meta] {
        // A value that never ends, and words that are not answers.
        for (begins, again) in [("VALUE k 0 1000000000\r\n", "xxxxxxxx"), ("", "MN\r\n")] {
            let (address, counts) = endless(begins.to_owned(), again, (1, b""));
            let order = impatient_of_keys(address);
            let access = MemcachedAccess { dialect, numbers: Numbers::new(1), sharded: None };
            let lanes = memcached_lanes(&order, 0, &access);
            let seen = drive_one(&order, lanes);
            assert!(seen.operations >= 2, "{dialect:?} {again:?}: {:?}", seen.outcomes);
            assert_eq!((seen.outcomes.ok, counts.outlasted()), (0, 0), "{dialect:?} {again:?}");
        }
    }
}
