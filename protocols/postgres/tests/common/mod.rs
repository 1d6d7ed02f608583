//! Code that tests of databases share, and a real server.
#![allow(dead_code, unused_imports, reason = "these tests use a part of it")]

#[path = "../../../../tests/databases/common/mod.rs"]
mod base;
#[path = "../../../../tests/databases/common/custom.rs"]
pub(crate) mod custom;
#[path = "../../../../tests/databases/common/groups.rs"]
pub(crate) mod groups;
pub(crate) mod postgres;

pub(crate) use base::*;
