//! Queries Cassandra about itself through its Thrift interface, and manages the column family with
//! a contender's rows.
//!
//! It never drops anything. It creates a missing keyspace, and a missing column family with the
//! comment of tiebreak's tables; only a column family with this comment is emptied for a load.

use crate::{ThriftAccess, VALUE_COLUMN};
use protocol::secrets::quote;
use protocol::side_channel::{
    About, ServerStart, SideChannel, StoreConnection, StoreReply, TABLE_COMMENT, TasksLeft,
};
use record::{Address, Fact, Workload};
use std::time::{Duration, Instant};
use text::fnv::fnv1a;
use wire::Class;
use wire::thrift::{
    Admin, Column, Consistency, Family, Keyspace, Limits, Op, Opening, Parent, Thrift, codes,
};

/// How long queries to a busy server may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a change of the schema may take. Before a column family is emptied, it is saved to disk
/// unless `auto_snapshot` is off.
const SCHEMA_TIMEOUT: Duration = Duration::from_secs(60);
/// How long nodes may take to have the same schema.
const AGREEMENT_TIMEOUT: Duration = Duration::from_secs(20);
/// The pause between two checks that all nodes have the same schema.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(100);
/// The largest reply in bytes: the description of a keyspace contains all its column families.
const LONGEST_ANSWER: u32 = 1 << 20;
/// The super column of a note, in a family with super columns.
const NOTE_SUPER_COLUMN: &[u8] = b"note";
/// The version of the schema of nodes that cannot be reached.
const UNREACHABLE: &[u8] = b"UNREACHABLE";

/// A cluster to query.
pub(super) struct Cluster {
    access: ThriftAccess,
    address: Address,
}

impl Cluster {
    /// The cluster at this address.
    pub(super) fn new(access: &ThriftAccess, address: &Address) -> Cluster {
        Cluster { access: access.clone(), address: address.clone() }
    }

    /// The partitioner, and how the keyspace is replicated.
    fn settings(&self, connection: &mut StoreConnection<Thrift>) -> Result<String, String> {
        let partitioner = answer(connection, &Op::Admin(Admin::Partitioner))?.into_first();
        let keyspace = match self.keyspace(connection)? {
            None => "does not exist yet".to_owned(),
            Some(found) => {
                let options = found.options.iter();
                let options: Vec<String> = options
                    .map(|(name, value)| format!(" {} {}", quote(name), quote(value)))
                    .collect();
                format!("{}{}", class(&found.strategy), options.join(","))
            }
        };
        let (partitioner, name) = (class(&partitioner), &self.access.keyspace);
        Ok(format!("partitioner {partitioner}, keyspace {name}: {keyspace}"))
    }

    fn read(
        &self,
        connection: &mut StoreConnection<Thrift>,
        key: &str,
    ) -> Result<Option<Vec<u8>>, String> {
        let (key, parent, consistency) = (key.as_bytes(), self.parent(), Consistency::Quorum);
        let column = self.note_column();
        let reply = answer(connection, &Op::Get { key, parent, column, consistency })?;
        reply.into_value()
    }

