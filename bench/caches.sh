#!/usr/bin/env bash
# What an operation on a store costs each load generator: user + system time of
# the whole process from start to exit, divided by the operations that the store
# counted; and how many a second there were.
#
# One Redis (or memcached with one thread) on the first core, the generator on the
# last. tiebreak, verifying a sample (its default) and not at all, beside one other
# tool; each round starts with a different one, and ratios are taken within a round.
# Equal for both: connections, operations in flight, keys, bytes of a value, gets
# and sets. redis-benchmark cannot mix gets and sets, so it does gets only. What
# tiebreak reads is loaded before, and is neither counted nor charged.
#
#   bench/caches.sh
#   ROUNDS=11 SECONDS_EACH=2 CONNECTIONS=50 KEYS=10000 BYTES=32
#   PAIRS="redis-benchmark:1 redis-benchmark:16 memaslap:1 memtier_benchmark:1 memtier_benchmark:16"
#   TIEBREAK=target/release/tiebreak OUT=bench/out/caches.tsv
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh

ROUNDS=${ROUNDS:-11}
SECONDS_EACH=${SECONDS_EACH:-2}
CONNECTIONS=${CONNECTIONS:-50}
KEYS=${KEYS:-10000}
BYTES=${BYTES:-32}
PAIRS=${PAIRS:-redis-benchmark:1 redis-benchmark:16 memaslap:1 memtier_benchmark:1 memtier_benchmark:16}
TIEBREAK=${TIEBREAK:-target/release/tiebreak}
OUT=${OUT:-bench/out/caches.tsv}

packages="Debian has redis-server, redis-tools (redis-benchmark, redis-cli), memcached and \
libmemcached-tools (memcaslap); tiebreak comes from: cargo build --release"
need redis-server redis-cli redis-benchmark memcached taskset timeout awk "$TIEBREAK"
need_two_cores
# Debian calls it memcaslap.
memaslap=$(command -v memaslap || command -v memcaslap || true)

# have TOOL: says so where it is not there.
have() {
    case $1 in
    memaslap) [ -n "$memaslap" ] || { echo "no memaslap: apt-get install libmemcached-tools" >&2; return 1; } ;;
    memtier_benchmark) command -v memtier_benchmark >/dev/null || { echo "no memtier_benchmark here (Debian 12 has no package of it): left out" >&2; return 1; } ;;
    redis-benchmark) ;;
    *) fail "no such tool: $1" ;;
    esac
}

# start NAME PORT COMMAND…: a store on the first core, up when its port opens.
start() {
    local name=$1 port=$2
    shift 2
    taskset -c "$first" "$@" >"$work/$name.log" 2>&1 &
    servers+=("$!")
    for _ in {1..50}; do
        sleep 0.1
        kill -0 "${servers[-1]}" 2>/dev/null || break
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return 0
    done
    tail -n 5 "$work/$name.log" >&2
    fail "$name does not start on port $port"
}

# Operations that a store has counted.
redis_counted() {
    redis-cli -p "$redis_port" info commandstats | tr -d '\r' |
        awk -F'[=,]' '/^cmdstat_(get|set):/ { n += $2 } END { print n + 0 }'
}
memcached_counted() {
    exec 3<>"/dev/tcp/127.0.0.1/$memcached_port"
    printf 'stats\r\nquit\r\n' >&3
    tr -d '\r' <&3 | awk '/^STAT cmd_(get|set) / { n += $3 } END { print n + 0 }'
    exec 3>&-
}

# What tiebreak reads is loaded before, uncharged: the others write what they read, if
# they do, among the operations that they are charged for.
load() {
    local tool=$1 address=$2
    [[ $tool = tiebreak* ]] || return 0
    "$TIEBREAK" load "$address" --reload "${workload[@]}" --quiet >/dev/null ||
        fail "tiebreak does not load $address"
}

# run TOOL STORE DEPTH MIX REQUESTS: one generator; sets cpu.
run() {
    local tool=$1 store=$2 depth=$3 mix=$4 requests=$5 port=${2}_port command
    port=${!port}
    case $tool in
    tiebreak*)
        rm -rf "$work/out"
        command=("$TIEBREAK" run "$store://127.0.0.1:$port" --connections "$CONNECTIONS" --depth "$depth"
            "${workload[@]}" --mix "$mix" --verify "${tool#tiebreak-}"
            --cores 1 --duration "${SECONDS_EACH}s" --warm-up 0s --quiet --out "$work/out") ;;
    redis-benchmark)
        command=(redis-benchmark -p "$port" -c "$CONNECTIONS" -P "$depth" -n "$requests" -r "$KEYS"
            -d "$BYTES" -t get -q) ;;
    memaslap)
        command=("$memaslap" -s "127.0.0.1:$port" -T 1 -c "$CONNECTIONS" -t "${SECONDS_EACH}s"
            -F "$work/memaslap.conf" -w 1k) ;;
    memtier_benchmark)
        command=(memtier_benchmark -p "$port" -P "$([ "$store" = redis ] && echo redis || echo memcache_text)"
            -t 1 -c "$CONNECTIONS" --pipeline "$depth" --test-time "$SECONDS_EACH" --ratio 1:9
            -d "$BYTES" --key-maximum "$KEYS" --hide-histogram) ;;
    esac
    charge "$SECONDS_EACH" "${command[@]}"
}

