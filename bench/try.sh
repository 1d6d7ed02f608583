#!/usr/bin/env bash
# Runs every benchmark once with the smallest sizes, under each awk that is installed
# (mawk and gawk), to see that all of them still work. What they measure then means
# nothing: rounds are too few and too short.
#
# Prints one line for each benchmark and awk, and which tools it left out. What the
# benchmark printed is shown if it failed, and is kept in OUT. Exits with 1 if one failed
# or an awk is missing. Takes about 10 minutes. cassandra.sh drives tiebreak only: latte
# and cassandra-stress are fetched and built by hand (bench/cassandra.sh --build-latte,
# --fetch-stress).
#
#   bench/try.sh
#   AWKS="mawk gawk" BENCHES="arrivals caches cassandra connections generators sharpness short slices sql"
#   TIEBREAK=target/release/tiebreak OUT=bench/out/try
set -euo pipefail
cd "$(dirname "$0")/.."

AWKS=${AWKS:-mawk gawk}
BENCHES=${BENCHES:-arrivals caches cassandra connections generators sharpness short slices sql}
export TIEBREAK=${TIEBREAK:-target/release/tiebreak}
out=${OUT:-bench/out/try}

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
    printf '%s\n' "${sizes[@]}" "OUT=$out/$1"
}

links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT
mkdir -p "$out"
status=0
for awk in $AWKS; do
    if ! command -v "$awk" >/dev/null; then
        echo "$awk is missing: apt-get install $awk"
        status=1
        continue
    fi
    ln -sf "$(command -v "$awk")" "$links/awk"
    for bench in $BENCHES; do
        mapfile -t sizes < <(smallest "$bench")
        printed=$out/$bench-$awk.txt
        if PATH=$links:$PATH env "${sizes[@]}" "bench/$bench.sh" >"$printed" 2>&1; then
            echo "$bench works under $awk"
            # Tools that the benchmark left out.
            grep '^no ' "$printed" | sort -u | sed 's/^/    /' || true
        else
            echo "$bench FAILED under $awk:"
            sed 's/^/    /' "$printed"
            status=1
        fi
    done
done
exit "$status"
