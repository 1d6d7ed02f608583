//! The messages between tiebreak on two machines.

mod check;
mod messages;
mod transcripts;
