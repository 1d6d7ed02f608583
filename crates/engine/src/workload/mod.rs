//! What operation *n* of a contender does.
//!
//! An operation is a pure function of the seed, the workload and *n*: nothing is counted, so
//! nothing is shared. Workers take separate numbers (worker, worker + workers, …) and together
//! do what one worker would have done, the same for every contender; and a reader of a value can
//! tell whether it was ever written.

mod arguments;
mod check;
mod columns;
mod custom;
mod error;
mod feeds;
mod hashed;
mod inserts;
mod keys;
mod mix;
mod parameters;
mod permutation;
mod presets;
mod settings;
mod skew;
mod values;
mod ycsb;
mod zipf;

pub use arguments::{Argument, Arguments};
pub use check::{Check, Checked};
pub use columns::{Column, NEWEST_COLUMNS};
pub use error::{ParameterError, WorkloadError};
pub use feeds::{FeedRows, Feeds};
pub use presets::{PRESETS, WIDE_ROWS, preset};
pub use settings::MOST_GROUPS;
pub use values::Values;

use crate::random::Random;
use custom::CustomParameters;
use keys::Keys;
use mix::{Chosen, Mix};
use record::{KeysAs, Kind, Skew, Verify, Workload};

/// The number of an operation of a request that is driven alone has the request's index, counted from 1, in
/// the bits from this one on.
const ALONE_BITS: u32 = 47;
/// Other numbers of operations are below this: a million a second for four years. Up to here they are
/// exact as `f64`, on which the search for inserts relies.
const MOST_OPERATIONS: u64 = 1 << ALONE_BITS;
/// Random streams of an operation from which its repetitions are drawn: beyond those of
/// parameters and feeds.
const REPEATED: u64 = 1 << 42;

/// Maximum bytes between the prefix and the digits of a key.
const LETTER: usize = 1;

/// Digits of a key's number.
const DIGITS: usize = 12;

/// Returns the number of operation `n` of a request that is driven alone, by its index in the mix, which is
/// below [`record::limits::MOST_REQUESTS`]. It is the same operation for every contender.
pub(crate) fn alone(request: u32, n: u64) -> u64 {
    ((u64::from(request) + 1) << ALONE_BITS) + n
}

/// Splits the number of an operation into the request that is driven alone, if it is one of such a request, and
/// the rest.
fn split(number: u64) -> (Option<u32>, u64) {
    let request = (number >> ALONE_BITS).checked_sub(1);
    (request.map(|request| request as u32), number % MOST_OPERATIONS)
}

/// Returns the length in bytes of the longest name that any key of this workload has.
pub fn longest_key(workload: &Workload) -> usize {
    let name = match workload.keys_as {
        KeysAs::Number => LETTER + DIGITS,
        KeysAs::Md5 => hashed::MD5_DIGITS,
    };
    workload.prefix.len() + name
}

/// The operations of a workload.
#[derive(Clone, Debug)]
pub struct Operations {
    workload: Workload,
    seed: u64,
    /// One for each group.
    mixes: Vec<Mix>,
    keys: Keys,
    custom: CustomParameters,
    is_wide: bool,
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Its number.
    pub n: u64,
    /// The entry of the workload's mix that it belongs to.
    pub share: u32,
    /// Its kind. A scan's length has been drawn: from 1 to the requested length.
    pub kind: Kind,
    /// Its key, or the first of several.
    pub key: u64,
    /// The space of its keys.
    pub space: Space,
    /// The version that it writes, *n* + 1, or 0 if it writes no value.
    pub version: u64,
    /// Uniform random bits of the operation.
    bits: u64,
}

impl Drawn {
    /// Returns the same operation with separate parameters for each of `of` times: what it draws
    /// at random and what counts upwards differ, its key does not.
    pub fn repeated(self, time: u64, of: u64) -> Drawn {
        let bits = match time {
            0 => self.bits,
            time => Random::new(self.bits, REPEATED + time).next(),
        };
        Drawn { n: self.n.wrapping_mul(of).wrapping_add(time), bits, ..self }
    }
}

/// Key spaces of one contender: counters and user-defined commands do not affect values that are
/// verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Values, including those that the load writes.
    Values,
    /// Counters, loaded with [`COUNTED_FROM`].
    Counters,
    /// Keys of user-defined commands. Nothing is loaded there.
    Commands,
    /// Columns of wide rows, each of which is a value. The name of a key is that of its user.
    Columns,
    /// Rows of the table with this number in [`record::Custom::tables`].
    Rows(u32),
}

/// The number that a counter is loaded with. It can be increased and decreased by many digits,
/// so that its length does not change (memcached pads a number that gets shorter).
pub const COUNTED_FROM: u64 = 5_000_000_000;

