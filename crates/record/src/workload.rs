//! What the operations on a store do: which kinds, on which keys, with which
//! values, and how replies are verified.
//!
//! Operation *n* of a contender is a pure function of the order's seed, its
//! workload and *n*; see `engine::workload`.

use crate::Own;
use serde::{Deserialize, Serialize};

/// Types of each user, in wide rows. A row is one user and type.
pub const TYPES_OF_USER: u64 = 2;

/// Columns that are loaded into each wide row.
pub const COLUMNS_OF_ROW: u64 = 100;

/// The operations on one contender's data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Before every key of this contender: its key space, so that two
    /// contenders on one server do not meet. Empty where nobody else has keys.
    pub prefix: String,
    /// How many keys are loaded, numbered from 0; of wide rows, how many users.
    pub keys: u64,
    /// How often each key is asked for.
    pub distribution: Distribution,
    /// Reads stay within this part of the keys: above 0, at most 1.
    pub hot: f64,
    /// Lengths of values.
    pub value: ValueBytes,
    /// Values shrink to about half when compressed; otherwise not at all.
    pub compressible: bool,
    /// What keys are called.
    #[serde(default, skip_serializing_if = "KeysAs::is_number")]
    pub keys_as: KeysAs,
    /// What values are made of.
    #[serde(default, skip_serializing_if = "ValuesAs::is_version")]
    pub values_as: ValuesAs,
    /// Kinds of operation, at least one; of several groups, those of the first,
    /// then those of the second, and so on.
    pub mix: Vec<Share>,
    /// Which replies are compared with what was written.
    pub verify: Verify,
    /// User-defined commands: [`Kind::Command`] has a number of this list. Each is
    /// a list of words with placeholders in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Vec<String>>,
    /// User-defined statements, commands and requests, with parameters.
    #[serde(default, skip_serializing_if = "Own::is_empty")]
    pub own: Own,
    /// Of several groups at once: how many entries of the mix are each one's.
    /// Operation *n* is of group *n* mod their number. Empty: one workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<u32>,
}

impl Workload {
    /// The mix of each group: one, where there are no groups.
    pub fn mixes(&self) -> Vec<&[Share]> {
        if self.groups.is_empty() {
            return vec![&self.mix];
        }
        let mut rest = &self.mix[..];
        let mixes = self.groups.iter().map(|many| {
            let (mix, others) = rest.split_at(rest.len().min(*many as usize));
            rest = others;
            mix
        });
        mixes.collect()
    }

    /// Some operation asks for values that the load has to write.
    pub fn has_values(&self) -> bool {
        let of_values = |kind: Kind| !kind.counts() && !kind.is_own();
        self.mix.iter().any(|share| of_values(share.kind))
    }

    /// What the keys of a contender begin with.
    pub fn prefix_of(contender: usize) -> String {
        format!("tiebreak{contender:02}:")
    }

    /// Its operations are those on wide rows, which no others can be beside.
    pub fn is_wide(&self) -> bool {
        self.mix.iter().any(|share| share.kind.is_wide())
    }

    /// How many places there are whose writes follow each other: keys, or wide rows.
    pub fn rows(&self) -> u64 {
        if self.is_wide() { self.keys * TYPES_OF_USER } else { self.keys }
    }

    /// How many values the load writes: one for each key, or each column of wide rows.
    pub fn values_to_load(&self) -> u64 {
        match (self.has_values(), self.is_wide()) {
            (false, _) => 0,
            (true, false) => self.keys,
            (true, true) => self.rows() * COLUMNS_OF_ROW,
        }
    }

    /// Some operation changes what is there.
    pub fn writes(&self) -> bool {
        self.mix.iter().any(|share| !share.kind.only_reads())
    }

    /// Some operation asks for keys of the workload.
    pub fn asks_for_keys(&self) -> bool {
        self.mix.iter().any(|share| !matches!(share.kind, Kind::Own(_))) || self.own.asks_for_keys()
    }

    /// How many things the load writes: values and counters, as far as operations ask
    /// for them, and the rows of user-defined tables.
    pub fn to_load(&self) -> u64 {
        let counts = self.mix.iter().any(|share| share.kind.counts());
        self.values_to_load() + self.keys * u64::from(counts) + self.own.rows(self.keys)
    }
}

/// A kind of operation and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// What it does.
    pub kind: Kind,
    /// Above 0. Shares are weights ÷ their sum.
    pub weight: f64,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Reads a value.
    Get,
    /// Reads the values of so many keys in one request.
    MultiGet(u32),
    /// Writes a value, whether or not there is one.
    Set,
    /// Writes a value where there is none.
    Add,
    /// Writes a value where there is one.
    Replace,
    /// Writes behind the value that is there.
    Append,
    /// Reads a value, then writes one if nobody else did meanwhile.
    Cas,
    /// Removes a key.
    Delete,
    /// Adds 1 to a number.
    Incr,
    /// Takes 1 from a number.
    Decr,
    /// Sets a new time of expiry.
    Touch,
    /// Writes a value under the next key that was never used.
    Insert,
    /// Reads values of keys in their order: from 1 to so many, all numbers
    /// alike.
    Scan(u32),
    /// Reads a value, then writes one.
    ReadModifyWrite,
    /// Reads the newest 20 columns of a wide row, the newest first.
    Newest,
    /// Reads one column of a wide row that was loaded.
    OneColumn,
    /// Writes a column at a new time into a wide row.
    InsertColumn,
    /// The command of this number in [`Workload::commands`].
    Command(u32),
    /// The operation of this number in [`Own::operations`].
    Own(u32),
}