    /// The position of a note in its row.
    fn parent(&self) -> Parent<'_> {
        let super_column = self.access.is_wide.then_some(NOTE_SUPER_COLUMN);
        Parent { family: self.access.family.as_bytes(), super_column }
    }

    /// The name of a note's column. In a super column names are numbers.
    fn note_column(&self) -> &'static [u8] {
        if self.access.is_wide { &[0; 8] } else { VALUE_COLUMN }
    }

    /// The description of the keyspace. Returns None if it does not exist.
    fn keyspace(
        &self,
        connection: &mut StoreConnection<Thrift>,
    ) -> Result<Option<Keyspace>, String> {
        let reply = answer(connection, &Op::Admin(Admin::Keyspace(&self.access.keyspace)))?;
        match reply.into_value()? {
            Some(bytes) => Keyspace::read(&bytes).map(Some).map_err(|fault| fault.0.to_owned()),
            None => Ok(None),
        }
    }

    /// The contender's column family, if it is there.
    fn family<'a>(&self, keyspace: &'a Keyspace) -> Option<&'a Family> {
        keyspace.families.iter().find(|family| family.name == self.access.family.as_bytes())
    }

    /// A connection without a selected keyspace.
    fn connection_to_ask(&self) -> Result<StoreConnection<Thrift>, String> {
        self.connection_with(&self.access.opening_to_ask, TIMEOUT)
    }

    fn connection(&self, timeout: Duration) -> Result<StoreConnection<Thrift>, String> {
        self.connection_with(&self.access.opening, timeout)
    }

    fn connection_with(
        &self,
        opening: &Opening,
        timeout: Duration,
    ) -> Result<StoreConnection<Thrift>, String> {
        let limits = Limits { frame_bytes: LONGEST_ANSWER };
        let codec = Thrift::new(opening.clone(), limits, 1);
        let connection = StoreConnection::open(&self.address, codec, codes::name, timeout)?;
        Ok(connection.with_values_of(LONGEST_ANSWER))
    }
}

impl SideChannel for Cluster {
    fn query(&self) -> Result<About, String> {
        let mut connection = self.connection_to_ask()?;
        let version = version(&mut connection)?;
        let setting = self.settings(&mut connection)?;
        let start = start(&mut connection)?;
        let fact =
            |command: &str, line: String| Fact { command: command.to_owned(), line: Some(line) };
        Ok(About {
            start: Some(start),
            facts: vec![fact("version", version), fact("cluster", setting)],
            ..About::default()
        })
    }

    /// The value under this key in the contender's column family, if tiebreak made that family.
    fn read_fingerprint(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        let found = self.keyspace(&mut self.connection_to_ask()?)?;
        let is_ours = found.as_ref().and_then(|found| self.family(found)).is_some_and(is_ours);
        if !is_ours {
            return Ok(None);
        }
        self.read(&mut self.connection(TIMEOUT)?, key)
    }

    /// Keeps a note. It is read back, because an older one would win if the clock was set back.
    fn write_fingerprint(&self, key: &str, text: &str) -> Result<(), String> {
        let mut connection = self.connection(TIMEOUT)?;
        let column = Column {
            name: self.note_column(),
            value: text.as_bytes().into(),
            timestamp: self.access.epoch.timestamp(),
            ttl: None,
        };
        let (row, parent, consistency) = (key.as_bytes(), self.parent(), Consistency::Quorum);
        answer(&mut connection, &Op::Insert { key: row, parent, column, consistency })?;
        if self.read(&mut connection, key)?.as_deref() == Some(text.as_bytes()) {
            Ok(())
        } else {
            Err("it holds a record of a load with a later timestamp: check whether its clock \
                     was set back"
                .to_owned())
        }
    }

    fn remove_fingerprint(&self, key: &str) -> Result<(), String> {
        let mut connection = self.connection(TIMEOUT)?;
        let timestamp = self.access.epoch.timestamp();
        let (key, parent, consistency) = (key.as_bytes(), self.parent(), Consistency::Quorum);
        let column = self.note_column();
        let delete = Op::Delete { key, parent, column, timestamp, consistency };
        answer(&mut connection, &delete).map(drop)
    }

