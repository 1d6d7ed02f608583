//! Questions to `tiebreak watch`, and its answers: what it watches, and readings of it. Nothing
//! else can be asked.

use super::fields::{Fields, push_bool, push_bytes, push_list, push_option, push_u32, push_u64};
use super::{BAD_VALUE, Message, UNKNOWN_KIND};
use crate::Fault;
use alloc::{string::String, vec::Vec};

/// The most cores of a description.
pub const MOST_CORES: usize = 4096;
/// The most processes of a description.
pub const MOST_PIDS: usize = 1024;
/// The longest text of a description, in bytes.
pub const MOST_TEXT_BYTES: usize = 512;

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchQuestion {
    /// What is watched?
    Describe,
    /// How much CPU time has it used?
    Read {
        /// The number of the question, which the answer repeats.
        number: u32,
        /// Whether its peak memory and the load of the machine are read as well, which takes
        /// longer.
        fully: bool,
    },
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What is watched.
    Description(Description),
    /// A reading.
    Reading(Reading),
}

/// The watched target and its machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Identifies the machine since it was started (Linux: the boot id).
    pub machine: [u8; 16],
    /// The source of CPU time, as the journal names it.
    pub source: String,
    /// What is watched, in words.
    pub name: String,
    /// The cores that it may use.
    pub cores: Vec<u32>,
    /// The processes that were watched first.
    pub pids: Vec<u32>,
}

/// A reading of the target and its machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The number of the question.
    pub number: u32,
    /// When it was read, by the monotonic clock of the watcher's machine, in nanoseconds.
    pub at_ns: u64,
    /// CPU time of the target so far, in nanoseconds. None if the target ended.
    pub cpu_ns: Option<u64>,
    /// Time stolen from the machine's cores so far, in nanoseconds. None if it is not known.
    pub steal_ns: Option<u64>,
    /// The peak memory of the target so far, in bytes. None if it was not asked for or is unknown.
    pub peak_memory_bytes: Option<u64>,
    /// Whether that is the memory of a control group, and not of processes.
    pub memory_of_cgroup: bool,
    /// The machine's load in the last minute, in thousandths. None if it was not asked for or is
    /// unknown.
    pub load_milli: Option<u64>,
}

impl Message for WatchQuestion {
    const MOST_BODY_BYTES: usize = 5;

    fn kind(&self) -> u8 {
        match self {
            WatchQuestion::Describe => 16,
            WatchQuestion::Read { .. } => 17,
        }
    }

    fn write(&self, body: &mut Vec<u8>) {
        match self {
            WatchQuestion::Describe => {}
            WatchQuestion::Read { number, fully } => {
                push_u32(body, *number);
                push_bool(body, *fully);
            }
        }
    }

    fn read(kind: u8, fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(match kind {
            16 => WatchQuestion::Describe,
            17 => WatchQuestion::Read { number: fields.u32()?, fully: fields.bool()? },
            _ => return Err(UNKNOWN_KIND),
        })
    }
}

impl Message for Answer {
    const MOST_BODY_BYTES: usize =
        16 + 2 * (4 + MOST_TEXT_BYTES) + 4 + 4 * MOST_CORES + 4 + 4 * MOST_PIDS;

    fn kind(&self) -> u8 {
        match self {
            Answer::Description(_) => 18,
            Answer::Reading(_) => 19,
        }
    }

    fn write(&self, body: &mut Vec<u8>) {
        match self {
            Answer::Description(of) => {
                body.extend_from_slice(&of.machine);
                push_bytes(body, of.source.as_bytes());
                push_bytes(body, of.name.as_bytes());
                push_list(body, &of.cores, push_u32);
                push_list(body, &of.pids, push_u32);
            }
            Answer::Reading(of) => {
                push_u32(body, of.number);
                push_u64(body, of.at_ns);
                push_option(body, of.cpu_ns);
                push_option(body, of.steal_ns);
                push_option(body, of.peak_memory_bytes);
                push_bool(body, of.memory_of_cgroup);
                push_option(body, of.load_milli);
            }
        }
    }

    fn read(kind: u8, fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(match kind {
            18 => Answer::Description(Description {
                machine: fields.array()?,
                source: fields.text(MOST_TEXT_BYTES)?,
                name: fields.text(MOST_TEXT_BYTES)?,
                cores: fields.list(MOST_CORES, core_number)?,
                pids: fields.list(MOST_PIDS, Fields::u32)?,
            }),
            19 => Answer::Reading(Reading {
                number: fields.u32()?,
                at_ns: fields.u64()?,
                cpu_ns: fields.option()?,
                steal_ns: fields.option()?,
                peak_memory_bytes: fields.option()?,
                memory_of_cgroup: fields.bool()?,
                load_milli: fields.option()?,
            }),
            _ => return Err(UNKNOWN_KIND),
        })
    }
}

fn core_number(fields: &mut Fields<'_>) -> Result<u32, Fault> {
    match fields.u32()? {
        core if (core as usize) < MOST_CORES => Ok(core),
        _ => Err(BAD_VALUE),
    }
}
