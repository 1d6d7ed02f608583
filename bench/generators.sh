#!/usr/bin/env bash
# What a request costs each load generator: user + system time of the whole
# process from start to exit, divided by the requests that nginx counted.
#
# One nginx worker on the first core, the generator on the last. The tools run
# in turn, each round starting with a different one, so that a drift of the machine
# affects all alike; ratios are taken within a round.
#
#   bench/generators.sh
#   ROUNDS=11 SECONDS_EACH=2 CONNECTIONS="32 512" TOOLS="tiebreak wrk ab h2load"
#   TIEBREAK=target/release/tiebreak OUT=bench/out/generators.tsv
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh

ROUNDS=${ROUNDS:-11}
SECONDS_EACH=${SECONDS_EACH:-2}
CONNECTIONS=${CONNECTIONS:-32 512}
TOOLS=${TOOLS:-tiebreak wrk ab h2load}
TIEBREAK=${TIEBREAK:-target/release/tiebreak}
OUT=${OUT:-bench/out/generators.tsv}

read -ra tools <<<"$TOOLS"
packages="Debian has nginx-light, wrk, apache2-utils (ab) and nghttp2-client (h2load); \
tiebreak comes from: cargo build --release"
need nginx taskset timeout awk "${tools[@]/#tiebreak/$TIEBREAK}"
need_two_cores
[[ " $TOOLS " == *" wrk "* ]] || fail "TOOLS must name wrk: ratios are taken to it"

# run TOOL CONNECTIONS URL: sets cpu, the seconds of user + system time.
run() {
    local tool=$1 connections=$2 url=$3 command out
    out=$work/out
    rm -rf "$out"
    case $tool in
    tiebreak) command=("$TIEBREAK" run "$url" --connections "$connections" --cores 1
        --duration "${SECONDS_EACH}s" --warm-up 0s --quiet --out "$out") ;;
    wrk) command=(wrk -t1 -c"$connections" -d"${SECONDS_EACH}s" "$url") ;;
    # -t alone would stop ab at 50 000 requests.
    ab) command=(ab -q -k -t "$SECONDS_EACH" -n $((SECONDS_EACH * 500000)) -c "$connections" "$url") ;;
    h2load) command=(h2load --h1 -t1 -c "$connections" -D "$SECONDS_EACH" "$url") ;;
    *) fail "no such tool: $tool" ;;
    esac
    charge "$SECONDS_EACH" "${command[@]}"
}

# One line: connections, round, tool, requests, CPU seconds, CPU µs a request,
# requests a second.
measure() {
    local connections=$1 round=$2 tool=$3 before after
    before=$(counted "$port")
    run "$tool" "$connections" "http://127.0.0.1:$port/"
    sleep 0.2
    after=$(counted "$port")
    # Of the two questions the second is in the difference.
    awk -v OFS='\t' -v c="$connections" -v r="$round" -v t="$tool" -v n=$((after - before - 1)) \
        -v cpu="$cpu" -v s="$SECONDS_EACH" 'BEGIN {
            if (n < 1) exit 1
            print c, r, t, n, cpu, 1e6 * cpu / n, n / s }' >>"$OUT" ||
        fail "nginx counted no request of $tool"
}

# Medians of each tool, and medians of its ratios to wrk inside each round.
summary() {
    awk -F'\t' -v wanted="$1" -v tools="$TOOLS" "$awk_median"'
        function of(field, tool, against,    r, n, list) {
            for (r = 1; r <= rounds; r++)
                list[++n] = value[field, tool, r] / (against == "" ? 1 : value[field, against, r])
            return median(list, n)
        }
        $1 == wanted { value[6, $3, $2] = $6; value[7, $3, $2] = $7; if ($2 > rounds) rounds = $2 }
        END {
            printf "%s connections, %d rounds\n", wanted, rounds
            printf "%-10s %14s %12s %14s %14s\n", "", "CPU µs/request", "requests/s", "CPU / wrk", "req/s / wrk"
            count = split(tools, name, " ")
            for (i = 1; i <= count; i++)
                printf "%-10s %14.3f %12.0f %14.3f %14.3f\n", name[i], of(6, name[i]), of(7, name[i]),
                    of(6, name[i], "wrk"), of(7, name[i], "wrk")
        }' "$OUT"
}

start_nginx nginx 4096
mkdir -p "$(dirname "$OUT")"
: >"$OUT"
read -ra points <<<"$CONNECTIONS"
planned=$((${#points[@]} * ROUNDS * ${#tools[@]}))
echo "nginx on core $first, generators on core $last; $planned runs of $SECONDS_EACH s each" >&2
for connections in "${points[@]}"; do
    for ((round = 1; round <= ROUNDS; round++)); do
        for ((turn = 0; turn < ${#tools[@]}; turn++)); do
            measure "$connections" "$round" "${tools[(round + turn) % ${#tools[@]}]}"
        done
    done
    summary "$connections"
done
echo "every run: $OUT"
