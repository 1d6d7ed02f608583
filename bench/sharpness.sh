#!/usr/bin/env bash
# How precise is a comparison, and how does the length of slices affect this?
#
# First table: two identical nginx, one worker each, 64 connections, servers on
# the first core and the generator on the last. For every way to alternate, the
# standard deviation of ln(B/A) of throughput between rounds of 1 s each: noise,
# since the servers are the same. From it the judge's formula says how long it
# takes to detect a true difference of EFFECT percent (rounds in brackets; 80 %
# power; without the pilot's 4 s).
#
# Second table: B does EFFECT percent more work for a request. A matches the
# query with WORK regular expressions, B with some more; all backtrack a little
# and fail, which costs time and hardly any memory. The cost of one is measured
# first, in CPU time of the workers, so how many are EFFECT percent is known
# independently of tiebreak's clock. It is counted work and not a busy loop until
# a time, which would hide the noise of the machine: a server in a busy loop that
# lost the core for a while does not become slower. With WORK expressions the
# server is the slower part by far; otherwise the generator would hide a
# difference. "distinguished in" is then a measurement: with that many rounds, most
# sequences of rounds showed it. The CPU time per request in the same runs is
# printed below, as a check.
#
# The ways are measured in turn, PASSES times, the second time in reverse order. On
# a shared machine the figures include the noise of the others. Takes four to five
# minutes; rounds are per pass, at least 6.
#
#   bench/sharpness.sh
#   WAYS="20ms 50ms 100ms 500ms turns" ROUNDS=6 PASSES=2
#   SLOWER_WAYS="auto turns" SLOWER_ROUNDS=6 EFFECT=3 WORK=100     auto: the pilot chooses
#   CONNECTIONS=64 TIEBREAK=target/release/tiebreak OUT=bench/out/sharpness (the reports)
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh

WAYS=${WAYS:-20ms 50ms 100ms 500ms turns}
ROUNDS=${ROUNDS:-6}
PASSES=${PASSES:-2}
SLOWER_WAYS=${SLOWER_WAYS:-auto turns}
SLOWER_ROUNDS=${SLOWER_ROUNDS:-6}
EFFECT=${EFFECT:-3}
WORK=${WORK:-100}
CONNECTIONS=${CONNECTIONS:-64}
TIEBREAK=${TIEBREAK:-target/release/tiebreak}
OUT=${OUT:-bench/out/sharpness}

packages="Debian has nginx-light; tiebreak comes from: cargo build --release"
need nginx taskset awk cargo "$TIEBREAK"
need_two_cores

# A query that keeps the expressions busy.
query='?xxxx'

# regexes N: nginx tries N expressions on the query, and none fits. They may all
# be the same. A class at the end, and not a letter: pcre sees at once that a
# letter is missing.
regexes() {
    local at
    # shellcheck disable=SC2016 # nginx's variables, not ours
    printf 'map $args $never {\n'
    for ((at = 0; at < $1; at++)); do
        printf '    "~^(x+x+)+[yz]" 1;\n'
    done
    # shellcheck disable=SC2016
    printf '}\n# An empty header is not sent.\nadd_header X-Never $never;\n'
}

# worker MASTER: the id of its one worker.
worker() {
    local id
    read -r id _ <"/proc/$1/task/$1/children"
    echo "$id"
}

# spent WORKER PORT: CPU time in ns, and requests, so far. A worker has one
# thread, so schedstat tells all of its time.
spent() {
    local ns
    read -r ns _ <"/proc/$1/schedstat"
    echo "$ns $(counted "$2")"
}

# each BEFORE AFTER: CPU ns for a request between two lines of `spent`.
each() {
    awk -v before="$1" -v after="$2" 'BEGIN {
        split(before, b, " "); split(after, a, " ")
        if (a[2] <= b[2]) exit 1
        printf "%.1f\n", (a[1] - b[1]) / (a[2] - b[2]) }'
}

# compare REPORT A B ROUNDS ARGUMENT…: A and B are ports and paths.
compare() {
    local report=$1 a=$2 b=$3 rounds=$4
    shift 4
    rm -rf "$work/run"
    launch "$TIEBREAK" compare "a=http://127.0.0.1:$a" "b=http://127.0.0.1:$b" --cores 1 \
        --connections "$CONNECTIONS" --warm-up 200ms --rounds "$rounds" "$@" \
        --quiet --out "$work/run" --json "$report"
    finish
    [ "$status" = 0 ] || fail_with_output "tiebreak ended with exit code $status"
}

# compare_in WAY REPORT A B ROUNDS: rounds of 1 s for each.
compare_in() {
    local way=$1
    shift
    case $way in
    turns) compare "$@" --interleave turns --round 1s ;;
    auto) compare "$@" --round 1s ;;
    *) compare "$@" --slice "$way" --round 1s ;;
    esac
}

