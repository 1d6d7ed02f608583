//! The types in the journal: what was requested and what was measured.
//!
//! Everything here can be written to disk and read back, and nothing here can contain a secret:
//! logins, keys and header values are passed beside a [`DriveOrder`], in a type that cannot be
//! serialised. This crate does no I/O and no statistics.
//!
//! Units: times are nanoseconds in `u64` fields that end in `_ns`; rates are
//! per second in `f64`.
#![forbid(unsafe_code)]
#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod address;
pub mod agents;
mod consistency;
mod custom;
mod dialling;
pub mod digests;
pub mod drive_order;
pub mod figures;
pub mod generator;
mod histogram;
pub mod host;
pub mod journal;
pub mod kind_seen;
mod length;
pub mod limits;
mod named;
mod objective;
pub mod outcome;
pub mod own_cost;
pub mod phases;
pub mod plan;
pub mod program;
mod published;
pub mod question;
mod reasons;
pub mod recorder;
mod request_plan;
mod revision;
pub mod seen;
mod server_parts;
mod sharding;
pub mod slice;
pub mod store;
pub mod sweep;
#[cfg(feature = "testing")]
pub mod testing;
pub mod trial;
pub mod waits;
pub mod workload;

pub use address::Address;
pub use agents::{AgentClock, AgentReady, AgentSeen};
pub use consistency::Consistency;
pub use custom::{
    Custom, CustomOperation, Feed, FeedOrder, OperationText, Parameter, Rows, Statement, Table,
};
pub use dialling::{DialPolicy, Nodes};
pub use digests::Digests;
pub use drive_order::{
    Arrivals, DriveOrder, Intensity, LaneOrder, LaneTask, Loading, Maintenance, Pool, Reuse, WarmUp,
};
pub use figures::{Case, CaseFigure, Cases, OnlyIn};
pub use generator::{ArgumentError, Generator, GeneratorError, Lengths, Picked};
pub use histogram::{Histogram, HistogramError};
pub use host::Host;
pub use journal::{
    End, EndReason, Event, Fact, Header, TargetDone, TargetReady, WatcherReport, Withdrawn,
};
pub use kind_seen::KindSeen;
pub use length::{InterimLook, LengthRule, SecondStage};
pub use objective::{Objective, Percentile};
pub use outcome::{Failure, FaultOwner, Outcome, Outcomes};
pub use own_cost::OwnCost;
pub use phases::Phases;
pub use plan::{Contender, Group, Interleave, Launches, PilotChoice, PilotSeen, Plan};
pub use program::{ProgramRun, Programs};
pub use published::{Published, SingleRun};
pub use question::{
    ContenderQuestion, DearLaunches, Direction, GroupQuestion, Metric, Pair, Question,
};
pub use reasons::{Reasons, TargetText};
pub use recorder::{Moments, Recorder, SliceStart, Waited};
pub use request_plan::{
    MessageKind, MessageSettings, RequestPlan, RequestSettings, SqlProtocol, SqlSettings, Work,
};
pub use revision::{Revision, WorkTree};
pub use seen::Seen;
pub use server_parts::ServerParts;
pub use sharding::{ShardRule, Sharding};
pub use slice::{LateReplies, Slice, WatchedSlice};
pub use store::{LoadMethod, Loaded, Settled, StoreMoment, StoreReport};
pub use sweep::{Factor, RunSweep};
pub use trial::{Phase, TrialRecord};
pub use waits::Waits;
pub use workload::{
    Distribution, KeysAs, Kind, Share, Skew, Step, ValueBytes, ValuesAs, Verify, Workload,
};

/// Whether a number is 0, so that a journal leaves it out.
fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
