//! The workload: what an operation asks, and what its reply is worth.

use crate::lane::Asks;
use crate::own::OwnRequest;
use crate::sql;
use engine::workload::{Argument, Arguments, Drawn, Space};
use engine::{Broken, Memo, Said, Seat, Task, Verifier};
use record::{Doing, Kind, Says, Told, Verify, Workload};

/// Digits at the end of every key: its number.
const DIGITS: usize = 12;

/// What a request does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Deed {
    /// The contender's one statement.
    #[default]
    Ask,
    /// Reads a value.
    Get,
    /// Writes a value, whether or not there is one.
    Set,
    /// Writes a value where there is none.
    Add,
    /// Removes a key.
    Delete,
    /// Reads so many values in order of their keys.
    Scan(u32),
}

impl Deed {
    /// One of each kind, by [`Deed::place`].
    pub(crate) const KINDS: [Deed; 6] =
        [Deed::Ask, Deed::Get, Deed::Set, Deed::Add, Deed::Delete, Deed::Scan(1)];

    /// Its kind as a number: what is prepared apart.
    pub(crate) fn place(self) -> usize {
        match self {
            Deed::Ask => 0,
            Deed::Get => 1,
            Deed::Set => 2,
            Deed::Add => 3,
            Deed::Delete => 4,
            Deed::Scan(_) => 5,
        }
    }
}

/// A key and its value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) key: String,
    pub(crate) value: Vec<u8>,
    /// It is a row of a table of one's own: the number of that, and what its columns
    /// hold.
    pub(crate) of_table: Option<(u32, Arguments)>,
}

/// One request, in buffers that are used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) deed: Deed,
    pub(crate) row: Row,
    /// Which share of the mix it is of.
    pub(crate) share: u32,
    /// It is the read of an operation of this kind; a write follows.
    pub(crate) half: Option<Kind>,
    /// It is an operation of one's own, and no deed.
    pub(crate) own: Option<OwnRequest>,
}

/// One worker's operations, and what it knows of the values.
pub(crate) struct Serving {
    /// None: the contender's one statement is asked.
    work: Option<Work>,
    /// That statement brings rows.
    wants_rows: bool,
}

struct Work {
    said: Said,
    verifier: Verifier,
    /// Of a column that is verified.
    expected: Arguments,
}

impl Serving {
    pub(crate) fn new(
        doing: &Doing,
        seed: u64,
        seat: &Seat,
        asks: &Asks<'_>,
    ) -> Result<Serving, Broken> {
        let wants_rows = sql::brings_rows(asks.query);
        // A load reads nothing back.
        let (workload, task, verify) = match doing {
            Doing::Ask => return Ok(Serving { work: None, wants_rows }),
            Doing::Load(of) => (&of.workload, Task::Load, Verify::Off),
            Doing::Drive(of) => (of, Task::Drive, of.verify),
        };
        let lacking = |kind: Kind| match kind {
            Kind::Own(number) => own_lacks(workload, number),
            kind => lacks(kind),
        };
        if let Some(why) = workload.mix.iter().find_map(|share| lacking(share.kind)) {
            return Err(Broken(format!("a database cannot do its workload: {why}")));
        }
        let said = Said::new(workload, seed, seat.places(), task).map_err(Broken)?;
        let said = said.with_feeds(asks.feeds).map_err(Broken)?;
        let verifier = Verifier::new(verify, workload.keys, seat.place(), seat.places());
        Ok(Serving {
            work: Some(Work { said, verifier, expected: Arguments::default() }),
            wants_rows,
        })
    }

    /// Writes operation `number`, or its first half, into the request.
    pub(crate) fn ask(&mut self, number: u64, memo: &mut Memo, request: &mut Request) {
        *memo = Memo::default();
        request.half = None;
        let Some(work) = &mut self.work else {
            request.deed = Deed::Ask;
            return;
        };
        let whole = work.said.drawn(number);
        let drawn = match whole.kind.has_halves() {
            true => {
                request.half = Some(whole.kind);
                whole.read_half()
            }
            false => whole,
        };
        work.word(drawn, memo, request);
    }

