//! Cassandra, through its Thrift interface: up to version 3.11.

use super::store::{Store, StoreParts};
use super::{Family, Login, NullVariant, Path, Protocol, Query, Ready, Scheme};
use crate::protocol::access::Access;
use drivers::cassandra;
use engine::{ThriftAccess, ThriftEpoch, thrift_lacks};
use record::Consistency;
use testserver::null::Service;
use wire::thrift;

pub(super) static ROW: Protocol = Protocol {
    name: "cassandra+thrift",
    title: "Cassandra (Thrift)",
    schemes: &[Scheme::nodes("cassandra+thrift", 9160)],
    example: "cassandra+thrift://127.0.0.1:9160/KEYSPACE",
    login: Login::Optional,
    path: Path::Name { what: "keyspace", fits: cassandra::is_keyspace },
    query: Query::Words(&[]),
    family: Family::Store(Store { dialects: &[], is_sharded: false, has_commands: false, connect }),
    // A call of describe_version, in a frame.
    ready: Ready::Answers(b"\0\0\0\x1d\x80\x01\0\x01\0\0\0\x10describe_version\0\0\0\0\0"),
    no_depth: None,
    no_groups: None,
    consistency: &[
        Consistency::One,
        Consistency::Two,
        Consistency::Three,
        Consistency::Quorum,
        Consistency::All,
        Consistency::LocalQuorum,
        Consistency::EachQuorum,
    ],
    lacks: thrift_lacks,
    codes: || {
        let codes = thrift::codes::TABLE.iter();
        codes.map(|(code, name)| (*code, (*name).to_owned())).collect()
    },
    null: Some(Service::Stores),
    null_variants: &[NullVariant { name: "Thrift", deep: true, fresh: true, access: plain }],
};

/// Thrift without a login.
pub(crate) fn plain() -> Access {
    Access::Thrift(ThriftAccess::without_log_in())
}

/// Makes the access to an address such as `cassandra+thrift://user:password@…/keyspace`.
fn connect(parts: StoreParts) -> Result<Access, String> {
    let user = parts.user.as_deref().map(|user| (user, parts.password.as_deref().unwrap_or("")));
    let opening = |keyspace| {
        let opening = thrift::Opening::new(&thrift::Login { user, keyspace });
        opening.map_err(|fault| fault.0.to_owned())
    };
    Ok(Access::Thrift(ThriftAccess {
        opening: opening(Some(&parts.name))?,
        opening_to_ask: opening(None)?,
        keyspace: parts.name.into(),
        // Both are filled in later, when the contender has a number.
        family: "".into(),
        is_wide: false,
        consistency: level(parts.consistency.unwrap_or(Consistency::One)),
        replication: parts.replication,
        numbers: parts.numbers,
        epoch: ThriftEpoch::now(),
    }))
}

/// Converts a level to that of the interface.
fn level(level: Consistency) -> thrift::Consistency {
    match level {
        Consistency::Two => thrift::Consistency::Two,
        Consistency::Three => thrift::Consistency::Three,
        Consistency::Quorum => thrift::Consistency::Quorum,
        Consistency::All => thrift::Consistency::All,
        Consistency::LocalQuorum => thrift::Consistency::LocalQuorum,
        Consistency::EachQuorum => thrift::Consistency::EachQuorum,
        // Versions before 2.0 do not know local-one, the interface has no levels for
        // transactions, and the row of the protocol has none of these.
        Consistency::One
        | Consistency::LocalOne
        | Consistency::Serial
        | Consistency::LocalSerial => thrift::Consistency::One,
    }
}
