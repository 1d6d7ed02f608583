//! The operations on a store: which kinds, on which keys, with which values, and how replies are
//! verified.
//!
//! Operation *n* of a contender is a pure function of the order's seed, its
//! workload and *n*; see `engine::workload`.

use crate::Custom;
use serde::{Deserialize, Serialize};

/// Types of each user in wide rows. A row is one user and type.
pub const TYPES_OF_USER: u64 = 2;

/// Columns that are loaded into each wide row.
pub const COLUMNS_OF_ROW: u64 = 100;

/// The operations on one contender's data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// The prefix of every key of this contender, so that two contenders on one server use
    /// different keys. Empty if no other contender has keys there.
    pub prefix: String,
    /// How many keys are loaded, numbered from 0; with wide rows, how many users.
    pub keys: u64,
    /// How often each key is requested.
    pub distribution: Distribution,
    /// The share of the keys that reads are limited to: above 0, at most 1.
    pub hot: f64,
    /// Lengths of values.
    pub value: ValueBytes,
    /// Whether values shrink to about half when compressed. Otherwise they do not shrink.
    pub compressible: bool,
    /// The names of keys.
    #[serde(default, skip_serializing_if = "KeysAs::is_number")]
    pub keys_as: KeysAs,
    /// The content of values.
    #[serde(default, skip_serializing_if = "ValuesAs::is_version")]
    pub values_as: ValuesAs,
    /// One or more kinds of operation. With several groups: those of the first group, then those of
    /// the second, and so on.
    pub mix: Vec<Share>,
    /// Which replies are compared with what was written.
    pub verify: Verify,
    /// User-defined commands: [`Kind::Command`] contains an index of this list. Each is a list of
    /// words with placeholders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Vec<String>>,
    /// User-defined statements, commands and requests, with parameters.
    #[serde(rename = "own", default, skip_serializing_if = "Custom::is_empty")]
    pub custom: Custom,
    /// With several groups at once: how many entries of the mix belong to each. Operation *n*
    /// belongs to group *n* mod their number. Empty if there is one workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<u32>,
}

impl Workload {
    /// Operations of these kinds with these weights on a thousand keys, which are requested equally often and whose
    /// values have 32 bytes. Nothing is verified.
    pub fn of(mix: &[(Kind, f64)]) -> Workload {
        Workload {
            prefix: String::new(),
            keys: 1000,
            distribution: Distribution::Uniform,
            hot: 1.0,
            value: ValueBytes::Fixed(32),
            compressible: false,
            keys_as: KeysAs::Number,
            values_as: ValuesAs::Version,
            mix: mix.iter().map(|&(kind, weight)| Share { kind, weight }).collect(),
            verify: Verify::Off,
            commands: Vec::new(),
            custom: Custom::default(),
            groups: Vec::new(),
        }
    }

    /// The mix of each group, or the only mix if there are no groups.
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

    /// Whether some operation uses values that the load must write.
    pub fn has_values(&self) -> bool {
        let of_values = |kind: Kind| !kind.counts() && !kind.is_own();
        self.mix.iter().any(|share| of_values(share.kind))
    }

    /// The prefix of a contender's keys.
    pub fn prefix_of(contender: usize) -> String {
        format!("tiebreak{contender:02}:")
    }

    /// Whether its operations are those on wide rows, which cannot be mixed with others.
    pub fn is_wide(&self) -> bool {
        self.mix.iter().any(|share| share.kind.is_wide())
    }

    /// The number of keys, or of wide rows, each of which has its own sequence of writes.
    pub fn rows(&self) -> u64 {
        if self.is_wide() { self.keys * TYPES_OF_USER } else { self.keys }
    }

    /// How many values the load writes: one for each key, or for each column of wide rows.
    pub fn values_to_load(&self) -> u64 {
        match (self.has_values(), self.is_wide()) {
            (false, _) => 0,
            (true, false) => self.keys,
            (true, true) => self.rows() * COLUMNS_OF_ROW,
        }
    }

    /// Whether some operation changes data.
    pub fn writes(&self) -> bool {
        self.mix.iter().any(|share| !share.kind.only_reads())
    }

    /// Whether some operation uses keys of the workload.
    pub fn asks_for_keys(&self) -> bool {
        self.mix.iter().any(|share| !matches!(share.kind, Kind::Custom(_)))
            || self.custom.asks_for_keys()
    }