impl Space {
    fn of(kind: Kind) -> Space {
        match kind {
            Kind::Incr | Kind::Decr => Space::Counters,
            Kind::Command(_) | Kind::Custom(_) => Space::Commands,
            Kind::Newest | Kind::OneColumn | Kind::InsertColumn => Space::Columns,
            _ => Space::Values,
        }
    }

    /// Returns the letter between the prefix and a key's digits.
    fn letter(self) -> &'static str {
        match self {
            Space::Values => "",
            Space::Counters => "n",
            Space::Commands => "x",
            Space::Columns => "u",
            Space::Rows(_) => "r",
        }
    }
}

impl Drawn {
    /// Returns the read of an operation that reads and then writes.
    pub fn read_half(&self) -> Drawn {
        Drawn { kind: Kind::Get, version: 0, ..*self }
    }

    /// Returns the write of the same operation, of this kind; called on its read.
    pub fn write_half(&self, of: Kind) -> Drawn {
        let kind = if of == Kind::Cas { Kind::Cas } else { Kind::Set };
        Drawn { kind, version: self.n + 1, ..*self }
    }
}

impl Operations {
    /// Creates the operations for this seed. An error names the setting that is not possible.
    ///
    /// This is expensive: call it before the measurement starts.
    pub fn new(workload: &Workload, seed: u64) -> Result<Operations, WorkloadError> {
        settings::check(workload)?;
        let mut before = 0;
        let mixes = workload.mixes().into_iter().map(|shares| {
            let mix = Mix::new(shares, before, seed);
            before += shares.len() as u32;
            mix
        });
        let mixes: Vec<Mix> = mixes.collect();
        // Groups have none.
        let keys = Keys::new(workload, mixes[0].inserts(), seed);
        let custom = CustomParameters::new(&workload.custom, workload.keys)?;
        let is_wide = workload.is_wide();
        Ok(Operations { workload: workload.clone(), seed, mixes, keys, custom, is_wide })
    }

    /// Returns the operations as `workers` workers (at least one) share them: operation *n*
    /// belongs to worker *n* mod `workers`. This changes the operations only for `latest`: it
    /// requests keys from a worker that the same worker inserted, because it is not known how
    /// far the others are. All workers of a contender, and all its contenders, must use the same
    /// number.
    pub fn for_workers(mut self, workers: u64) -> Operations {
        self.keys.for_workers(workers.max(1));
        self
    }

    /// Returns operation `n`. Allocates nothing.
    ///
    /// Where keys go:
    /// - `Get`, `MultiGet` and `Scan` by the distribution, in the hot part of
    ///   the keys; all others by the distribution over all loaded keys. That
    ///   holds for `Cas` and `ReadModifyWrite` too: what they read they write,
    ///   and writes are not confined.
    /// - Those on wide rows draw a user in this way, the reads in the hot part of the
    ///   users, and then a type of the user and a loaded column, all alike.
    /// - `Insert` to the next key after the loaded ones, in order of *n*. So
    ///   operations must be counted from 0 after each load.
    ///
    /// With several groups, operation `n` is one of group `n` mod their number, by its mix. A
    /// sequence of keys continues from one operation of a group to its next.
    ///
    /// The numbers of a request that is driven alone are those of `alone`.
    pub fn operation(&self, n: u64) -> Drawn {
        let bits = Random::new(self.seed, n).next();
        let (request, n) = split(n);
        let (chosen, insert) = match request {
            None => self.mixes[self.group(n)].choose(n, bits),
            Some(share) => (Chosen { share, kind: self.workload.mix[share as usize].kind }, None),
        };
        let kind = match chosen.kind {
            Kind::Scan(most) => Kind::Scan(scan_length(bits, most)),
            kind => kind,
        };
        let version = if kind.writes_value() { n + 1 } else { 0 };
        let (share, space) = (chosen.share, Space::of(kind));
        let mut drawn = Drawn { n, share, kind, key: 0, space, version, bits };
        drawn.key = match insert {
            Some(insert) => self.workload.keys + insert,
            None if space == Space::Columns => columns::key(kind, self.draw_key(&drawn, 0), bits),
            None => self.draw_key(&drawn, 0),
        };
        drawn
    }

    /// Returns operation `n` of the load, of as many as [`Workload::to_load`] says: key `n` gets
    /// its first value, of version 0 (with wide rows: column `n` of all). The keys of values are
    /// followed, or replaced, by those of counters, and then by rows of user-defined tables.
    pub fn loading(&self, n: u64) -> Drawn {
        let Workload { keys, custom, .. } = &self.workload;
        let values = self.workload.values_to_load();
        let rows_from = self.workload.to_load() - custom.rows(*keys);
        let (kind, (key, space)) = match (n.checked_sub(values), n.checked_sub(rows_from)) {
            (_, Some(row)) if !custom.tables.is_empty() => (Kind::Set, self.row(row)),
            (None, _) if self.is_wide => (Kind::InsertColumn, (n, Space::Columns)),
            (None, _) => (Kind::Set, (n, Space::Values)),
            (Some(key), _) => (Kind::Set, (key, Space::Counters)),
        };
        Drawn { n, share: 0, kind, key, space, version: 0, bits: 0 }
    }

