//! The workload: what an operation requests, and the outcome of its reply.

use crate::request::{Action, OnColumns, Request, RequestParts};
use crate::sql::{only_writes, returns_rows};
use engine::workload::{Argument, Arguments, Column, Drawn, Space};
use engine::{Encoder, EngineError, Memo, NO_COMMANDS, NOT_WIDE, Seat, Task, Verifier};
use record::{Kind, LaneTask, OperationText, Outcome, Verify, Workload};

/// Number of digits at the end of every key, which are its number.
const DIGITS: usize = 12;

/// One worker's operations, and its knowledge of the values.
pub(crate) struct Serving {
    /// None if the contender has one statement.
    work: Option<ServedWork>,
    /// Whether that statement returns rows.
    wants_rows: bool,
    /// See [`RequestParts::is_partitioned`].
    is_partitioned: bool,
}

struct ServedWork {
    encoder: Encoder,
    verifier: Verifier,
    /// Buffer for a column that is verified.
    expected: Arguments,
    /// How many times the statements of each user-defined operation are sent.
    times: Vec<u64>,
}

impl Serving {
    pub(crate) fn new(
        doing: &LaneTask,
        seed: u64,
        seat: &Seat,
        request_parts: &RequestParts,
    ) -> Result<Serving, EngineError> {
        let wants_rows = returns_rows(&request_parts.query);
        let is_partitioned = request_parts.is_partitioned;
        // A load reads nothing back.
        let (workload, task, verify) = match doing {
            LaneTask::Ask => return Ok(Serving { work: None, wants_rows, is_partitioned }),
            LaneTask::Load(of) => (&of.workload, Task::Load, Verify::Off),
            LaneTask::Drive(of) => (of, Task::Drive, of.verify),
        };
        let lacking = |kind: Kind| match kind {
            Kind::Custom(number) => custom_lacks(workload, number),
            kind if is_partitioned => lacks_beside_wide_rows(kind),
            kind => lacks(kind),
        };
        if let Some(why) = workload.mix.iter().find_map(|share| lacking(share.kind)) {
            let why = format!("a database does not support this workload: {why}");
            return Err(EngineError::Order(why));
        }
        let encoder = Encoder::new(workload, seed, seat.count(), task)?;
        let encoder = encoder.with_feeds(&request_parts.feeds)?;
        let times = workload
            .custom
            .operations
            .iter()
            .map(|of| if only_writes(of) { u64::from(request_parts.batch_size) } else { 1 });
        let times = times.collect();
        let verifier = Verifier::new(verify, workload, seat.index(), seat.count());
        Ok(Serving {
            work: Some(ServedWork { encoder, verifier, expected: Arguments::default(), times }),
            wants_rows,
            is_partitioned,
        })
    }

    /// Writes operation `number`, or its first half, into the request.
    pub(crate) fn ask(&mut self, number: u64, memo: &mut Memo, request: &mut Request) {
        *memo = Memo::default();
        request.half = None;
        let Some(work) = &mut self.work else {
            request.action = Action::Ask;
            return;
        };
        let whole = work.encoder.drawn(number);
        let drawn = if whole.kind.has_halves() {
            request.half = Some(whole.kind);
            whole.read_half()
        } else {
            whole
        };
        work.write_request(drawn, memo, request);
    }

    /// Writes the second half of an operation after the first was answered.
    pub(crate) fn go_on(&mut self, of: Kind, memo: &mut Memo, request: &mut Request) {
        request.half = None;
        if let (Some(work), Some(read)) = (&mut self.work, memo.drawn()) {
            work.write_request(read.write_half(of), memo, request);
        }
    }

    /// Records a row of the reply. The key of a column of a wide row is its name.
    pub(crate) fn row(&mut self, memo: &mut Memo, key: Option<&[u8]>, value: &[u8]) {
        let (Some(work), Some(drawn)) = (&self.work, memo.drawn()) else { return };
        if let Some(name) = key.filter(|_| drawn.kind == Kind::Newest) {
            return work.verifier.column(&work.encoder, memo, name, value);
        }
        match key.filter(|_| self.is_partitioned) {
            Some(key) => work.verifier.value_of(&work.encoder, memo, number(key), value),
            None => {
                let item = key.map_or(0, |key| distance(key, drawn.key));
                work.verifier.piece(&work.encoder, memo, item, value);
            }
        }
    }

    /// See [`crate::driver::Events::is_loaded`].
    pub(crate) fn is_loaded(&mut self, memo: &Memo, column: (u32, usize), text: &[u8]) -> bool {
        let (Some(work), Some(drawn)) = (&mut self.work, memo.drawn()) else { return false };
        match work.encoder.loaded(column, drawn.key, &mut work.expected) {
            Argument::Integer(number) => text == number.to_string().as_bytes(),
            // Some databases pad CHAR columns with spaces, and some remove them.
            Argument::Text(loaded) | Argument::Bytes(loaded) => {
                loaded.trim_ascii_end() == text.trim_ascii_end()
            }
        }
    }