    /// How many items the load writes: values and counters, as far as operations use them, and the
    /// rows of user-defined tables.
    pub fn to_load(&self) -> u64 {
        let counts = self.mix.iter().any(|share| share.kind.counts());
        self.values_to_load() + self.keys * u64::from(counts) + self.custom.rows(self.keys)
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
    /// Reads the values of this many keys in one request.
    MultiGet(u32),
    /// Writes a value, whether or not the key exists.
    Set,
    /// Writes a value if the key does not exist.
    Add,
    /// Writes a value if the key exists.
    Replace,
    /// Appends to the existing value.
    Append,
    /// Reads a value, then writes one unless it was changed meanwhile.
    Cas,
    /// Removes a key.
    Delete,
    /// Adds 1 to a number.
    Incr,
    /// Subtracts 1 from a number.
    Decr,
    /// Sets a new expiry time.
    Touch,
    /// Writes a value under the next unused key.
    Insert,
    /// Reads the values of successive keys: from 1 to this many, all numbers equally likely.
    Scan(u32),
    /// Reads a value, then writes one.
    ReadModifyWrite,
    /// Reads the newest 20 columns of a wide row, the newest first.
    Newest,
    /// Reads one loaded column of a wide row.
    OneColumn,
    /// Writes a column with a new time into a wide row.
    InsertColumn,
    /// The command of this number in [`Workload::commands`].
    Command(u32),
    /// The operation of this number in [`Custom::operations`].
    #[serde(rename = "own")]
    Custom(u32),
}

impl Kind {
    /// Whether it reads values and changes nothing.
    pub fn only_reads(self) -> bool {
        use Kind::{Get, MultiGet, Newest, OneColumn, Scan};
        matches!(self, Get | MultiGet(_) | Scan(_) | Newest | OneColumn)
    }

    /// Whether it consists of two requests: a read, and the write that follows from it.
    pub fn has_halves(self) -> bool {
        matches!(self, Kind::Cas | Kind::ReadModifyWrite)
    }

    /// Whether it reads or writes columns of wide rows.
    pub fn is_wide(self) -> bool {
        matches!(self, Kind::Newest | Kind::OneColumn | Kind::InsertColumn)
    }

    /// Whether it is user-defined.
    pub fn is_own(self) -> bool {
        matches!(self, Kind::Command(_) | Kind::Custom(_))
    }

    /// Whether it changes a counter.
    pub fn counts(self) -> bool {
        matches!(self, Kind::Incr | Kind::Decr)
    }

    /// Whether it writes a value with a version.
    pub fn writes_value(self) -> bool {
        use Kind::{Add, Append, Cas, Insert, InsertColumn, ReadModifyWrite, Replace, Set};
        matches!(self, Set | Add | Replace | Append | Cas | Insert | ReadModifyWrite | InsertColumn)
    }
}

/// How often each key is requested.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All keys equally likely.
    Uniform,
    /// One after the other, starting again after the last.
    Sequential,
    /// The key of rank *i* has a probability in proportion to 1 ÷ *i*^θ, exactly. A permutation
    /// scatters the ranks over the keys. θ is above 0.
    Zipf(f64),
    /// A share of the keys gets a share of the operations, both from 0 to 1.
    Hotspot {
        /// Share of the keys.
        keys: f64,
        /// Share of the operations that these keys get.
        operations: f64,
    },
    /// Zipf (θ = 0.99), counted backwards from the key that was inserted last.
    Latest,
    /// The scrambled generator of YCSB, bit for bit; flatter than its name says.
    YcsbZipfian,
}

/// The names of the keys of a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeysAs {
    /// Their number, in twelve digits.
    #[default]
    Number,
    /// The MD5 of their decimal number: 32 hexadecimal digits.
    Md5,
}

impl KeysAs {
    /// Whether the names of keys are their numbers.
    pub fn is_number(&self) -> bool {
        *self == KeysAs::Number
    }
}

/// The content of the values of a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValuesAs {
    /// The number of the key, the version of the write, and bytes that follow from both.
    #[default]
    Version,
    /// The CRC-32 of the key's number in decimal digits, as decimal text of up to 10 bytes.
    /// Every write of a key writes the same value.
    Crc32,
}

impl ValuesAs {
    /// Maximum length of a CRC-32 as decimal text, in bytes.
    pub const LONGEST_CRC32: u32 = 10;

    /// Whether a value contains its key and the version of its write.
    pub fn is_version(&self) -> bool {
        *self == ValuesAs::Version
    }
}

/// Lengths of values in bytes; at least 16 if replies are verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueBytes {
    /// All alike.
    Fixed(u32),
    /// From the first to the second, all lengths equally likely.
    Uniform(u32, u32),
    /// One of these lengths, by their weights.
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

/// A length of values and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Length of a value in bytes.
    pub bytes: u32,
    /// Above 0. Shares are weights ÷ their sum.
    pub weight: f64,
}

/// How unevenly a workload requests its keys: shares of the requests for loaded keys, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skew {
    /// Share of the most requested key.
    pub hottest: f64,
    /// Share of the most requested 1 % of the keys (at least one).
    pub top_1_percent: f64,
    /// Share of the most requested 10 % of the keys (at least one).
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
