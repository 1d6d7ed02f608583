#!/bin/bash
# Runs tests of the crates without I/O in Miri, which finds undefined behaviour, overflows and reads
# of memory that was never written. Neither crate has unsafe code of its own: what is checked is how
# they use their dependencies that have. It needs a nightly toolchain, whose Miri is installed if it
# is missing, and takes about 5 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

# The toolchain, as rustup names it.
toolchain=${MIRI_TOOLCHAIN:-nightly}
# Miri is some hundred times slower than the machine: properties are tried with fewer cases.
export PROPTEST_CASES=${PROPTEST_CASES:-2}
# proptest reads the directory for the failures that it has kept, and its settings.
export MIRIFLAGS=-Zmiri-disable-isolation

rustup component add --toolchain "$toolchain" miri rust-src
cargo "+$toolchain" miri setup

# Not run: tests that merge or write histograms. A histogram has ten thousands of counters, and one
# merge takes minutes here; the libraries behind it have no unsafe code either.
cargo "+$toolchain" miri test --locked -p tiebreak-record --lib -- \
    --skip histogram --skip recorder --skip phases --skip the_journal_gives_back_what_was_asked &
record=$!
# Not run: the targets `allocations`, which has an allocator of its own, and `no_std`, which reads
# the sources.
cargo "+$toolchain" miri test --locked -p tiebreak-wire --lib --test codecs
wait "$record"
