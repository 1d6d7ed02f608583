//! Cassandra, through its Thrift interface: up to version 3.11.
#![forbid(unsafe_code)]

mod lane;
mod null;
mod side_channel;

pub use lane::{ThriftAccess, ThriftEpoch, VALUE_COLUMN, thrift_lanes};

use engine::store::StoreEncoding;
use engine::{MakeLane, grouped};
use lane::ThriftWords;
use protocol::side_channel::SideChannel;
use protocol::{
    Access, Artifact, Examples, Family, Login, NotReady, NullLane, NullVariant, Path, Protocol,
    Query, ReadyRequest, Recipe, Scheme, Software, Store, StoreParts, is_identifier,
};
use record::{Address, Consistency, DriveOrder};
use testserver::null::Data;
use wire::thrift;

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "cassandra+thrift",
    title: "Cassandra (Thrift)",
    schemes: &[Scheme::nodes("cassandra+thrift", 9160)],
    example: "cassandra+thrift://127.0.0.1:9160/KEYSPACE",
    login: Login::Optional,
    path: Path::Name { what: "keyspace", fits: is_identifier },
    query: Query::Words(&[]),
    family: Family::Store(Store { dialects: &[], is_sharded: false, has_commands: false, connect }),
    // A call of describe_version, in a frame.
    ready: ReadyRequest::Answers(b"\0\0\0\x1d\x80\x01\0\x01\0\0\0\x10describe_version\0\0\0\0\0"),
    not_ready,
    consistency: &[
        Consistency::One,
        Consistency::Two,
        Consistency::Three,
        Consistency::Quorum,
        Consistency::All,
        Consistency::LocalQuorum,
        Consistency::EachQuorum,
    ],
    lacks: ThriftWords::lacks,
    codes: || {
        let codes = thrift::codes::TABLE.iter();
        codes.map(|(code, name)| (*code, (*name).to_owned())).collect()
    },
    null: Some(|| Box::new(null::Thrift(Data::of_kv()))),
    examples: Examples {
        compare: &[(
            "one=cassandra+thrift://127.0.0.1/app all=cassandra+thrift://127.0.0.1/app --set all.consistency=all",
            "one store: one replica must answer, or all of them must",
        )],
        load: &[],
        setup: &[],
    },
    recipes: &[
        Recipe {
            name: "cassandra-1.2",
            text: concat!(
                include_str!("../recipes/cassandra-1.2.toml"),
                include_str!("../recipes/common/1.2.toml")
            ),
        },
        Recipe {
            name: "cassandra-1.2-cluster",
            text: concat!(
                include_str!("../recipes/cassandra-1.2-cluster.toml"),
                include_str!("../recipes/common/1.2.toml")
            ),
        },
    ],
    software: &[Software {
        name: "cassandra-1.2",
        version: "1.2.8",
        title: "Cassandra",
        setup: "cassandra",
        installed: None,
        artifact: Artifact::Archive {
            group: "org.apache.cassandra",
            name: "apache-cassandra",
            kind: "tar.gz:bin",
        },
        checksums: include_str!("../software/cassandra-1.2.8.sha256"),
    }],
    null_variants: &[NullVariant::new("Thrift", plain).deep().fresh()],
    ..Protocol::USUAL
};

impl Access for ThriftAccess {
    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        grouped(order, contender, |order| thrift_lanes(order, contender, self))
    }

    fn null_lane(&self) -> Option<NullLane> {
        Some(NullLane { access: plain(), name: Some("Thrift".to_owned()), service: ROW.null })
    }

    fn side_channel(
        &self,
        address: &Address,
        _table: Option<&str>,
    ) -> Option<Box<dyn SideChannel>> {
        Some(Box::new(side_channel::Cluster::new(self, address)))
    }

    fn keep_rows_in(&mut self, table: &str, is_wide: bool) {
        (self.family, self.is_wide) = (table.into(), is_wide);
    }
}

/// Thrift without a login.
fn plain() -> Box<dyn Access> {
    Box::new(ThriftAccess::without_log_in())
}

/// Makes the access to an address such as `cassandra+thrift://user:password@…/keyspace`.
fn connect(parts: StoreParts) -> Result<Box<dyn Access>, String> {
    let user = parts.user.as_deref().map(|user| (user, parts.password.as_deref().unwrap_or("")));
    let opening = |keyspace| {
        let opening = thrift::Opening::new(&thrift::Login { user, keyspace });
        opening.map_err(|fault| fault.0.to_owned())
    };
    Ok(Box::new(ThriftAccess {
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

/// Explains the exception with which a node answers.
fn not_ready(code: u16) -> NotReady {
    match code {
        thrift::codes::AUTHENTICATION => NotReady::Never(
            "it rejects the user or the password: cassandra+thrift://USER:PASSWORD@HOST/KEYSPACE",
        ),
        thrift::codes::AUTHORIZATION => {
            NotReady::Never("it does not allow this user to access the keyspace")
        }
        _ => NotReady::ERROR,
    }
}
