//! Any bytes that a database might send to a client library. Threads that do not come back remain, so after
//! some thousands of them the process ends, and is to be started again.
#![no_main]

#[path = "../../tests/hostile_replies/check.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
