#!/usr/bin/env bash
# Runs every benchmark once with the smallest sizes, under mawk and under gawk, to see that
# all of them still work. What they measure then means nothing: rounds are too few and too
# short.
#
# Prints one line for each benchmark and awk, and which tools it left out. What the
# benchmark printed is shown if it failed, and is kept in OUT. Exits with 1 if one failed.
# Takes about 10 minutes. cassandra.sh drives tiebreak only: latte and cassandra-stress are
# fetched and built by hand (bench/cassandra.sh --build-latte, --fetch-stress).
#
#   bench/try.sh
#   AWKS="mawk gawk" BENCHES="arrivals caches cassandra connections generators sharpness short slices sql"
#   TIEBREAK=target/release/tiebreak OUT=bench/out/try
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh

AWKS=${AWKS:-mawk gawk}
BENCHES=${BENCHES:-arrivals caches cassandra connections generators sharpness short slices sql}
export TIEBREAK=${TIEBREAK:-target/release/tiebreak}
OUT=${OUT:-bench/out/try}

read -ra awks <<<"$AWKS"
packages="Debian has mawk and gawk; tiebreak comes from: cargo build --release"
need "${awks[@]}" "$TIEBREAK"

# Sizes that all benchmarks understand, and those of one.
smallest() {
    local sizes=(ROUNDS=1 SECONDS_EACH=1)
    case $1 in
    arrivals) sizes=(LANE_SECONDS=1 SERIES=3) ;;
    cassandra) sizes+=(NULL_ROUNDS=2 KEYS=1000 TOOLS=tiebreak) ;;
    connections) sizes+=(CONNECTIONS=1000) ;;
    sharpness) sizes=(ROUNDS=6 SLOWER_ROUNDS=6 PASSES=1 WAYS=50ms SLOWER_WAYS=auto) ;;
    slices) sizes=(ROUNDS=6 CONNECTIONS=8 SLICES="10ms 50ms" PAIRS="100 200;nginx;node") ;;
    esac
    printf '%s\n' "${sizes[@]}" "OUT=$OUT/$1"
}

# try BENCH AWK: returns 1 if the benchmark fails.
try() {
    local sizes printed=$OUT/$1-$2.txt
    mapfile -t sizes < <(smallest "$1")
    ln -sf "$(command -v "$2")" "$work/awk"
    launch env "PATH=$work:$PATH" "${sizes[@]}" "bench/$1.sh"
    finish
    cat "$work/stdout" "$work/stderr" >"$printed"
    if [ "$status" != 0 ]; then
        echo "$1 FAILED under $2:"
        sed 's/^/    /' "$printed"
        return 1
    fi
    echo "$1 works under $2"
    # Tools that the benchmark left out.
    sed -n 's/^no /    no /p' "$printed" | sort -u
}

mkdir -p "$OUT"
failed=0
for awk in "${awks[@]}"; do
    for bench in $BENCHES; do
        try "$bench" "$awk" || failed=1
    done
done
exit "$failed"
