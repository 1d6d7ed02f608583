#!/usr/bin/env bash
# How short may a slice be? For pairs whose true ratio is known, pairs of real servers,
# and several lengths of slices: the standard deviation of ln(B/A) of throughput between
# rounds, and its bias. With short slices the compared slices are close together, so the
# deviation falls; but a slice loses what happens at its start, so the ratio is pulled
# towards 1 (a positive bias) if the contenders lose differently.
#
# Servers run on the first core, the generator on the last. "100 200" are test servers
# whose service takes so many µs; "100 200 2ms" the same behind a delay; "nginx" two
# nginx, of which one tries more regular expressions; "node" Node's http against the
# plain nginx. Of those two the truth is taken from the longest slices.
#
# Takes half a minute for each length of each pair: half an hour with all of them.
#
#   bench/slices.sh
#   PAIRS="100 110;100 200;100 200 2ms;100 200 20ms;nginx;node" CONNECTIONS="8 64 256"
#   SLICES="5ms 10ms 20ms 50ms 200ms" ROUNDS=8 ROUND=700ms
#   TIEBREAK=target/release/tiebreak OUT=bench/out/slices (the reports)
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh

PAIRS=${PAIRS:-100 110;100 200;100 200 2ms;100 200 20ms;nginx;node}
CONNECTIONS=${CONNECTIONS:-8 64 256}
SLICES=${SLICES:-5ms 10ms 20ms 50ms 200ms}
ROUNDS=${ROUNDS:-8}
ROUND=${ROUND:-700ms}
TIEBREAK=${TIEBREAK:-target/release/tiebreak}
OUT=${OUT:-bench/out/slices}

packages="Debian has nginx-light and nodejs; tiebreak comes from: cargo build --release"
need nginx node taskset awk cargo "$TIEBREAK"
need_two_cores

# free_port: one below the range of client ports that nobody listens on.
next_port=21000
free_port() {
    while (exec 3<>"/dev/tcp/127.0.0.1/$next_port") 2>/dev/null; do
        next_port=$((next_port + 1))
    done
    port=$next_port
    next_port=$((next_port + 1))
}

# started PID: ends with this script, and answers before it goes on.
started() {
    local tries=0
    servers+=("$1")
    until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || fail "nobody listens on port $port"
        sleep 0.05
    done
}

# start_testserver SERVICE_US [DELAY]
start_testserver() {
    free_port
    "$TIEBREAK" testserver --listen "127.0.0.1:$port" --core "$first" --service "${1}us" \
        ${2:+--delay "$2"} >/dev/null 2>&1 &
    started $!
}

start_node() {
    free_port
    taskset -c "$first" node -e "
        const page = Buffer.from('<html><body>' + 'x'.repeat(61) + '</body></html>');
        require('http').createServer((request, reply) => {
            reply.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': page.length });
            reply.end(page);
        }).listen({ host: '127.0.0.1', port: $port, backlog: 1024 });" >/dev/null 2>&1 &
    started $!
}

# regexes N: nginx tries N expressions on the query, and none fits.
regexes() {
    local at
    # shellcheck disable=SC2016 # nginx's variables, not ours
    printf 'map $args $never {\n'
    for ((at = 0; at < $1; at++)); do
        printf '    "~^(x+x+)+[yz]" 1;\n'
    done
    # shellcheck disable=SC2016
    printf '}\nadd_header X-Never $never;\n'
}

# pair WORDS…: starts both; sets a, b (ports and paths) and truth (0: not known).
pair() {
    case $1 in
    nginx)
        start_nginx "regexes$next_port" 1000 "$(regexes 100)"
        a="$port/?xxxx"
        start_nginx "more$next_port" 1000 "$(regexes 160)"
        b="$port/?xxxx" truth=0
        ;;
    node)
        start_nginx "plain$next_port" 1000
        a="$port/"
        start_node
        b="$port/" truth=0
        ;;
    *)
        start_testserver "$1" "${3:-}"
        a="$port/"
        start_testserver "$2" "${3:-}"
        b="$port/" truth=$(awk -v a="$1" -v b="$2" 'BEGIN { print a / b }')
        ;;
    esac
}

# compare REPORT CONNECTIONS SLICE
compare() {
    rm -rf "$work/run"
    launch "$TIEBREAK" compare "a=http://127.0.0.1:$a" "b=http://127.0.0.1:$b" --cores 1 \
        --connections "$2" --warm-up 200ms --rounds "$ROUNDS" --round "$ROUND" --slice "$3" \
        --quiet --out "$work/run" --json "$1"
    finish
    [ "$status" = 0 ] || fail_with_output "tiebreak ended with exit code $status"
}

cargo build --quiet --release --locked --example sharpness
analysis=$(cargo metadata --format-version 1 --no-deps --locked |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')/release/examples/sharpness
mkdir -p "$OUT"
IFS=';' read -ra pairs <<<"$PAIRS"
read -ra slices <<<"$SLICES"
for words in "${pairs[@]}"; do
    read -ra words <<<"$words"
    pair "${words[@]}"
    for connections in $CONNECTIONS; do
        lines=()
        for slice in "${slices[@]}"; do
            name=$(printf '%s-' "${words[@]}")
            report="$OUT/$name$connections-$slice.json"
            compare "$report" "$connections" "$slice"
            lines+=("slices of $slice=$report")
        done
        echo "${words[*]}, $connections connections"
        "$analysis" bias "$truth" "${lines[@]}"
        echo
    done
done
echo "reports: $OUT" >&2
