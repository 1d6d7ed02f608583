#!/bin/bash
# Runs tests of the crates without I/O in Miri, which finds undefined behaviour, reads of memory
# that was never written, and leaks. Neither crate has unsafe code of its own: what is checked is how
# they use those dependencies that have. It needs a nightly toolchain, to which it adds Miri.
set -euo pipefail
cd "$(dirname "$0")/.."

# The toolchain, as rustup names it.
toolchain=${MIRI_TOOLCHAIN:-nightly}
# Each property is tried with few cases.
export PROPTEST_CASES=${PROPTEST_CASES:-1}
# proptest looks for failures that it has kept, in files beside the tests.
export MIRIFLAGS=-Zmiri-disable-isolation

rustup component add --toolchain "$toolchain" miri rust-src
cargo "+$toolchain" miri setup
cargo "+$toolchain" miri nextest run --locked -p tiebreak-record -p tiebreak-wire --lib --test codecs "$@"
