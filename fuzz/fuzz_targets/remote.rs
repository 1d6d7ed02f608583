//! Any bytes that another machine might send to a watcher or an agent, or they to it.
#![no_main]

// The tests use the rest of it.
#[allow(dead_code)]
#[path = "../../crates/wire/tests/codecs/remote/check.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|stream: &[u8]| check::check(stream));