    /// Returns the row with this number, counted through all tables.
    fn row(&self, mut row: u64) -> (u64, Space) {
        let mut number = 0;
        for (table, of) in self.workload.custom.tables.iter().enumerate() {
            number = table as u32;
            let rows = of.rows(self.workload.keys);
            if row < rows {
                break;
            }
            row -= rows;
        }
        (row, Space::Rows(number))
    }

    /// Returns the key of its `i`-th item, counted from 0. Those of a scan follow its first key,
    /// whether or not they exist; those of a multi-get are drawn independently, so one can occur
    /// twice. Allocates nothing.
    pub fn key_of(&self, drawn: &Drawn, i: u32) -> u64 {
        match drawn.kind {
            _ if i == 0 => drawn.key,
            Kind::MultiGet(_) => self.draw_key(drawn, u64::from(i)),
            _ => drawn.key + u64::from(i),
        }
    }

    /// Appends the name of a key: the prefix, a letter if the key is not one of values, and
    /// twelve digits, so that all have the same length and sort as their numbers do; or the
    /// prefix and the MD5 of letter and number. Allocates only if `out` is too small.
    pub fn write_key(&self, space: Space, key: u64, out: &mut Vec<u8>) {
        let key = if space == Space::Columns { columns::user(key) } else { key };
        if self.workload.keys_as == KeysAs::Md5 {
            out.extend_from_slice(self.workload.prefix.as_bytes());
            hashed::write_md5(space.letter(), key, out);
            return;
        }
        debug_assert!(key < 10u64.pow(DIGITS as u32), "key {key} has more than {DIGITS} digits");
        let mut digits = [b'0'; DIGITS];
        // Two halves, so that the digits of one need not wait for those of the other.
        let (mut high, mut low) = ((key / 1_000_000) as u32, (key % 1_000_000) as u32);
        for position in (0..DIGITS / 2).rev() {
            digits[position] += (high % 10) as u8;
            digits[position + DIGITS / 2] += (low % 10) as u8;
            (high, low) = (high / 10, low / 10);
        }
        out.extend_from_slice(self.workload.prefix.as_bytes());
        out.extend_from_slice(space.letter().as_bytes());
        out.extend_from_slice(&digits);
    }

    /// Returns the values of the keys.
    pub fn values(&self) -> Values {
        Values::new(&self.workload)
    }

    /// Returns true if every byte of the values that operation `n` reads must be checked.
    pub fn checks_all_bytes(&self, n: u64) -> bool {
        match self.workload.verify {
            Verify::Off => false,
            Verify::All => true,
            // Drawn at random: if it were every hundredth operation, one worker would have all
            // of them.
            Verify::Sample => Random::new(self.seed ^ 0xC4EC_4A11, n).below(100) == 0,
        }
    }

    /// Returns true if the load or an operation, issued or not, gives this key this version,
    /// which may be any number that a server sent. Operation `version` − 1 is the one that
    /// would.
    pub fn gives(&self, key: u64, version: u64) -> bool {
        match version.checked_sub(1) {
            None => key < self.workload.values_to_load(),
            Some(n) if n >= MOST_OPERATIONS => false,
            Some(n) => {
                let drawn = self.operation(n);
                drawn.version == version && drawn.key == key
            }
        }
    }

    /// Returns how unevenly it requests its keys, or None if it only inserts. Takes up to a
    /// second.
    pub fn skew(&self) -> Option<Skew> {
        skew::skew(&self.workload)
    }

    fn draw_key(&self, drawn: &Drawn, i: u64) -> u64 {
        let mut random = Random::new(drawn.bits, i);
        let n = if self.mixes.len() == 1 { drawn.n } else { drawn.n / self.mixes.len() as u64 };
        self.keys.key(drawn.kind.only_reads(), n, i, &mut random)
    }

    /// Returns the group of operation `n`.
    #[inline]
    fn group(&self, n: u64) -> usize {
        // The division is skipped if there is only one.
        if self.mixes.len() == 1 { 0 } else { (n % self.mixes.len() as u64) as usize }
    }
}

/// Returns a length from 1 to `most`, from bits that no key is drawn from.
fn scan_length(bits: u64, most: u32) -> u32 {
    Random::new(bits, u64::MAX).below(most as usize) as u32 + 1
}

#[cfg(test)]
pub(crate) mod tests;
