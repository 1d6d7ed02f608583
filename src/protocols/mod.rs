//! The table of the protocols that this build speaks. No other file knows one.

use protocol::{Protocol, Protocols};

/// All protocols that this build speaks.
pub(crate) static PROTOCOLS: Protocols = Protocols {
    built_in: BUILT_IN,
    left_out: LEFT_OUT,
    not_supported: &[(
        "docker",
        "tiebreak does not start images; start the container yourself, with a published port \
         (docker run -p 127.0.0.1:8080:80 IMAGE), and give its address, such as \
         http://127.0.0.1:8080/",
    )],
};

static BUILT_IN: &[&Protocol] = &[
    &http::ROW,
    &websocket::ROW,
    #[cfg(feature = "memcached")]
    &memcached::ROW,
    #[cfg(feature = "redis")]
    &redis::ROW,
    #[cfg(feature = "cassandra")]
    &cassandra::ROW,
    #[cfg(feature = "thrift")]
    &thrift::ROW,
    #[cfg(feature = "postgres")]
    &postgres::ROW,
    #[cfg(feature = "mysql")]
    &mysql::ROW,
    #[cfg(feature = "oracle")]
    &oracle::ROW,
    &files::ROW,
    &program::ROW,
];

static LEFT_OUT: &[(&str, &str)] = &[
    #[cfg(not(feature = "memcached"))]
    ("memcached", "cargo build --release --features memcached"),
    #[cfg(not(feature = "redis"))]
    ("redis", "cargo build --release --features redis"),
    #[cfg(not(feature = "cassandra"))]
    ("cassandra", "cargo build --release --features cassandra"),
    #[cfg(not(feature = "thrift"))]
    ("cassandra+thrift", "cargo build --release --features thrift"),
    #[cfg(not(feature = "postgres"))]
    ("postgres", "cargo build --release --features postgres"),
    #[cfg(not(feature = "mysql"))]
    ("mysql", "cargo build --release --features mysql"),
    #[cfg(not(feature = "oracle"))]
    ("oracle", "cargo build --release --features oracle"),
];

#[cfg(test)]
mod address_tests;
#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{ReadyRequest, TargetKind};
    use std::collections::BTreeSet;

    #[test]
    fn no_two_protocols_have_a_scheme_in_common() {
        let all: Vec<&str> =
            PROTOCOLS.iter().flat_map(|row| row.schemes).map(|scheme| scheme.name).collect();
        let different: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), different.len(), "{all:?}");
    }

    #[test]
    fn the_first_scheme_is_the_plain_one_and_the_name() {
        for row in PROTOCOLS.iter() {
            assert_eq!(row.schemes[0].name, row.name);
            assert!(!row.schemes[0].tls, "{}", row.name);
            assert!(row.example.starts_with(row.name), "{}", row.example);
        }
    }

    #[test]
    fn every_protocol_with_a_server_is_asked_something_at_first() {
        for row in PROTOCOLS.iter() {
            let has_server = row.schemes.iter().any(|scheme| scheme.to == TargetKind::Host);
            assert_eq!(row.ready != ReadyRequest::NoServer, has_server, "{}", row.name);
        }
    }
}
