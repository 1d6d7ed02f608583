//! What the engine does with the lanes of any protocol. Tests of one protocol are in its directory.

#[path = "../../protocols/http/tests/common.rs"]
mod common;
mod panics;
mod positions;
mod toy;
