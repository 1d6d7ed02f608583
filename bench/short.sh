#!/usr/bin/env bash
# What a short run costs beyond its operations: user + system time of the whole process
# from start to exit, less the CPU time of the generator's thread while it drove nginx.
#
# One nginx worker on the first core, tiebreak on the last. Kept: what the lane costs by
# itself is known from an earlier run of the day. Measured again: it is not (--no-cache).
#
#   bench/short.sh
#   ROUNDS=11 MILLISECONDS=100 CONNECTIONS=32
#   TIEBREAK=target/release/tiebreak
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh

ROUNDS=${ROUNDS:-11}
MILLISECONDS=${MILLISECONDS:-100}
CONNECTIONS=${CONNECTIONS:-32}
TIEBREAK=${TIEBREAK:-target/release/tiebreak}

packages="Debian has nginx-light and jq; tiebreak comes from: cargo build --release"
need nginx taskset timeout awk jq "$TIEBREAK"
need_two_cores

# A cache of this bench's own: the first run fills it.
export XDG_CACHE_HOME=$work/cache

# beyond OPTIONS…: milliseconds of CPU of one run, and those beyond its operations.
beyond() {
    rm -rf "$work/run"
    charge 1 "$TIEBREAK" run "http://127.0.0.1:$port/" --connections "$CONNECTIONS" --cores 1 \
        --duration "${MILLISECONDS}ms" --warm-up 0s --quiet --out "$work/run" "$@"
    jq -r '.contenders[0] | .metrics.generator_cpu_per_operation.value * .operations * 1e3' \
        "$work/run/report.json" | awk -v cpu="$cpu" '{ print 1e3 * cpu, 1e3 * cpu - $1 }'
}

# series NAME OPTIONS…: one line.
series() {
    local name=$1 round
    shift
    for ((round = 1; round <= ROUNDS; round++)); do
        beyond "$@"
    done | awk -v name="$name" "$awk_median"'
        { whole[NR] = $1; more[NR] = $2 }
        END { printf "%-16s %12.1f %22.1f\n", name, median(whole, NR), median(more, NR) }'
}

start_nginx nginx "$CONNECTIONS"
echo "runs of $MILLISECONDS ms, $CONNECTIONS connections, medians of $ROUNDS" >&2
printf '%-16s %12s %22s\n' "own cost" "CPU, ms" "beyond operations, ms"
beyond >/dev/null
series kept
series "measured anew" --no-cache