impl Kind {
    /// It asks for values and changes nothing.
    pub fn only_reads(self) -> bool {
        use Kind::{Get, MultiGet, Newest, OneColumn, Scan};
        matches!(self, Get | MultiGet(_) | Scan(_) | Newest | OneColumn)
    }

    /// It is two requests: a read, and the write that follows from it.
    pub fn has_halves(self) -> bool {
        matches!(self, Kind::Cas | Kind::ReadModifyWrite)
    }

    /// It reads or writes columns of wide rows.
    pub fn is_wide(self) -> bool {
        matches!(self, Kind::Newest | Kind::OneColumn | Kind::InsertColumn)
    }

    /// Whether it is user-defined.
    pub fn is_own(self) -> bool {
        matches!(self, Kind::Command(_) | Kind::Own(_))
    }

    /// It counts in a number.
    pub fn counts(self) -> bool {
        matches!(self, Kind::Incr | Kind::Decr)
    }

    /// It writes a value of its own, which has a version.
    pub fn writes_value(self) -> bool {
        use Kind::{Add, Append, Cas, Insert, InsertColumn, ReadModifyWrite, Replace, Set};
        matches!(self, Set | Add | Replace | Append | Cas | Insert | ReadModifyWrite | InsertColumn)
    }
}

/// How often each key is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All alike.
    Uniform,
    /// One after the other, and again from the first.
    Sequential,
    /// Key of rank *i* in proportion to 1 ÷ *i*^θ, exactly; ranks are scattered
    /// over the keys by a permutation. θ is above 0.
    Zipf(f64),
    /// A part of the keys gets a part of the operations, both 0 to 1.
    Hotspot {
        /// Part of the keys.
        keys: f64,
        /// Part of the operations that it gets.
        operations: f64,
    },
    /// Zipf (θ = 0.99) counted back from the key that was inserted last.
    Latest,
    /// The scrambled generator of YCSB, bit for bit; flatter than its name says.
    YcsbZipfian,
}

/// What the keys of a workload are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeysAs {
    /// By their number, in twelve digits.
    #[default]
    Number,
    /// By the MD5 of their number in decimal digits: 32 hexadecimal digits.
    Md5,
}

impl KeysAs {
    /// The keys are called by their number.
    pub fn is_number(&self) -> bool {
        *self == KeysAs::Number
    }
}

/// What the values of a workload are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValuesAs {
    /// The number of the key, the version of the write, and what follows from both.
    #[default]
    Version,
    /// The CRC-32 of the key's number in decimal digits, as decimal text of up to 10 bytes.
    /// Every write of a key writes the same value.
    Crc32,
}

impl ValuesAs {
    /// The bytes of the longest CRC-32 as decimal text.
    pub const LONGEST_CRC32: u32 = 10;

    /// A value tells its key and which write it is of.
    pub fn is_version(&self) -> bool {
        *self == ValuesAs::Version
    }
}

/// Lengths of values in bytes, 16 at least where replies are verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueBytes {
    /// All alike.
    Fixed(u32),
    /// From the first to the second, all lengths alike.
    Uniform(u32, u32),
    /// One of these lengths, as often as its weight says.
    Steps(Vec<Step>),
}

impl ValueBytes {
    /// The shortest of them.
    pub fn least(&self) -> u32 {
        match self {
            ValueBytes::Fixed(bytes) | ValueBytes::Uniform(bytes, _) => *bytes,
            ValueBytes::Steps(steps) => steps.iter().map(|step| step.bytes).min().unwrap_or(0),
        }
    }

    /// The longest of them.
    pub fn most(&self) -> u32 {
        match self {
            ValueBytes::Fixed(bytes) | ValueBytes::Uniform(_, bytes) => *bytes,
            ValueBytes::Steps(steps) => steps.iter().map(|step| step.bytes).max().unwrap_or(0),
        }
    }
}

/// A length of values and how often it comes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Bytes of a value.
    pub bytes: u32,
    /// Above 0. Shares are weights ÷ their sum.
    pub weight: f64,
}

/// How unevenly a workload asks for its keys: shares of the requests for loaded
/// keys, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skew {
    /// Share of the key that is asked for most.
    pub hottest: f64,
    /// Share of the 1 % of keys (one at least) that are asked for most.
    pub top_1_percent: f64,
    /// Share of the 10 % of keys (one at least) that are asked for most.
    pub top_10_percent: f64,
}

/// Which replies are compared with what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// None.
    Off,
    /// The first 16 bytes (key and version) of every value, all bytes of one in a
    /// hundred.
    Sample,
    /// All bytes of every value.
    All,
}
