//! Turns an order into measurements on real cores.
//!
//! Each core of the order has one thread with an event loop. Every event loop holds open
//! connections to all contenders, so each contender meets the machine in the state in which the
//! others met it some tens of milliseconds before. A contender is a number here, never a name.
// A test sets parameters of the allocator.
#![cfg_attr(not(test), forbid(unsafe_code))]

pub mod arrivals;
mod barrier;
pub mod codec_lane;
mod driving;
mod ending;
mod error;
mod event_loop;
mod gate;
mod groups;
mod health;
mod heartbeat;
pub mod interleaving;
mod lane;
mod lane_schedule;
mod left_out;
mod numbering;
pub mod random;
mod readings;
mod run;
#[cfg(test)]
mod schedules;
pub mod store;
mod sync;
mod template;
mod tls;
mod warm_up;
mod worker;
pub mod workload;

pub use driving::{Driving, Waits};
pub use ending::{Drain, Ending, SliceEnd};
pub use error::EngineError;
pub use event_loop::LOOPBACK_SOURCES;
pub use gate::{Gate, Together};
pub use groups::{check_groups, grouped};
pub use heartbeat::{Heartbeat, LOOK_EVERY, Lost, Watchdog};
pub use lane::{
    InSteps, Lane, LaneStep, MakeLane, Opened, Seat, Steps, TargetClock, TargetReading, Turn,
    WatchedReading, for_workers,
};
pub use lane_schedule::{
    DIALLING, Drive, Next, OPENING_NS, SPIN_NS, Take, check_interval, redial_pause_ns,
};
pub use left_out::{LaneSet, LeftOut};
pub use readings::note_targets;
pub use run::{run, run_shown, run_together};
pub use store::{
    Encoder, Memo, NO_COMMANDS, NOT_WIDE, Numbers, Parts, SEVERAL_KEYS, Sharded, Task, Verifier,
};
pub use sys::confined::Exceeded;
pub use sys::{Alarm, Stop, clock, interrupt};
pub use template::Template;
pub use tls::TlsAccess;
