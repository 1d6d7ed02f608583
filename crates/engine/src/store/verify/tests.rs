//! Replies of wide rows, both as stores send them and with faults.

use super::*;
use crate::store::{Parts, Task};
use crate::workload::tests::wide;

/// One worker's operations on wide rows.
struct Worker {
    encoder: Encoder,
    verifier: Verifier,
}

/// A column as a store sends it: its name and its value.
type Sent = (Vec<u8>, Vec<u8>);

impl Worker {
    fn new(mix: &[(Kind, f64)]) -> Worker {
        let workload = Workload { verify: Verify::All, ..wide(mix) };
        let encoder = Encoder::new(&workload, 5, 1, Task::Drive).expect("sound");
        Worker { encoder, verifier: Verifier::new(Verify::All, &workload, 0, 1) }
    }

    /// Returns the first operation from `n` on that is of this kind.
    fn first(&self, kind: Kind, n: u64) -> Drawn {
        let mut all = (n..).map(|n| self.encoder.drawn(n));
        all.find(|drawn| drawn.kind == kind).expect("one of them")
    }

    /// Sends it.
    fn sends(&mut self, drawn: Drawn) -> Memo {
        let mut memo = Memo::default();
        self.verifier.sent(drawn, &mut memo);
        memo
    }

    /// Returns the column of this time in the row of an operation.
    fn column(&self, drawn: &Drawn, time: u64) -> Sent {
        let column = Column { time, ..Column::of(drawn) };
        let mut value = Vec::new();
        self.encoder.values.write(column.key(), column.version(), &mut value);
        (column.name().to_vec(), value)
    }

    /// Returns the columns of these times.
    fn columns(&self, drawn: &Drawn, times: impl Iterator<Item = u64>) -> Vec<Sent> {
        times.map(|time| self.column(drawn, time)).collect()
    }

    /// Returns the outcome of a reply with these columns, received whole and cut into pieces.
    fn outcome(&mut self, drawn: Drawn, columns: &[Sent]) -> Outcome {
        let items = columns.len() as u32;
        let mut memo = self.sends(drawn);
        for (name, value) in columns {
            self.verifier.column(&self.encoder, &mut memo, name, value);
        }
        let whole = self.verifier.outcome(&self.encoder, &mut memo, items);
        let mut memo = self.sends(drawn);
        for (item, (name, value)) in (0..).zip(columns) {
            for piece in name.chunks(3).chain(value.chunks(100)) {
                self.verifier.piece(&self.encoder, &mut memo, item, piece);
            }
        }
        assert_eq!(self.verifier.outcome(&self.encoder, &mut memo, items), whole);
        whole
    }
}

/// Returns the same operation with another key.
fn with_key(mut drawn: Drawn, key: u64) -> Drawn {
    drawn.key = key;
    drawn
}

const NEWEST: [(Kind, f64); 2] = [(Kind::Newest, 1.0), (Kind::InsertColumn, 1.0)];

#[test]
fn the_newest_loaded_columns_are_right() {
    let mut worker = Worker::new(&NEWEST);
    let newest = worker.first(Kind::Newest, 0);
    let columns = worker.columns(&newest, (80..100).rev());
    assert_eq!(worker.outcome(newest, &columns), Outcome::Ok);
}

#[test]
fn columns_in_another_order_are_wrong() {
    let mut worker = Worker::new(&NEWEST);
    let newest = worker.first(Kind::Newest, 0);
    let mut columns = worker.columns(&newest, (80..100).rev());
    columns.swap(4, 5);
    assert_eq!(worker.outcome(newest, &columns), Outcome::Wrong);
    columns = worker.columns(&newest, 80..100);
    assert_eq!(worker.outcome(newest, &columns), Outcome::Wrong);
    columns = worker.columns(&newest, (80..100).rev());
    columns[7] = columns[6].clone();
    assert_eq!(worker.outcome(newest, &columns), Outcome::Wrong, "twice the same");
}

#[test]
fn a_column_that_is_missing_makes_a_miss() {
    let mut worker = Worker::new(&NEWEST);
    let newest = worker.first(Kind::Newest, 0);
    for times in [81..100, 99..100, 0..0] {
        let columns = worker.columns(&newest, times.rev());
        assert_eq!(worker.outcome(newest, &columns), Outcome::Miss, "{} columns", columns.len());
    }
    let with_gap = worker.columns(&newest, (79..100).rev().filter(|time| *time != 90));
    assert_eq!(worker.outcome(newest, &with_gap), Outcome::Miss);
    let without_newest = worker.columns(&newest, (79..99).rev());
    assert_eq!(worker.outcome(newest, &without_newest), Outcome::Miss);
}

#[test]
fn one_column_too_many_is_wrong() {
    let mut worker = Worker::new(&NEWEST);
    let newest = worker.first(Kind::Newest, 0);
    let columns = worker.columns(&newest, (79..100).rev());
    assert_eq!(worker.outcome(newest, &columns), Outcome::Wrong);
}

#[test]
fn a_value_that_does_not_belong_to_its_time_or_row_is_wrong() {
    let mut worker = Worker::new(&NEWEST);
    let newest = worker.first(Kind::Newest, 0);
    let columns = worker.columns(&newest, (80..100).rev());
    let others: [fn(&mut Sent); 5] = [
        |column| column.1[200] ^= 1,
        |column| column.1[0] ^= 1,
        |column| column.1.truncate(379),
        |column| column.1.clear(),
        |column| column.0.truncate(7),
    ];
    for (number, change) in others.iter().enumerate() {
        let mut changed = columns.clone();
        change(&mut changed[3]);
        assert_eq!(worker.outcome(newest, &changed), Outcome::Wrong, "change {number}");
    }
    let other_type = (Column::of(&newest).row ^ 1) * COLUMNS_OF_ROW;
    let other_row = with_key(newest, other_type);
    let columns = worker.columns(&other_row, (80..100).rev());
    assert_eq!(worker.outcome(newest, &columns), Outcome::Wrong);
}