    /// Writes the second half of an operation whose first was answered.
    pub(crate) fn go_on(&mut self, of: Kind, memo: &mut Memo, request: &mut Request) {
        request.half = None;
        if let (Some(work), Some(read)) = (&mut self.work, memo.drawn()) {
            work.word(read.write_half(of), memo, request);
        }
    }

    /// A row of the reply.
    pub(crate) fn row(&mut self, memo: &mut Memo, key: Option<&[u8]>, value: &[u8]) {
        let (Some(work), Some(drawn)) = (&self.work, memo.drawn()) else { return };
        let item = key.map_or(0, |key| distance(key, drawn.key));
        work.verifier.piece(&work.said, memo, item, value);
    }

    /// See [`crate::driver::Heard::is_loaded`].
    pub(crate) fn is_loaded(&mut self, memo: &Memo, column: (u32, usize), text: &[u8]) -> bool {
        let (Some(work), Some(drawn)) = (&mut self.work, memo.drawn()) else { return false };
        match work.said.loaded(column, drawn.key, &mut work.expected) {
            Argument::Integer(number) => text == number.to_string().as_bytes(),
            // Some databases fill CHAR columns up with spaces, and some take them away.
            Argument::Text(loaded) | Argument::Bytes(loaded) => {
                loaded.trim_ascii_end() == text.trim_ascii_end()
            }
        }
    }

    /// What a complete reply of so many rows comes to.
    pub(crate) fn told(&mut self, memo: &mut Memo, rows: u32) -> Told {
        match &mut self.work {
            Some(work) => work.verifier.told(&work.said, memo, rows),
            None if rows == 0 && self.wants_rows => Told::Miss,
            None => Told::Ok,
        }
    }
}

impl Work {
    fn word(&mut self, drawn: Drawn, memo: &mut Memo, request: &mut Request) {
        self.verifier.sent(drawn, memo);
        let parts = self.said.parts(&drawn);
        request.share = drawn.share;
        if let Kind::Own(number) = drawn.kind {
            let own = request.own.get_or_insert_default();
            own.number = number as usize;
            own.arguments.clone_from(parts.arguments);
            return;
        }
        request.own = None;
        if let Space::Rows(table) = drawn.space {
            request.row.of_table = Some((table, parts.arguments.clone()));
            return;
        }
        request.row.of_table = None;
        request.deed = deed(drawn.kind).expect("checked when the lane was made");
        request.row.key.clear();
        let key = std::str::from_utf8(parts.key()).expect("a prefix and digits");
        request.row.key.push_str(key);
        request.row.value.clear();
        request.row.value.extend_from_slice(parts.value);
    }
}

/// How many keys behind the first this one is. One that is none of ours is beyond
/// all of them, and its value is found to be wrong.
fn distance(key: &[u8], first: u64) -> u32 {
    let digits = key.len().checked_sub(DIGITS).and_then(|at| std::str::from_utf8(&key[at..]).ok());
    let number = digits.and_then(|digits| digits.parse::<u64>().ok());
    let behind = number.and_then(|number| number.checked_sub(first));
    behind.and_then(|behind| u32::try_from(behind).ok()).unwrap_or(u32::MAX)
}

fn deed(kind: Kind) -> Option<Deed> {
    match kind {
        Kind::Get => Some(Deed::Get),
        Kind::Set | Kind::Insert => Some(Deed::Set),
        Kind::Add => Some(Deed::Add),
        Kind::Delete => Some(Deed::Delete),
        Kind::Scan(rows) => Some(Deed::Scan(rows)),
        _ => None,
    }
}

/// Why this operation of one's own is none for a database; none: it is.
fn own_lacks(of: &Workload, number: u32) -> Option<&'static str> {
    match of.own.operations.get(number as usize).map(|of| &of.says) {
        Some(Says::Sql(statements)) if !statements.is_empty() => None,
        _ => Some("it is told by statements of SQL"),
    }
}

