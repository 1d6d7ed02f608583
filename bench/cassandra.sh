#!/usr/bin/env bash
# What an operation on Cassandra costs each load generator: user + system time of the whole
# process from start to exit, divided by the operations that the node counted; and beside it
# how many there were a second and what each cost the node.
#
# One node of Cassandra 5.0 on the first core, launched as the recipe `cassandra` launches it,
# and the generator on the last. tiebreak's CQL lane, latte and cassandra-stress take turns,
# each round starting with a different one; ratios are taken within a round. Equal for all: the
# table (key text PRIMARY KEY, value blob), prepared statements that read and write one row by
# its key, the sizes of keys and values, the number of rows of each tool, a uniform choice
# among them, consistency ONE, one socket and the operations in flight on it. What is read is
# loaded before, uncharged. tiebreak verifies a sample of what it reads, which is its default;
# the other two verify nothing. latte writes always the same value, which is the cheapest for
# it. If an operation of a run fails or finds no row, if the run counts 1 % more or fewer
# operations than the node, or if there is none, the script ends without a ratio.
#
# At the end: what tiebreak's Thrift lane costs beside its memcached lane, against the null
# server (tiebreak conformance null).
#
#   bench/cassandra.sh --build-latte    once: 17 to 25 minutes on two busy cores
#   bench/cassandra.sh --fetch-stress   once: half a minute, 41 MB from Maven Central
#   bench/cassandra.sh
#   ROUNDS=5 SECONDS_EACH=6 NULL_ROUNDS=10 CONNECTIONS=32 KEYS=10000 BYTES=100
#   OPERATIONS="read write" TOOLS="tiebreak latte cassandra-stress"
#   TIEBREAK=target/release/tiebreak OUT=bench/out/cassandra.tsv
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
. bench/node.sh
. bench/cassandra_tools.sh

ROUNDS=${ROUNDS:-5}
SECONDS_EACH=${SECONDS_EACH:-6}
NULL_ROUNDS=${NULL_ROUNDS:-10}
CONNECTIONS=${CONNECTIONS:-32}
KEYS=${KEYS:-10000}
BYTES=${BYTES:-100}
OPERATIONS=${OPERATIONS:-read write}
TOOLS=${TOOLS:-tiebreak latte cassandra-stress}
TIEBREAK=${TIEBREAK:-target/release/tiebreak}
OUT=${OUT:-bench/out/cassandra.tsv}
WARM_UP=10
# tiebreak's CPU per operation, at most this much of theirs; and of Thrift beside memcached.
GOALS="latte=1.0 cassandra-stress=0.25"
THRIFT_GOAL=1.2

case ${1:-} in
--build-latte) build_latte ; exit ;;
--fetch-stress) fetch_stress; exit ;;
'') ;;
*) fail "no such argument: $1 (--build-latte, --fetch-stress or none)" ;;
esac

read -ra tools <<<"$TOOLS"
packages="Debian has default-jre-headless, util-linux (setpriv, taskset) and jq; tiebreak comes \
from: cargo build --release"
need java setpriv taskset timeout jq awk od "$TIEBREAK"
need_two_cores
[ "${tools[0]:-}" = tiebreak ] || fail "TOOLS must begin with tiebreak: ratios are of its cost to that of others"
for tool in "${tools[@]}"; do have "$tool"; done

# Operations of a kind on the table that the node has counted.
counted_by_node() {
    node_asked "SELECT count FROM system_views.coordinator_$1_latency WHERE keyspace_name = 'bench' \
AND table_name = 'tiebreak00'"
}

