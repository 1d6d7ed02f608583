#!/usr/bin/env bash
# What it costs to compute when operations are due, without target and socket: the
# schedule of an open loop (crates/engine/src/arrivals.rs, the code that the event
# loop calls for every operation) is computed as fast as one core can.
#
# For constant and Poisson arrivals it prints how many operations were due, the
# nanoseconds for each (median and best of the series), how many due times one
# core computes in a second, and what share of a core RATE takes. Fails if a core
# is too slow for RATE, or if the number of due operations does not match RATE.
#
#   bench/arrivals.sh
#   RATE=1000000 LANE_SECONDS=10 SERIES=7
#   CORE=1 (default: the last one allowed)
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

RATE=${RATE:-1000000}
LANE_SECONDS=${LANE_SECONDS:-10}
SERIES=${SERIES:-7}
allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
CORE=${CORE:-${allowed##*[-,]}}

fail() {
    echo "arrivals: $*" >&2
    exit 1
}

for tool in cargo taskset; do
    command -v "$tool" >/dev/null || fail "missing: $tool"
done

# Built before the core is taken: the compiler may use all of them.
cargo build --quiet --release --locked -p tiebreak-engine --example arrivals
target=$(cargo metadata --format-version 1 --no-deps --locked |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
echo "$RATE operations/s, $LANE_SECONDS s of lane time, $SERIES series, on core $CORE" >&2
exec taskset -c "$CORE" "$target/release/examples/arrivals" "$RATE" "$LANE_SECONDS" "$SERIES"
