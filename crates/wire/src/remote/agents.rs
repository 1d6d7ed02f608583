//! What a coordinator and its agents say to each other. Times are nanoseconds of the agent's clock.
//!
//! An agent sends [`FromAgent::Hello`], and is accepted or rejected. For each part of the run it
//! gets an order. Then it reports before every slice that it has ended the one before, and is told
//! when the next one starts: these are the messages of the gate. Figures never travel in them.
//! Records are requested when no agent drives, and come in pieces with a digest.

use super::fields::{Fields, push_bool, push_bytes, push_option, push_u32, push_u64};
use super::{BAD_VALUE, Message, UNKNOWN_KIND};
use crate::Fault;
use alloc::{string::String, vec::Vec};

/// The longest text, in bytes.
pub const MOST_TEXT_BYTES: usize = 4096;
/// The longest piece of a record, and the longest order, in bytes.
pub const MOST_PIECE_BYTES: usize = 256 << 10;
/// The length of a digest (SHA-256), in bytes.
pub const DIGEST_BYTES: usize = 32;
/// The latest time of a clock, in nanoseconds: that of a machine that was started 73 years ago. Sums and
/// differences of two such times do not overflow.
pub const LATEST_NS: u64 = 1 << 61;

/// What an agent sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromAgent {
    /// Who it is: always the first message.
    Hello(Hello),
    /// The gate: it has ended every slice before `index`, and waits for the start of that one.
    Ready {
        /// The number of the slice that comes next.
        index: u64,
        /// The answer to the order, or to the start of the slice before.
        stamps: Stamps,
        /// When it started the slice before. 0 before the first one.
        started_ns: u64,
        /// It was asked to end the run.
        stops: bool,
    },
    /// Answers [`FromCoordinator::Ping`].
    Pong(Stamps),
    /// The order was carried out, or ended early.
    Done {
        /// The answer to the last message of the gate.
        stamps: Stamps,
        /// When it started the last slice.
        started_ns: u64,
        /// How many trials it has recorded under this order.
        trials: u64,
    },
    /// The order cannot be carried out.
    Failed {
        /// The number of the contender that cannot be driven, if it is the cause.
        lane: Option<u64>,
        /// Why.
        why: String,
    },
    /// A piece of its record.
    Piece(Vec<u8>),
    /// The end of what was requested of its record.
    PiecesEnd {
        /// The length of all pieces together.
        bytes: u64,
        /// Their SHA-256.
        digest: [u8; DIGEST_BYTES],
    },
}

/// Who an agent is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Its rank, from 1.
    pub rank: u32,
    /// How many processes there are, with the coordinator.
    pub size: u32,
    /// How many workers it has.
    pub workers: u32,
    /// The version of tiebreak.
    pub version: String,
    /// The schema of the journal that it writes: what it recorded is sent as lines of one.
    pub journal: String,
    /// The hash of its plan.
    pub plan_hash: String,
    /// Its processor and kernel.
    pub machine: String,
    /// What disciplines its clock, or nothing.
    pub clock: String,
}

/// The two time stamps of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    /// When the message that is answered was received.
    pub received_ns: u64,
    /// When the answer was sent.
    pub answered_ns: u64,
}

/// What the coordinator sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromCoordinator {
    /// The agent takes part.
    Accepted,
    /// It does not, and why.
    Rejected(String),
    /// Asks for an answer at once, for the clock model.
    Ping,
    /// Asks the agent to drive: an order in JSON.
    Order(Vec<u8>),
    /// The gate: the slice at `index` starts then.
    Start {
        /// The number of the slice.
        index: u64,
        /// When it starts.
        at_ns: u64,
    },
    /// The gate: no slice follows.
    End,
    /// Asks for what was recorded under this order, up to this many trials, and was not sent
    /// before.
    Send {
        /// How many trials, from the first.
        trials: u64,
    },
    /// The run is over.
    Bye,
    /// The gate: all agents have ended the round, so connections are renewed for the next one.
    Renew,
}

fn push_stamps(body: &mut Vec<u8>, stamps: Stamps) {
    push_u64(body, stamps.received_ns);
    push_u64(body, stamps.answered_ns);
}

fn stamps(fields: &mut Fields<'_>) -> Result<Stamps, Fault> {
    Ok(Stamps { received_ns: time(fields)?, answered_ns: time(fields)? })
}

fn time(fields: &mut Fields<'_>) -> Result<u64, Fault> {
    match fields.u64()? {
        ns @ ..=LATEST_NS => Ok(ns),
        _ => Err(BAD_VALUE),
    }
}

impl Message for FromAgent {
    const MOST_BODY_BYTES: usize = 4 + MOST_PIECE_BYTES;

