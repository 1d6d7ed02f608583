//! A lane for Cassandra's Thrift interface. The value of a key is the only column of its row.

use engine::store::{NO_ORDER, StoreEncoding, store_lanes};
use engine::workload::{Column as Place, Drawn, Feeds, NEWEST_COLUMNS, Space};
use engine::{MakeLane, NO_COMMANDS, Numbers, Parts, clock};
use record::{DriveOrder, Kind, LaneTask};
use std::sync::Arc;
use wire::List;
use wire::thrift::{Column, Columns, Consistency, Limits, Login, Op, Opening, Parent, Thrift};

/// The name of the column that holds the value of a key.
pub const VALUE_COLUMN: &[u8] = b"value";

/// How to access Cassandra's Thrift interface. No `Debug`: the openings hold a password.
#[derive(Clone)]
pub struct ThriftAccess {
    /// What is sent on every new connection.
    pub opening: Opening,
    /// What is sent on a connection that only asks about the server: the opening without the keyspace, which
    /// need not exist before the load.
    pub opening_to_ask: Opening,
    /// The keyspace.
    pub keyspace: Arc<str>,
    /// The column family of the contender's rows.
    pub family: Arc<str>,
    /// It has super columns for wide rows.
    pub is_wide: bool,
    /// How many replicas must have answered an operation.
    pub consistency: Consistency,
    /// Copies of each row in a keyspace that a load creates.
    pub replication: u32,
    /// The number of the next operation, kept from one call of the engine to the next.
    pub numbers: Numbers,
    /// The epoch of the timestamps, the same for all lanes of a run because the later of two
    /// writes of a key wins.
    pub epoch: ThriftEpoch,
}

impl ThriftAccess {
    /// Creates the access without a login and without a keyspace, as for the null server.
    pub fn without_log_in() -> ThriftAccess {
        let opening = Opening::new(&Login::default()).expect("nothing is too long");
        ThriftAccess {
            opening_to_ask: opening.clone(),
            opening,
            keyspace: "tiebreak".into(),
            family: "tiebreak00".into(),
            is_wide: false,
            consistency: Consistency::One,
            replication: 1,
            numbers: Numbers::new(1),
            epoch: ThriftEpoch::now(),
        }
    }
}

/// What is added to the engine's clock to get microseconds since 1970. It is read once: a
/// clock that is set during a run must not let an earlier write win.
#[derive(Clone, Copy, Debug)]
pub struct ThriftEpoch {
    offset_ns: u64,
}

impl ThriftEpoch {
    /// Reads the machine's clocks.
    pub fn now() -> ThriftEpoch {
        ThriftEpoch { offset_ns: clock::since_1970().saturating_sub(clock::now()) }
    }

    /// Returns the timestamp of a column that is written now: microseconds since 1970.
    #[inline]
    pub fn timestamp(self) -> i64 {
        (clock::now().saturating_add(self.offset_ns) / 1000) as i64
    }
}

/// Hands out the timestamps of one worker's writes.
struct Timestamps {
    epoch: ThriftEpoch,
    last: i64,
}

impl Timestamps {
    /// Returns a timestamp later than all before: two writes in one microsecond would be ordered
    /// by their bytes.
    #[inline]
    fn next(&mut self) -> i64 {
        self.last = self.epoch.timestamp().max(self.last + 1);
        self.last
    }
}

pub(crate) struct ThriftWords {
    opening: Opening,
    family: Arc<str>,
    consistency: Consistency,
    timestamps: Timestamps,
    /// The name of a column of a wide row.
    name: [u8; 8],
}

impl ThriftWords {
    /// Returns an operation on a wide row: the super column is the type, and columns are named
    /// by their times.
    #[inline]
    fn operation_on_columns<'a>(&'a mut self, drawn: &Drawn, parts: Parts<'a>) -> Op<'a> {
        let place = Place::of(drawn);
        self.name = place.name();
        let (key, consistency) = (parts.key(), self.consistency);
        let super_column = Some(place.type_name().as_bytes());
        let parent = Parent { family: self.family.as_bytes(), super_column };
        match drawn.kind {
            Kind::Newest => {
                let (start, finish): (&[u8], &[u8]) = (&[], &[]);
                let columns =
                    Columns::Range { start, finish, reversed: true, count: NEWEST_COLUMNS };
                Op::Slice { key, parent, columns, names: true, consistency }
            }
            Kind::OneColumn => Op::Get { key, parent, column: &self.name, consistency },
            _ => {
                let (value, timestamp) = (parts.value.into(), self.timestamps.next());
                let column = Column { name: &self.name, value, timestamp, ttl: None };
                Op::Insert { key, parent, column, consistency }
            }
        }
    }
}

impl StoreEncoding for ThriftWords {
    type Codec = Thrift;

