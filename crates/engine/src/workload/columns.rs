//! Columns of wide rows and their values.
//!
//! A row is one user and one type of the user. Its columns are named by their times. The loaded
//! ones have the times 0 to 99; operation *n* writes at time 100 + *n*, at which nothing was
//! written before. So a time determines the key and version of the value: for a loaded column a
//! separate key at version 0, for an inserted one the first key of its row at version *n* + 1.

use super::Drawn;
use crate::random::Random;
use record::Kind;
use record::workload::{COLUMNS_OF_ROW, TYPES_OF_USER};

/// How many columns [`Kind::Newest`] reads.
pub const NEWEST_COLUMNS: u32 = 20;

/// Names of the types that each user has.
const TYPES: [&str; TYPES_OF_USER as usize] = ["type-0", "type-1"];

/// The random number of an operation that determines its place within a user.
const IN_USER: u64 = u64::MAX;

/// One column of a wide row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its row; each user has two.
    pub row: u64,
    /// Its time, which is its name.
    pub time: u64,
}

impl Column {
    /// Returns the column of an operation on wide rows. For [`Kind::Newest`] only the row
    /// matters.
    pub fn of(drawn: &Drawn) -> Column {
        let (row, loaded) = (drawn.key / COLUMNS_OF_ROW, drawn.key % COLUMNS_OF_ROW);
        let time = match drawn.version.checked_sub(1) {
            Some(n) => COLUMNS_OF_ROW + n,
            None => loaded,
        };
        Column { row, time }
    }

    /// Returns the key of its value.
    pub fn key(self) -> u64 {
        let first = self.row * COLUMNS_OF_ROW;
        if self.time < COLUMNS_OF_ROW { first + self.time } else { first }
    }

    /// Returns the version of its value: 0 if it was loaded.
    pub fn version(self) -> u64 {
        self.time.saturating_sub(COLUMNS_OF_ROW - 1)
    }

    /// Returns the name of its type.
    pub fn type_name(self) -> &'static str {
        TYPES[(self.row % TYPES_OF_USER) as usize]
    }

    /// Returns its time as a signed number, as databases store it.
    pub fn at(self) -> i64 {
        self.time.cast_signed()
    }

    /// Returns its time as bytes that sort in the order of times.
    pub fn name(self) -> [u8; 8] {
        self.time.to_be_bytes()
    }
}

/// Returns the user whose column has a value with this key.
pub(super) fn user(key: u64) -> u64 {
    key / (TYPES_OF_USER * COLUMNS_OF_ROW)
}

/// Returns the key of an operation on wide rows for this user; `bits` are random bits of the
/// operation.
pub(super) fn key(kind: Kind, user: u64, bits: u64) -> u64 {
    let drawn = Random::new(bits, IN_USER).below((TYPES_OF_USER * COLUMNS_OF_ROW) as usize) as u64;
    let key = user * TYPES_OF_USER * COLUMNS_OF_ROW + drawn;
    match kind {
        Kind::OneColumn => key,
        _ => key - key % COLUMNS_OF_ROW,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::wide;
    use super::*;
    use crate::workload::{Operations, Space, preset};
    use record::Workload;

    fn operations(mix: &[(Kind, f64)]) -> Operations {
        Operations::new(&wide(mix), 5).expect("sound")
    }

    #[test]
    fn the_load_writes_each_column_once_in_the_order_of_its_rows() {
        let operations = operations(&[(Kind::Newest, 1.0)]);
        let columns: Vec<Column> = (0..40 * 200)
            .map(|n| {
                let drawn = operations.loading(n);
                assert_eq!((drawn.kind, drawn.space), (Kind::InsertColumn, Space::Columns));
                Column::of(&drawn)
            })
            .collect();
        let wanted = (0..80).flat_map(|row| (0..100).map(move |time| Column { row, time }));
        assert_eq!(columns, wanted.collect::<Vec<_>>());
    }

    #[test]
    fn a_time_tells_key_and_version() {
        for (column, wanted) in [
            (Column { row: 3, time: 0 }, (300, 0)),
            (Column { row: 3, time: 99 }, (399, 0)),
            (Column { row: 3, time: 100 }, (300, 1)),
            (Column { row: 3, time: 1234 }, (300, 1135)),
        ] {
            assert_eq!((column.key(), column.version()), wanted, "{column:?}");
        }
        // A server can send any number as the name of a column.
        assert_eq!(Column { row: 0, time: u64::MAX }.version(), u64::MAX - 99);
    }

    #[test]
    fn operation_n_writes_at_a_time_of_its_own() {
        let operations = operations(&[(Kind::Newest, 1.0), (Kind::InsertColumn, 1.0)]);
        let inserts: Vec<(u64, Drawn)> = (0..1000)
            .map(|n| (n, operations.operation(n)))
            .filter(|(_, drawn)| drawn.kind == Kind::InsertColumn)
            .collect();
        assert!(inserts.len() > 400, "{}", inserts.len());
        for (n, drawn) in inserts {
            let column = Column::of(&drawn);
            assert_eq!(column.time, 100 + n);
            assert_eq!((column.key(), column.version()), (drawn.key, drawn.version));
            assert!(operations.gives(drawn.key, drawn.version), "{n}");
            assert!(!operations.gives(drawn.key + 1, drawn.version), "{n}");
        }
        assert!(operations.gives(7999, 0) && !operations.gives(8000, 0), "the loaded ones");
    }

    #[test]
    fn reads_stay_within_the_hot_users_and_meet_all_types_and_columns() {
        let mix = [(Kind::Newest, 1.0), (Kind::OneColumn, 1.0), (Kind::InsertColumn, 1.0)];
        let operations = operations(&mix);
        let drawn: Vec<Drawn> = (0..20_000).map(|n| operations.operation(n)).collect();
        let different = |kind: Kind, what: fn(&Drawn) -> u64| {
            let of_kind = drawn.iter().filter(|drawn| drawn.kind == kind);
            of_kind.map(what).collect::<std::collections::HashSet<u64>>().len()
        };
        let users = |kind| different(kind, |drawn| user(drawn.key));
        assert_eq!([Kind::Newest, Kind::OneColumn, Kind::InsertColumn].map(users), [4, 4, 40]);
        assert_eq!(different(Kind::Newest, |drawn| Column::of(drawn).row), 8);
        assert_eq!(different(Kind::OneColumn, |drawn| drawn.key), 800);
        assert_eq!(different(Kind::InsertColumn, |drawn| drawn.key), 80);
    }

    #[test]
    fn a_row_is_named_by_its_user_and_its_type() {
        let operations = operations(&[(Kind::Newest, 1.0)]);
        let named = |n: u64| {
            let (drawn, mut name) = (operations.loading(n), Vec::new());
            operations.write_key(drawn.space, drawn.key, &mut name);
            (String::from_utf8(name).expect("digits"), Column::of(&drawn).type_name())
        };
        assert_eq!(named(399), ("p:u000000000001".to_owned(), "type-1"));
        assert_eq!(named(400), ("p:u000000000002".to_owned(), "type-0"));
    }

    #[test]
    fn no_other_operations_are_beside_those_on_wide_rows() {
        let both = wide(&[(Kind::Newest, 1.0), (Kind::Get, 1.0)]);
        let wrong = Operations::new(&both, 1).err();
        assert!(wrong.is_some_and(|why| why.to_string().contains("wide rows")));
        let groups = Workload { groups: vec![1, 1], ..preset("wide-rows").expect("a preset") };
        assert!(Operations::new(&groups, 1).is_ok(), "times of groups differ");
    }
}