/// Why a table of keys and values cannot do operations of this kind; none where it
/// can.
pub fn lacks(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::ReadModifyWrite => None,
        // Whether they are statements says the workload.
        Kind::Own(_) => None,
        _ if deed(kind).is_some() => None,
        Kind::Incr | Kind::Decr => Some("counters are for caches: a table's values are bytes"),
        Kind::Touch => Some("rows of a table do not expire"),
        Kind::Command(_) => Some("commands of one's own are for redis://"),
        _ => Some("a table is read, scanned, written, added to and deleted from"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Stop;
    use engine::workload::{Feeds, Values, preset};

    fn serving(doing: Doing) -> Result<Serving, Broken> {
        let seat = Seat::new(0, 1, Stop::new().expect("a descriptor"));
        let asks = Asks { query: "SELECT 1", feeds: &Feeds::default() };
        Serving::new(&doing, 7, &seat, &asks)
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
    fn every_preset_can_be_said_and_counters_cannot() {
        for name in engine::workload::PRESETS {
            assert!(serving(Doing::Drive(workload(name))).is_ok(), "{name}");
        }
        let mut counting = workload("kv");
        counting.mix[0].kind = Kind::Incr;
        let Err(Broken(why)) = serving(Doing::Drive(counting)) else { panic!("it cannot count") };
        assert!(why.contains("counters are for caches"), "{why}");
    }

    #[test]
    fn a_reply_without_a_row_is_a_miss_and_a_wrong_value_is_wrong() {
        let kv = workload("kv");
        let values = engine::workload::Operations::new(&kv, 7).expect("sound").values();
        let mut serving = serving(Doing::Drive(kv)).expect("sound");
        let mut memo = Memo::default();
        let get = |request: &Request| request.deed == Deed::Get;
        first(&mut serving, &mut memo, get);
        assert_eq!(serving.told(&mut memo, 0), Told::Miss);

        first(&mut serving, &mut memo, get);
        let key = memo.drawn().expect("asked").key;
        serving.row(&mut memo, None, &loaded(&values, key));
        assert_eq!(serving.told(&mut memo, 1), Told::Ok);

        first(&mut serving, &mut memo, get);
        serving.row(&mut memo, None, &loaded(&values, key + 1));
        assert_eq!(serving.told(&mut memo, 1), Told::Wrong);
    }

    #[test]
    fn rows_of_a_scan_are_verified_by_their_keys() {
        let scans = workload("ycsb-e");
        let values = engine::workload::Operations::new(&scans, 7).expect("sound").values();
        let mut serving = serving(Doing::Drive(scans)).expect("sound");
        let mut memo = Memo::default();
        for (shift, wanted) in [(0, Told::Ok), (1, Told::Wrong)] {
            let scan = |request: &Request| matches!(request.deed, Deed::Scan(2..));
            first(&mut serving, &mut memo, scan);
            let from = memo.drawn().expect("asked").key;
            for key in [from, from + 1] {
                let name = format!("p:{key:012}");
                serving.row(&mut memo, Some(name.as_bytes()), &loaded(&values, key + shift));
            }
            assert_eq!(serving.told(&mut memo, 2), wanted);
        }
    }

    #[test]
    fn a_read_modify_write_is_a_get_and_then_a_set_of_the_same_key() {
        let mut serving = serving(Doing::Drive(workload("ycsb-f"))).expect("sound");
        let mut memo = Memo::default();
        let mut request = first(&mut serving, &mut memo, |request| request.half.is_some());
        let key = request.row.key.clone();
        assert_eq!((request.deed, request.row.value.len()), (Deed::Get, 0));
        serving.go_on(Kind::ReadModifyWrite, &mut memo, &mut request);
        assert_eq!((request.deed, request.row.value.len()), (Deed::Set, 1000));
        assert_eq!((request.row.key, request.half), (key, None));
    }

    #[test]
    fn a_statement_that_ought_to_bring_rows_and_brings_none_is_a_miss() {
        let mut serving = serving(Doing::Ask).expect("sound");
        let (mut memo, mut request) = (Memo::default(), Request::default());
        serving.ask(0, &mut memo, &mut request);
        assert_eq!(request.deed, Deed::Ask);
        assert_eq!(serving.told(&mut memo, 0), Told::Miss);
        assert_eq!(serving.told(&mut memo, 1), Told::Ok);
    }

    #[test]
    fn each_kind_has_its_place() {
        assert_eq!(Deed::KINDS.map(Deed::place), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn keys_of_others_are_beyond_all() {
        for (key, wanted) in [("p:000000000012", 2), ("p:000000000009", u32::MAX), ("x", u32::MAX)]
        {
            assert_eq!(distance(key.as_bytes(), 10), wanted, "{key}");
        }
    }
}