    /// The outcome of a complete reply with this number of rows.
    pub(crate) fn outcome(&mut self, memo: &mut Memo, rows: u32) -> Outcome {
        match &mut self.work {
            Some(work) => work.verifier.outcome(&work.encoder, memo, rows),
            None if rows == 0 && self.wants_rows => Outcome::Miss,
            None => Outcome::Ok,
        }
    }
}

impl ServedWork {
    fn write_request(&mut self, drawn: Drawn, memo: &mut Memo, request: &mut Request) {
        self.verifier.sent(drawn, memo);
        request.share = drawn.share;
        if let Kind::Custom(number) = drawn.kind {
            let custom = request.custom.get_or_insert_default();
            custom.number = number as usize;
            let times = self.times[custom.number];
            custom.further.resize_with(times as usize - 1, Arguments::default);
            let each = std::iter::once(&mut custom.arguments).chain(&mut custom.further);
            for (time, arguments) in (0..).zip(each) {
                let parts = self.encoder.parts(&drawn.repeated(time, times));
                arguments.clone_from(parts.arguments);
            }
            return;
        }
        let parts = self.encoder.parts(&drawn);
        request.custom = None;
        if let Space::Rows(table) = drawn.space {
            request.row.of_table = Some((table, parts.arguments.clone()));
            return;
        }
        request.row.of_table = None;
        request.row.on_columns = OnColumns::of(drawn.kind).map(|does| (does, Column::of(&drawn)));
        if request.row.on_columns.is_none() {
            request.action = action(drawn.kind).expect("checked when the lane was made");
        }
        request.row.key.clear();
        let key = std::str::from_utf8(parts.key()).expect("a prefix and digits");
        request.row.key.push_str(key);
        request.row.value.clear();
        request.row.value.extend_from_slice(parts.value);
    }
}

/// The distance of a key from the first. A foreign key is beyond all keys, so its value is found
/// to be wrong.
fn distance(key: &[u8], first: u64) -> u32 {
    let behind = number(key).and_then(|number| number.checked_sub(first));
    behind.and_then(|behind| u32::try_from(behind).ok()).unwrap_or(u32::MAX)
}

/// The number of a key. Returns None if it does not end in one.
fn number(key: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(&key[key.len().checked_sub(DIGITS)?..]).ok()?;
    digits.parse().ok()
}

fn action(kind: Kind) -> Option<Action> {
    match kind {
        Kind::Get => Some(Action::Get),
        Kind::Set | Kind::Insert => Some(Action::Set),
        Kind::Add => Some(Action::Add),
        Kind::Delete => Some(Action::Delete),
        Kind::Scan(rows) => Some(Action::Scan(rows)),
        _ => None,
    }
}

/// Why a database cannot do this user-defined operation. Returns None if it can.
fn custom_lacks(of: &Workload, number: u32) -> Option<&'static str> {
    match of.custom.operations.get(number as usize).map(|of| &of.says) {
        Some(OperationText::Sql(statements)) if !statements.is_empty() => None,
        _ => Some("it must be defined by SQL statements"),
    }
}

/// Why a table of keys and values cannot do operations of this kind. Returns None if it can.
pub fn lacks(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::ReadModifyWrite => None,
        // The workload determines whether they are statements.
        Kind::Custom(_) => None,
        _ if action(kind).is_some() => None,
        Kind::Incr | Kind::Decr => {
            Some("counters are only supported by caches: a table's values are bytes")
        }
        Kind::Touch => Some("rows of a table do not expire"),
        Kind::Command(_) => Some(NO_COMMANDS),
        _ if kind.is_wide() => Some(NOT_WIDE),
        _ => Some("a table only supports reads, scans, writes, inserts and deletes"),
    }
}