    /// Makes sure that the contender's column family exists and is empty.
    ///
    /// # Errors
    /// If tiebreak did not make the existing one, or if the schema cannot be changed.
    fn create_tables(&self, _workload: &Workload) -> Result<(), String> {
        let (keyspace, name) = (&*self.access.keyspace, &*self.access.family);
        let mut connection = self.connection_with(&self.access.opening_to_ask, SCHEMA_TIMEOUT)?;
        let found = self.keyspace(&mut connection)?;
        if found.is_none() {
            let replication = self.access.replication.to_string();
            let add = Admin::AddKeyspace { name: keyspace, replication: &replication };
            answer(&mut connection, &Op::Admin(add))?;
            agree(&mut connection)?;
        }
        let mut connection = self.connection(SCHEMA_TIMEOUT)?;
        match found.as_ref().and_then(|found| self.family(found)) {
            None => {
                let (comment, is_super) = (TABLE_COMMENT, self.access.is_wide);
                let add = Admin::AddFamily { keyspace, name, comment, is_super };
                answer(&mut connection, &Op::Admin(add))?;
                agree(&mut connection)
            }
            Some(family) if is_ours(family) => {
                let emptied = answer(&mut connection, &Op::Admin(Admin::Truncate(name)));
                emptied.map(drop).map_err(|why| {
                    format!(
                        "`{name}` cannot be truncated, which requires all nodes to be up: \
                             {why}"
                    )
                })
            }
            Some(_) => Err(format!(
                "the column family `{name}` of the keyspace `{keyspace}` was not made by tiebreak \
                 and would be emptied by the load: drop it yourself, or use another keyspace"
            )),
        }
    }

    fn work_left(&self) -> Option<Result<TasksLeft, String>> {
        Some(Err("Cassandra's Thrift interface does not report compactions".to_owned()))
    }
}

fn is_ours(family: &Family) -> bool {
    family.comment == TABLE_COMMENT.as_bytes()
}

/// Sends a query. An exception other than NotFound is an error, with the server's own words.
fn answer(
    connection: &mut StoreConnection<Thrift>,
    question: &Op<'_>,
) -> Result<StoreReply, String> {
    let reply = connection.ask(question)?;
    let Some(Class::Error(code)) = reply.class() else { return Ok(reply) };
    let name = codes::name(code).unwrap_or("an error");
    match reply.into_first() {
        why if why.is_empty() => Err(format!("it answers {name}")),
        why => Err(format!("it answers {name}: {}", quote(why))),
    }
}

/// `Cassandra 1.2.8, Thrift interface 19.36.0`. Versions before 1.2 do not report their version.
fn version(connection: &mut StoreConnection<Thrift>) -> Result<String, String> {
    let interface = quote(answer(connection, &Op::DescribeVersion)?.into_first());
    let release = Admin::Cql("SELECT release_version FROM system.local");
    let release =
        answer(connection, &Op::Admin(release)).map_or_else(|_| Vec::new(), StoreReply::into_first);
    let release =
        if release.is_empty() { "of an unknown version".to_owned() } else { quote(release) };
    Ok(format!("Cassandra {release}, Thrift interface {interface}"))
}

/// Identifies the cluster by its name and its tokens. Its data survives its processes.
fn start(connection: &mut StoreConnection<Thrift>) -> Result<ServerStart, String> {
    let mut cluster = answer(connection, &Op::Admin(Admin::ClusterName))?.into_first();
    let mut tokens = answer(connection, &Op::Admin(Admin::TokenMap))?.items;
    tokens.sort_unstable();
    for token in tokens {
        cluster.push(b' ');
        cluster.extend_from_slice(&token);
    }
    Ok(ServerStart::Run(format!("{:016x}", fnv1a(&cluster))))
}

/// Waits until all nodes that can be reached have the same schema.
fn agree(connection: &mut StoreConnection<Thrift>) -> Result<(), String> {
    let deadline = Instant::now() + AGREEMENT_TIMEOUT;
    loop {
        let versions = answer(connection, &Op::Admin(Admin::SchemaVersions))?.items;
        if versions.iter().filter(|version| *version != UNREACHABLE).count() <= 1 {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!(
                "its nodes did not agree on the schema within {AGREEMENT_TIMEOUT:?} of a \
                 change: find the node that lags behind (nodetool describecluster)"
            ));
        }
        std::thread::sleep(BETWEEN_QUESTIONS);
    }
}

/// The name of a class without its package.
fn class(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    quote(name.rsplit('.').next().unwrap_or_default())
}