label() {
    case $1 in
    turns) echo "whole turns" ;;
    auto) echo "the pilot's choice" ;;
    *) echo "slices of $1" ;;
    esac
}

# passes NAME EFFECT A B ROUNDS WAY…: every way, PASSES times, and then the table.
passes() {
    local name=$1 effect=$2 a=$3 b=$4 rounds=$5 pass at way lines=() reports
    shift 5
    local ways=("$@")
    for ((pass = 1; pass <= PASSES; pass++)); do
        for ((at = 0; at < $#; at++)); do
            way=${ways[pass % 2 ? at : $# - 1 - at]}
            compare_in "$way" "$OUT/$name-$way-$pass.json" "$a" "$b" "$rounds"
        done
    done
    for way in "$@"; do
        reports=$(printf "%s," "$OUT/$name-$way"-*.json)
        lines+=("$(label "$way")=${reports%,}")
    done
    "$analysis" "$effect" "${lines[@]}"
}

# What one regular expression costs, from a plain server and one with WORK of
# them, interleaved; sets more (how many are EFFECT percent) and truth.
calibrate() {
    local plain_worker heavy_worker plain heavy
    plain_worker=$(worker "$plain_pid") heavy_worker=$(worker "$heavy_pid")
    plain=$(spent "$plain_worker" "$plain_port") heavy=$(spent "$heavy_worker" "$heavy_port")
    compare "$work/calibration.json" "$plain_port/$query" "$heavy_port/$query" 6 --slice 100ms --round 500ms
    plain=$(each "$plain" "$(spent "$plain_worker" "$plain_port")")
    heavy=$(each "$heavy" "$(spent "$heavy_worker" "$heavy_port")")
    read -r more truth < <(awk -v plain="$plain" -v heavy="$heavy" -v work="$WORK" -v effect="$EFFECT" \
        'BEGIN {
            one = (heavy - plain) / work
            if (one <= 0) exit 1
            more = int(effect / 100 * heavy / one + 0.5)
            printf "%d %.2f\n", more, 100 * more * one / heavy }') || fail "an expression costs nothing: more WORK"
    awk -v plain="$plain" -v heavy="$heavy" -v work="$WORK" -v more="$more" -v truth="$truth" 'BEGIN {
        printf "CPU time of nginx for a request: %.1f us plain, %.1f us with %d expressions; ", \
            plain / 1e3, heavy / 1e3, work
        printf "%d more are %s %%\n", more, truth }'
    [ "$more" -gt 0 ] || fail "EFFECT is less than one expression: more WORK"
}

cargo build --quiet --release --locked --example sharpness
analysis=$(cargo metadata --format-version 1 --no-deps --locked |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')/release/examples/sharpness
mkdir -p "$OUT"
rm -f "$OUT"/identical-*.json "$OUT"/slower-*.json
read -ra ways <<<"$WAYS"
read -ra slower_ways <<<"$SLOWER_WAYS"
echo "servers on core $first, generator on core $last; $PASSES passes of" \
    "${#ways[@]} + ${#slower_ways[@]} ways" >&2

start_nginx plain 1000
plain_port=$port plain_pid=$nginx_pid
start_nginx twin 1000
echo "two identical nginx, $CONNECTIONS connections"
passes identical "$EFFECT" "$plain_port/" "$port/" "$ROUNDS" "${ways[@]}"

echo
start_nginx heavy 1000 "$(regexes "$WORK")"
heavy_port=$port heavy_pid=$nginx_pid
calibrate
start_nginx heavier 1000 "$(regexes $((WORK + more)))"
heavy_worker=$(worker "$heavy_pid") heavier_worker=$(worker "$nginx_pid")
heavy=$(spent "$heavy_worker" "$heavy_port") heavier=$(spent "$heavier_worker" "$port")
printf 'B does %s %% more work: B/A is %.3f in truth\n' "$truth" \
    "$(awk -v truth="$truth" 'BEGIN { print 1 / (1 + truth / 100) }')"
passes slower "$truth" "$heavy_port/$query" "$port/$query" "$SLOWER_ROUNDS" "${slower_ways[@]}"
heavy=$(each "$heavy" "$(spent "$heavy_worker" "$heavy_port")")
heavier=$(each "$heavier" "$(spent "$heavier_worker" "$port")")
awk -v a="$heavy" -v b="$heavier" 'BEGIN {
    printf "CPU time for a request in these runs, A/B: %.3f (%.1f us, %.1f us)\n", a / b, a / 1e3, b / 1e3 }'
echo "reports: $OUT" >&2
