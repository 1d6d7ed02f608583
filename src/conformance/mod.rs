//! Conformance: what tiebreak's own parts do against servers of known behaviour.

pub(crate) mod alone;
pub(crate) mod null;
mod partners;