/// Returns why a store with tables and wide rows cannot do this kind of operation, or None if it can.
pub fn lacks_beside_wide_rows(kind: Kind) -> Option<&'static str> {
    if kind.is_wide() { None } else { lacks(kind) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqlAccess;
    use engine::Stop;
    use engine::workload::{Values, preset};

    fn serving(doing: LaneTask) -> Result<Serving, EngineError> {
        let seat = Seat::new(0, 1, Stop::new().expect("a descriptor"));
        let is_partitioned = matches!(&doing, LaneTask::Drive(of) if of.is_wide());
        let request_parts =
            RequestParts { is_partitioned, ..SqlAccess::without_log_in().request_parts() };
        Serving::new(&doing, 7, &seat, &request_parts)
    }

    fn workload(name: &str) -> Workload {
        Workload { prefix: "p:".to_owned(), keys: 1000, ..preset(name).expect("a preset") }
    }

    /// The first operation that does this.
    fn first(serving: &mut Serving, memo: &mut Memo, wanted: fn(&Request) -> bool) -> Request {
        let mut request = Request::default();
        for number in 0..1000 {
            serving.ask(number, memo, &mut request);
            if wanted(&request) {
                return request;
            }
        }
        panic!("none of them");
    }

    fn loaded(values: &Values, key: u64) -> Vec<u8> {
        let mut value = Vec::new();
        values.write(key, 0, &mut value);
        value
    }

    #[test]
    fn every_preset_is_supported_but_counters_are_not() {
        for name in engine::workload::PRESETS {
            assert!(serving(LaneTask::Drive(workload(name))).is_ok(), "{name}");
        }
        let mut counting = workload("kv");
        counting.mix[0].kind = Kind::Incr;
        let why = serving(LaneTask::Drive(counting)).err().expect("it cannot count").to_string();
        assert!(why.contains("counters are only supported by caches"), "{why}");
    }

    #[test]
    fn a_reply_without_a_row_is_a_miss_and_a_wrong_value_is_wrong() {
        let kv = workload("kv");
        let values = engine::workload::Operations::new(&kv, 7).expect("sound").values();
        let mut serving = serving(LaneTask::Drive(kv)).expect("sound");
        let mut memo = Memo::default();
        let get = |request: &Request| request.action == Action::Get;
        first(&mut serving, &mut memo, get);
        assert_eq!(serving.outcome(&mut memo, 0), Outcome::Miss);

        first(&mut serving, &mut memo, get);
        let key = memo.drawn().expect("asked").key;
        serving.row(&mut memo, None, &loaded(&values, key));
        assert_eq!(serving.outcome(&mut memo, 1), Outcome::Ok);

        first(&mut serving, &mut memo, get);
        serving.row(&mut memo, None, &loaded(&values, key + 1));
        assert_eq!(serving.outcome(&mut memo, 1), Outcome::Wrong);
    }

    #[test]
    fn rows_of_a_scan_are_verified_by_their_keys() {
        let scans = workload("ycsb-e");
        let values = engine::workload::Operations::new(&scans, 7).expect("sound").values();
        let mut serving = serving(LaneTask::Drive(scans)).expect("sound");
        let mut memo = Memo::default();
        for (shift, wanted) in [(0, Outcome::Ok), (1, Outcome::Wrong)] {
            let scan = |request: &Request| matches!(request.action, Action::Scan(2..));
            first(&mut serving, &mut memo, scan);
            let from = memo.drawn().expect("asked").key;
            for key in [from, from + 1] {
                let name = format!("p:{key:012}");
                serving.row(&mut memo, Some(name.as_bytes()), &loaded(&values, key + shift));
            }
            assert_eq!(serving.outcome(&mut memo, 2), wanted);
        }
    }

    #[test]
    fn rows_in_the_order_of_hashes_are_verified_by_their_own_keys() {
        let scans = workload("ycsb-e");
        let values = engine::workload::Operations::new(&scans, 7).expect("sound").values();
        let mut serving = serving(LaneTask::Drive(scans)).expect("sound");
        serving.is_partitioned = true;
        let mut memo = Memo::default();
        for (key, of, wanted) in [
            ("p:000000000900", 900, Outcome::Ok),
            ("p:000000000003", 3, Outcome::Ok),
            ("p:000000000900", 901, Outcome::Wrong),
            ("of another", 3, Outcome::Wrong),
        ] {
            let scan = |request: &Request| matches!(request.action, Action::Scan(2..));
            first(&mut serving, &mut memo, scan);
            serving.row(&mut memo, Some(key.as_bytes()), &loaded(&values, of));
            assert_eq!(serving.outcome(&mut memo, 1), wanted, "{key} {of}");
        }
    }

    #[test]
    fn a_read_modify_write_is_a_get_and_then_a_set_of_the_same_key() {
        let mut serving = serving(LaneTask::Drive(workload("ycsb-f"))).expect("sound");
        let mut memo = Memo::default();
        let mut request = first(&mut serving, &mut memo, |request| request.half.is_some());
        let key = request.row.key.clone();
        assert_eq!((request.action, request.row.value.len()), (Action::Get, 0));
        serving.go_on(Kind::ReadModifyWrite, &mut memo, &mut request);
        assert_eq!((request.action, request.row.value.len()), (Action::Set, 1000));
        assert_eq!((request.row.key, request.half), (key, None));
    }

    #[test]
    fn a_statement_that_ought_to_bring_rows_and_brings_none_is_a_miss() {
        let mut serving = serving(LaneTask::Ask).expect("sound");
        let (mut memo, mut request) = (Memo::default(), Request::default());
        serving.ask(0, &mut memo, &mut request);
        assert_eq!(request.action, Action::Ask);
        assert_eq!(serving.outcome(&mut memo, 0), Outcome::Miss);
        assert_eq!(serving.outcome(&mut memo, 1), Outcome::Ok);
    }

    #[test]
    fn wide_rows_are_for_partitioned_databases_alone() {
        let of = lacks_beside_wide_rows;
        assert_eq!((of(Kind::Newest), of(Kind::Get)), (None, None));
        assert!(of(Kind::Incr).is_some());
        assert_eq!(lacks(Kind::Newest), Some(NOT_WIDE));
    }

    #[test]
    fn each_kind_has_its_index() {
        assert_eq!(Action::KINDS.map(Action::index), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn keys_of_others_are_beyond_all() {
        for (key, wanted) in [("p:000000000012", 2), ("p:000000000009", u32::MAX), ("x", u32::MAX)]
        {
            assert_eq!(distance(key.as_bytes(), 10), wanted, "{key}");
        }
    }
}