# One line: tool beside it, depth, round, tool, operations, CPU seconds, CPU µs an
# operation, operations a second.
measure() {
    local beside=$1 depth=$2 round=$3 tool=$4 store=$5 mix=$6 before after from to
    local workload=(--workload kv --keys "$keys" --value "${BYTES}B") port=${5}_port
    load "$tool" "$store://127.0.0.1:${!port}"
    before=$("${store}_counted")
    from=$(date +%s.%N)
    run "$tool" "$store" "$depth" "$mix" "$requests"
    to=$(date +%s.%N)
    after=$("${store}_counted")
    awk -v OFS='\t' -v b="$beside" -v d="$depth" -v r="$round" -v t="$tool" -v cpu="$cpu" \
        -v n=$((after - before)) -v from="$from" -v to="$to" 'BEGIN {
            if (n < 1) exit 1
            print b, d, r, t, n, cpu, 1e6 * cpu / n, n / (to - from) }' >>"$OUT" ||
        fail "$store counted no operation of $tool"
}

# Medians of each tool, and medians of tiebreak's ratios to the other inside each
# round.
summary() {
    awk -F'\t' -v beside="$1" -v depth="$2" -v goal="$3" "$awk_median"'
        function of(field, tool, against,    r, n, list) {
            for (r = 1; r <= rounds; r++)
                list[++n] = value[field, tool, r] / (against == "" ? 1 : value[field, against, r])
            return median(list, n)
        }
        $1 == beside && $2 == depth { value[7, $4, $3] = $7; value[8, $4, $3] = $8; if ($3 > rounds) rounds = $3 }
        END {
            printf "beside %s, depth %s, %d rounds (goal: CPU at most %s of it)\n", beside, depth, rounds, goal
            printf "%-18s %14s %14s %10s %10s\n", "", "CPU µs/op", "op/s", "CPU ratio", "op/s ratio"
            count = split(beside " tiebreak-sample tiebreak-off", name, " ")
            for (i = 1; i <= count; i++)
                printf "%-18s %14.3f %14.0f %10.3f %10.3f\n", name[i], of(7, name[i]), of(8, name[i]),
                    of(7, name[i], beside), of(8, name[i], beside)
        }' "$OUT"
}

# pair TOOL DEPTH: tiebreak beside one other tool.
pair() {
    local tool=$1 depth=$2 store=memcached mix=get=0.9,set=0.1 goal=0.9 keys=$KEYS
    local tools round turn requests=0
    have "$tool" || return 0
    case $tool in
    redis-benchmark)
        store=redis
        mix=get=1
        [ "$depth" = 1 ] || goal=1.0
        # It takes a number of requests and no time: as many as it does in that time.
        redis-benchmark -p "$redis_port" -n "$((KEYS * 20))" -r "$KEYS" -d "$BYTES" -P 16 -t set -q >/dev/null
        requests=$(redis-benchmark -p "$redis_port" -c "$CONNECTIONS" -P "$depth" -n 100000 \
            -r "$KEYS" -t get --csv | awk -F'"' -v s="$SECONDS_EACH" 'END { printf "%d", $4 * s }') ;;
    memtier_benchmark) store=redis ;;
    # It has a thousand keys for each connection, or thousands.
    memaslap) keys=$((CONNECTIONS * 1000)) ;;
    esac
    tools=("$tool" tiebreak-sample tiebreak-off)
    for ((round = 1; round <= ROUNDS; round++)); do
        for ((turn = 0; turn < ${#tools[@]}; turn++)); do
            measure "$tool" "$depth" "$round" "${tools[(round + turn) % ${#tools[@]}]}" "$store" "$mix"
        done
    done
    summary "$tool" "$depth" "$goal"
}

redis_port=18187
memcached_port=18188
user=()
[ "$(id -u)" != 0 ] || user=(-u nobody)
start redis "$redis_port" redis-server --port "$redis_port" --bind 127.0.0.1 --save '' \
    --appendonly no --dir "$work"
start memcached "$memcached_port" memcached -l 127.0.0.1 -p "$memcached_port" -U 0 -t 1 -m 256 "${user[@]}"
printf 'key\n16 16 1\nvalue\n%s %s 1\ncmd\n0 0.1\n1 0.9\n' "$BYTES" "$BYTES" >"$work/memaslap.conf"
mkdir -p "$(dirname "$OUT")"
: >"$OUT"
echo "stores on core $first, generators on core $last; $ROUNDS rounds of $SECONDS_EACH s for each tool" >&2
for of in $PAIRS; do
    pair "${of%:*}" "${of#*:}"
done
echo "every run: $OUT"
