//! Conformance: how tiebreak's own parts behave against servers of known behaviour.

pub(crate) mod alone;
pub(crate) mod counting;
pub(crate) mod null;
mod null_targets;