#[test]
fn a_column_that_no_operation_inserts_there_is_wrong() {
    let mut worker = Worker::new(&NEWEST);
    let insert = worker.first(Kind::InsertColumn, 50);
    let row = |drawn: &Drawn| Column::of(drawn).row;
    let newest = with_key(worker.first(Kind::Newest, 60), insert.key);
    let with = |worker: &Worker, time| {
        let first = worker.column(&newest, time);
        [vec![first], worker.columns(&newest, (81..100).rev())].concat()
    };
    let inserted = with(&worker, 100 + insert.n);
    assert_eq!(worker.outcome(newest, &inserted), Outcome::Ok);
    let is_elsewhere =
        |drawn: &Drawn| drawn.kind == Kind::InsertColumn && row(drawn) != row(&insert);
    let mut all = (0..).map(|n| worker.encoder.drawn(n));
    let elsewhere = all.find(is_elsewhere).expect("one of them");
    let foreign = with(&worker, 100 + elsewhere.n);
    assert_eq!(worker.outcome(newest, &foreign), Outcome::Wrong);
}

#[test]
fn without_a_column_whose_insert_was_acknowledged_the_newest_are_stale() {
    let mut worker = Worker::new(&NEWEST);
    let insert = worker.first(Kind::InsertColumn, 0);
    let newest = with_key(worker.first(Kind::Newest, 0), insert.key);
    let loaded = worker.columns(&newest, (80..100).rev());
    let mut memo = worker.sends(insert);
    assert_eq!(worker.outcome(newest, &loaded), Outcome::Ok, "it was not acknowledged");
    assert_eq!(worker.verifier.outcome(&worker.encoder, &mut memo, 0), Outcome::Ok);
    assert_eq!(worker.outcome(newest, &loaded), Outcome::Stale);
    let first = worker.column(&newest, 100 + insert.n);
    let with = [vec![first], worker.columns(&newest, (81..100).rev())].concat();
    assert_eq!(worker.outcome(newest, &with), Outcome::Ok);
}

#[test]
fn one_column_has_the_value_that_was_loaded() {
    let mut worker = Worker::new(&[(Kind::OneColumn, 1.0)]);
    let one = worker.encoder.drawn(3);
    let column = Column::of(&one);
    for (time, wanted) in [(column.time, Outcome::Ok), ((column.time + 1) % 100, Outcome::Wrong)] {
        let (_, value) = worker.column(&one, time);
        let mut memo = worker.sends(one);
        worker.verifier.piece(&worker.encoder, &mut memo, 0, &value);
        assert_eq!(worker.verifier.outcome(&worker.encoder, &mut memo, 1), wanted, "{time}");
    }
    let mut memo = worker.sends(one);
    assert_eq!(worker.verifier.outcome(&worker.encoder, &mut memo, 0), Outcome::Miss);
}

/// A value without a version is the only one of its key, or wrong; it is never stale.
#[test]
fn a_value_without_a_version_is_compared_as_a_whole() {
    let mix = [(Kind::Get, 1.0), (Kind::Set, 1.0)];
    let mix = mix.map(|(kind, weight)| record::Share { kind, weight }).to_vec();
    let kv = crate::workload::preset("kv").expect("a preset");
    for verify in [Verify::Sample, Verify::All] {
        let values_as = record::ValuesAs::Crc32;
        let workload = Workload { values_as, mix: mix.clone(), verify, ..kv.clone() };
        let encoder = Encoder::new(&workload, 5, 1, Task::Drive).expect("sound");
        let verifier = Verifier::new(verify, &workload, 0, 1);
        let mut worker = Worker { encoder, verifier };
        let (get, set) = (worker.first(Kind::Get, 0), worker.first(Kind::Set, 0));
        let of_key = |worker: &Worker, key| {
            let mut value = Vec::new();
            worker.encoder.values.write(key, 0, &mut value);
            value
        };
        let outcome = |worker: &mut Worker, drawn: Drawn, value: &[u8]| {
            let mut memo = worker.sends(drawn);
            for piece in value.chunks(3) {
                worker.verifier.piece(&worker.encoder, &mut memo, 0, piece);
            }
            worker.verifier.outcome(&worker.encoder, &mut memo, 1)
        };
        let right = of_key(&worker, get.key);
        assert_eq!(outcome(&mut worker, get, &right), Outcome::Ok);
        let of_another = of_key(&worker, get.key + 1);
        let longer = [&right[..], b"0"].concat();
        for wrong in [&of_another[..], &right[1..], &longer, b"", b"0000000000000000000000"] {
            assert_eq!(outcome(&mut worker, get, wrong), Outcome::Wrong, "{wrong:?}");
        }
        let mut memo = worker.sends(set);
        assert_eq!(worker.verifier.outcome(&worker.encoder, &mut memo, 0), Outcome::Ok);
        let written = of_key(&worker, set.key);
        assert_eq!(outcome(&mut worker, with_key(get, set.key), &written), Outcome::Ok);
    }
}

#[test]
fn an_insert_is_worded_with_the_value_of_its_time() {
    let mut worker = Worker::new(&NEWEST);
    let insert = worker.first(Kind::InsertColumn, 0);
    let (_, wanted) = worker.column(&insert, 100 + insert.n);
    let Parts { value, .. } = worker.encoder.parts(&insert);
    assert_eq!(value, wanted);
    let newest = worker.first(Kind::Newest, 0);
    assert_eq!(worker.encoder.parts(&newest).value, b"");
}
