//! Lanes through client libraries, against real PostgreSQL and MariaDB. (MySQL's own tests
//! are a program of their own.)

#[path = "../common/mod.rs"]
mod common;

mod custom;
mod groups;
mod postgres;
mod tls;
