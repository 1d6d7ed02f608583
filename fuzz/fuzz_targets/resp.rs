//! Any bytes that a server might send to the RESP codec.
#![no_main]

// The tests use the rest of both.
#[allow(dead_code)]
#[path = "../../crates/wire/tests/codecs/resp/check.rs"]
mod check;
#[allow(dead_code)]
#[path = "../../crates/wire/tests/common/mod.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|stream: &[u8]| check::check(stream));