# load_all: creates the table again, with the rows of every tool.
load_all() {
    local tool rows
    load_table
    for tool in "${tools[@]}"; do
        [ "$tool" = tiebreak ] || fill "$tool"
    done
    rows=$(node_asked "SELECT count(*) FROM bench.tiebreak00")
    [ "$rows" = $((KEYS * ${#tools[@]})) ] || fail "$rows rows were loaded, not $KEYS by each tool"
}

# One line: operation, round, tool, operations that the node counted, CPU seconds, CPU µs an
# operation, operations a second while it drove, and CPU µs of the node an operation.
measure() {
    local operation=$1 round=$2 tool=$3 before after node_before node_after
    # A write leaves other values than tiebreak reads: it would load the table itself.
    [ "$tool" != tiebreak ] || [ "$operation" = read ] || load_table
    before=$(counted_by_node "$operation")
    node_before=$(node_cpu)
    drive "$tool" "$operation"
    node_after=$(node_cpu)
    after=$(counted_by_node "$operation")
    told "$tool" "$operation"
    awk -v n=$((after - before)) -v did="$did" -v failed="$failed" 'BEGIN {
            exit failed == 0 && n >= 100 && did >= 0.99 * n && did <= 1.01 * n ? 0 : 1 }' ||
        fail "no ratio: of $tool the node counted $((after - before)) ${operation}s, and $tool reports" \
            "of $did and of $failed errors"
    awk -v OFS='\t' -v o="$operation" -v r="$round" -v t="$tool" -v n=$((after - before)) -v cpu="$cpu" \
        -v rate="$rate" -v node="$node_before $node_after" 'BEGIN {
            split(node, at, " ")
            print o, r, t, n, cpu, 1e6 * cpu / n, rate, 1e6 * (at[2] - at[1]) / n }' >>"$OUT"
}

# Medians of each tool; and of tiebreak's ratios to the others inside each round the median,
# the lowest and the highest.
summary() {
    awk -F'\t' -v operation="$1" -v tools="$TOOLS" -v goals="$GOALS" \
        -v of_load="$CONNECTIONS in flight, values of $BYTES B" "$awk_median"'
        function of(field, tool,    r, list) {
            for (r = 1; r <= rounds; r++) list[r] = value[field, tool, r]
            return median(list, rounds)
        }
        # After the median the list is in order.
        function ratio(tool,    r, list, middle) {
            for (r = 1; r <= rounds; r++) list[r] = value[6, "tiebreak", r] / value[6, tool, r]
            middle = median(list, rounds)
            return sprintf("%.3f (%.3f to %.3f), goal %s: %s", middle, list[1], list[rounds], goal[tool],
                middle <= goal[tool] ? "met" : "missed")
        }
        $1 == operation {
            value[6, $3, $2] = $6; value[7, $3, $2] = $7; value[8, $3, $2] = $8
            if ($2 > rounds) rounds = $2
        }
        END {
            count = split(goals, pair, " ")
            for (i = 1; i <= count; i++) { split(pair[i], part, "="); goal[part[1]] = part[2] }
            printf "%s, %d rounds, %s\n", operation, rounds, of_load
            printf "%-17s %10s %8s %15s  %s\n", "", "CPU µs/op", "op/s", "node CPU µs/op",
                "tiebreak'\''s CPU of its (lowest and highest round)"
            count = split(tools, name, " ")
            for (i = 1; i <= count; i++)
                printf "%-17s %10.2f %8.0f %15.1f  %s\n", name[i], of(6, name[i]), of(7, name[i]),
                    of(8, name[i]), name[i] == "tiebreak" ? "" : ratio(name[i])
        }' "$OUT"
}

# What the lanes of two wire protocols cost, against the null server.
thrift() {
    launch "$TIEBREAK" conformance null --connections "$CONNECTIONS" --rounds "$NULL_ROUNDS" \
        --json "$work/null.json" --quiet
    finish
    [ "$status" = 0 ] || fail_with_output "tiebreak conformance null ended with exit code $status"
    jq -r --argjson goal "$THRIFT_GOAL" '
        def lane($name): .lanes[] | select(.protocol == $name and .depth == 1 and .connections == "persistent");
        lane("Thrift") as $thrift | lane("memcached text") as $memcached
        | [$thrift.failed + $memcached.failed, $thrift.operations, $memcached.operations,
            1e6 * $thrift.cpu_per_operation.median, 1e6 * $memcached.cpu_per_operation.median,
            100 * .waited, $goal] | @tsv' "$work/null.json" |
        awk -F'\t' '{
            if ($1 > 0 || $2 < 100 || $3 < 100) exit 1
            printf "against the null server (it waited for its core for %.0f %% of its time)\n", $6
            printf "Thrift lane %.2f µs/op, memcached lane %.2f: %.3f of it, goal %s: %s\n", $4, $5, $4 / $5,
                $7, $4 / $5 <= $7 ? "met" : "missed"
        }' || fail "no ratio: operations failed against the null server, or there were none"
}

start_node
prepare_tools
mkdir -p "$(dirname "$OUT")"
: >"$OUT"
echo "Cassandra on core $first, generators on core $last; $ROUNDS rounds of $SECONDS_EACH s for each tool" >&2
warm_up
for operation in $OPERATIONS; do
    load_all
    for ((round = 1; round <= ROUNDS; round++)); do
        for ((turn = 0; turn < ${#tools[@]}; turn++)); do
            measure "$operation" "$round" "${tools[(round + turn) % ${#tools[@]}]}"
        done
    done
    summary "$operation"
done
thrift
echo "every run: $OUT"