    fn kind(&self) -> u8 {
        match self {
            FromAgent::Hello(_) => 32,
            FromAgent::Ready { .. } => 33,
            FromAgent::Pong(_) => 34,
            FromAgent::Done { .. } => 35,
            FromAgent::Failed { .. } => 36,
            FromAgent::Piece(_) => 37,
            FromAgent::PiecesEnd { .. } => 38,
        }
    }

    fn write(&self, body: &mut Vec<u8>) {
        match self {
            FromAgent::Hello(hello) => {
                push_u32(body, hello.rank);
                push_u32(body, hello.size);
                push_u32(body, hello.workers);
                let Hello { version, journal, plan_hash, machine, clock, .. } = hello;
                for text in [version, journal, plan_hash, machine, clock] {
                    push_bytes(body, text.as_bytes());
                }
            }
            FromAgent::Ready { index, stamps, started_ns, stops } => {
                push_u64(body, *index);
                push_stamps(body, *stamps);
                push_u64(body, *started_ns);
                push_bool(body, *stops);
            }
            FromAgent::Pong(stamps) => push_stamps(body, *stamps),
            FromAgent::Done { stamps, started_ns, trials } => {
                push_stamps(body, *stamps);
                push_u64(body, *started_ns);
                push_u64(body, *trials);
            }
            FromAgent::Failed { lane, why } => {
                push_option(body, *lane);
                push_bytes(body, why.as_bytes());
            }
            FromAgent::Piece(bytes) => push_bytes(body, bytes),
            FromAgent::PiecesEnd { bytes, digest } => {
                push_u64(body, *bytes);
                body.extend_from_slice(digest);
            }
        }
    }

    fn read(kind: u8, from: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(match kind {
            32 => FromAgent::Hello(Hello {
                rank: from.u32()?,
                size: from.u32()?,
                workers: from.u32()?,
                version: from.text(MOST_TEXT_BYTES)?,
                journal: from.text(MOST_TEXT_BYTES)?,
                plan_hash: from.text(MOST_TEXT_BYTES)?,
                machine: from.text(MOST_TEXT_BYTES)?,
                clock: from.text(MOST_TEXT_BYTES)?,
            }),
            33 => FromAgent::Ready {
                index: from.u64()?,
                stamps: stamps(from)?,
                started_ns: time(from)?,
                stops: from.bool()?,
            },
            34 => FromAgent::Pong(stamps(from)?),
            35 => FromAgent::Done {
                stamps: stamps(from)?,
                started_ns: time(from)?,
                trials: from.u64()?,
            },
            36 => FromAgent::Failed { lane: from.option()?, why: from.text(MOST_TEXT_BYTES)? },
            37 => FromAgent::Piece(from.bytes(MOST_PIECE_BYTES)?.into()),
            38 => FromAgent::PiecesEnd { bytes: from.u64()?, digest: from.array()? },
            _ => return Err(UNKNOWN_KIND),
        })
    }
}

impl Message for FromCoordinator {
    const MOST_BODY_BYTES: usize = 4 + MOST_PIECE_BYTES;

    fn kind(&self) -> u8 {
        match self {
            FromCoordinator::Accepted => 48,
            FromCoordinator::Rejected(_) => 49,
            FromCoordinator::Ping => 50,
            FromCoordinator::Order(_) => 51,
            FromCoordinator::Start { .. } => 52,
            FromCoordinator::End => 53,
            FromCoordinator::Send { .. } => 54,
            FromCoordinator::Bye => 55,
            FromCoordinator::Renew => 56,
        }
    }

    fn write(&self, body: &mut Vec<u8>) {
        match self {
            FromCoordinator::Rejected(why) => push_bytes(body, why.as_bytes()),
            FromCoordinator::Order(order) => push_bytes(body, order),
            FromCoordinator::Start { index, at_ns } => {
                push_u64(body, *index);
                push_u64(body, *at_ns);
            }
            FromCoordinator::Send { trials } => push_u64(body, *trials),
            _ => {}
        }
    }

    fn read(kind: u8, fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(match kind {
            48 => FromCoordinator::Accepted,
            49 => FromCoordinator::Rejected(fields.text(MOST_TEXT_BYTES)?),
            50 => FromCoordinator::Ping,
            51 => FromCoordinator::Order(fields.bytes(MOST_PIECE_BYTES)?.into()),
            52 => FromCoordinator::Start { index: fields.u64()?, at_ns: time(fields)? },
            53 => FromCoordinator::End,
            54 => FromCoordinator::Send { trials: fields.u64()? },
            55 => FromCoordinator::Bye,
            56 => FromCoordinator::Renew,
            _ => return Err(UNKNOWN_KIND),
        })
    }
}