    fn codec(&self, depth: u32) -> Thrift {
        Thrift::new(self.opening.clone(), Limits::default(), depth)
    }

    fn ready(&self) -> Op<'_> {
        Op::DescribeVersion
    }

    fn lacks(kind: Kind) -> Option<&'static str> {
        match kind {
            Kind::Scan(_) => Some(NO_ORDER),
            Kind::Add | Kind::Replace | Kind::Cas => Some(
                "not every version of Cassandra's Thrift interface has conditional writes: \
                 leave out add, replace and cas",
            ),
            Kind::Append => Some("Cassandra cannot append to a value: leave out append"),
            Kind::Incr | Kind::Decr => Some(
                "Cassandra counts only in counter column families, which tiebreak does not create: \
                 leave out incr and decr",
            ),
            Kind::Touch => {
                Some("Cassandra cannot change only the TTL of a column: leave out touch")
            }
            Kind::Command(_) | Kind::Custom(_) => Some(NO_COMMANDS),
            Kind::Get
            | Kind::MultiGet(_)
            | Kind::Set
            | Kind::Insert
            | Kind::Delete
            | Kind::ReadModifyWrite
            | Kind::Newest
            | Kind::OneColumn
            | Kind::InsertColumn => None,
        }
    }

    #[inline]
    fn operation<'a>(&'a mut self, drawn: &Drawn, parts: Parts<'a>) -> Op<'a> {
        if drawn.space == Space::Columns {
            return self.operation_on_columns(drawn, parts);
        }
        let (key, consistency, column) = (parts.key(), self.consistency, VALUE_COLUMN);
        let parent = Parent { family: self.family.as_bytes(), super_column: None };
        match drawn.kind {
            Kind::Get => Op::Get { key, parent, column, consistency },
            Kind::MultiGet(_) => Op::MultiSlice {
                keys: List::Packed { bytes: parts.keys, ends: parts.ends },
                parent,
                columns: Columns::Named(List::Slices(&[VALUE_COLUMN])),
                consistency,
            },
            Kind::Set | Kind::Insert => {
                let (value, timestamp) = (parts.value.into(), self.timestamps.next());
                let column = Column { name: column, value, timestamp, ttl: None };
                Op::Insert { key, parent, column, consistency }
            }
            Kind::Delete => {
                let timestamp = self.timestamps.next();
                Op::Delete { key, parent, column, timestamp, consistency }
            }
            Kind::ReadModifyWrite => unreachable!("sent as two requests"),
            Kind::Newest | Kind::OneColumn | Kind::InsertColumn => {
                unreachable!("their keys have a space of their own")
            }
            Kind::Add
            | Kind::Replace
            | Kind::Append
            | Kind::Incr
            | Kind::Decr
            | Kind::Touch
            | Kind::Cas
            | Kind::Scan(_)
            | Kind::Command(_)
            | Kind::Custom(_) => unreachable!("refused when the lane was made"),
        }
    }
}

/// Returns the lanes of one contender of the order, one for each worker.
///
/// # Panics
/// Panics if the order has no such contender.
pub fn thrift_lanes(order: &DriveOrder, contender: usize, access: &ThriftAccess) -> Vec<MakeLane> {
    let opening = match order.lanes[contender].doing {
        LaneTask::Ask => &access.opening_to_ask,
        LaneTask::Drive(_) | LaneTask::Load(_) => &access.opening,
    };
    let (opening, family) = (opening.clone(), access.family.clone());
    let (consistency, epoch) = (access.consistency, access.epoch);
    store_lanes(order, contender, &access.numbers, &Feeds::default(), None, move || ThriftWords {
        opening: opening.clone(),
        family: family.clone(),
        consistency,
        timestamps: Timestamps { epoch, last: 0 },
        name: [0; 8],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_only_grow_and_are_those_of_the_machine() {
        let mut timestamps = Timestamps { epoch: ThriftEpoch::now(), last: 0 };
        let all: Vec<i64> = (0..10_000).map(|_| timestamps.next()).collect();
        assert!(all.windows(2).all(|two| two[0] < two[1]));
        let now = (clock::since_1970() / 1000) as i64;
        // More than one in a microsecond make the timestamps run ahead of the clock.
        assert!((now - all[0]).abs() < 60_000_000, "{now} {}", all[0]);
    }

    #[test]
    fn what_is_not_there_is_refused_by_name() {
        for (kind, named) in [
            (Kind::Cas, "cas"),
            (Kind::Append, "append"),
            (Kind::Incr, "incr"),
            (Kind::Touch, "touch"),
            (Kind::Scan(10), "scan"),
        ] {
            assert!(ThriftWords::lacks(kind).is_some_and(|why| why.contains(named)), "{kind:?}");
        }
        assert_eq!(ThriftWords::lacks(Kind::ReadModifyWrite), None);
    }
}
