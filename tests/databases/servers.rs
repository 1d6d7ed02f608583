//! Real database servers, for tests of several protocols.
#![allow(dead_code, unused_imports, reason = "each of the test programs uses a part of it")]

#[path = "common/mod.rs"]
mod base;
#[path = "../../protocols/mysql/tests/common/mariadb.rs"]
pub(crate) mod mariadb;
#[path = "../../protocols/postgres/tests/common/postgres.rs"]
pub(crate) mod postgres;

pub(crate) use base::*;

/// The record's name of a number by which PostgreSQL's or MySQL's replies are counted.
pub(crate) fn name_of(code: u16) -> String {
    named(::postgres::code_names().chain(::mysql::code_names()), code)
}
