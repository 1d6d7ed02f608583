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

# Miri is a hundred times slower than the machine.
# Not run: tests that merge or encode histograms. Each has tens of thousands of counters, so one test
# takes a minute here, and the libraries behind it have no unsafe code either.
cargo "+$toolchain" miri test --locked -p tiebreak-record --lib -- \
    --skip histogram --skip recorder --skip phases --skip server_parts \
    --skip the_journal_gives_back_what_was_asked
# Run: what holds for a connection of each protocol. Not run: the tables of hundreds of
# replies, the properties and the corpus, of which a single test takes minutes here.
cargo "+$toolchain" miri test --locked -p tiebreak-wire --lib --test codecs -- \
    ::connection::
