#!/usr/bin/env bash
# Ten thousand connections held open on two cores: nginx (one worker) on the
# first, tiebreak on the last. What does a connection cost the generator?
#
# Each load is driven twice, with FEW and with CONNECTIONS connections. While
# nginx reports that all of them are open, the resident memory of tiebreak is read;
# the difference, divided by the number of additional connections, is the memory of
# one. (Code, histograms and journal are in both and cancel out. Socket buffers
# belong to the kernel, and are in neither.) Peak is the high-water mark of the
# whole process, including the report at its end.
#
# "established" comes from tiebreak's report, "at once" is what nginx counted. Fails
# if either is below CONNECTIONS.
#
#   bench/connections.sh
#   CONNECTIONS=10000 FEW=100 SECONDS_EACH=5
#   LOADS="closed 10k/s"    closed: each connection sends again as soon as it has
#                           its reply; a rate: all connections take turns
#   TIEBREAK=target/release/tiebreak
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh

CONNECTIONS=${CONNECTIONS:-10000}
FEW=${FEW:-100}
SECONDS_EACH=${SECONDS_EACH:-5}
LOADS=${LOADS:-closed 10k/s}
TIEBREAK=${TIEBREAK:-target/release/tiebreak}

packages="Debian has nginx-light and jq; tiebreak comes from: cargo build --release"
need nginx taskset awk jq "$TIEBREAK"
need_two_cores
[ "$CONNECTIONS" -gt "$FEW" ] || fail "CONNECTIONS ($CONNECTIONS) must be more than FEW ($FEW)"

# A connection is a descriptor on either side. tiebreak would raise its own soft
# limit; nginx, unless root starts it, would not.
raise_descriptors() {
    local wanted=$((CONNECTIONS + 500)) hard
    hard=$(ulimit -Hn)
    [ "$hard" = unlimited ] || [ "$hard" -ge "$wanted" ] ||
        fail "the hard limit of descriptors is $hard, and $CONNECTIONS connections need about" \
            "$wanted: raise it (as root: ulimit -Hn $wanted, or nofile in limits.conf), or set CONNECTIONS"
    [ "$(ulimit -Sn)" = unlimited ] || [ "$(ulimit -Sn)" -ge "$wanted" ] || ulimit -Sn "$wanted"
}

# Persistent connections to loopback all come from 127.0.0.1, so each needs a
# client port of its own. (Fresh ones are spread over 64 source addresses.)
check_ports() {
    local low high
    read -r low high </proc/sys/net/ipv4/ip_local_port_range
    [ $((high - low + 1)) -ge $((CONNECTIONS + 500)) ] ||
        fail "there are $((high - low + 1)) client ports ($low to $high) for $CONNECTIONS" \
            "connections from one address: widen net.ipv4.ip_local_port_range, or set CONNECTIONS"
}

# kilobytes FIELD: of the status of what was launched; 0 once it is gone.
kilobytes() {
    awk -v field="$1:" '$1 == field { kb = $2 } END { print kb + 0 }' \
        "/proc/$tool_pid/status" 2>/dev/null || echo 0
}

# watch CONNECTIONS: until what was launched has ended. Sets held (the most that
# nginx had open), resident (the largest while all were open) and peak, in kB.
watch() {
    local deadline=$((SECONDS + SECONDS_EACH + 20)) before=0 now memory mark
    held=0 resident=0 peak=0
    while kill -0 "$tool_pid" 2>/dev/null; do
        [ "$SECONDS" -lt "$deadline" ] || fail_with_output "tiebreak does not end"
        memory=$(kilobytes VmRSS) mark=$(kilobytes VmHWM)
        now=$(active "$port")
        # All were open before the memory was read, and after.
        if [ "$before" -ge "$1" ] && [ "$now" -ge "$1" ] && [ "$memory" -gt "$resident" ]; then
            resident=$memory
        fi
        [ "$now" -le "$held" ] || held=$now
        [ "$mark" -le "$peak" ] || peak=$mark
        before=$now
        sleep 0.05
    done
}

# hold LOAD CONNECTIONS: drives, prints a line, sets resident.
hold() {
    local arguments=(--connections "$2" --cores 1 --duration "${SECONDS_EACH}s" --warm-up 0s) requested established
    [ "$1" = closed ] || arguments+=(--rate "$1")
    rm -rf "$work/run"
    launch "$TIEBREAK" run "http://127.0.0.1:$port/" "${arguments[@]}" \
        --quiet --out "$work/run"
    watch "$2"
    finish
    # 3 is the audit's refusal of the figures, which are not what is asked here.
    [ "$status" = 0 ] || [ "$status" = 3 ] ||
        fail_with_output "tiebreak ended with exit code $status"
    read -r requested established < <(jq -r '.contenders[0].connections |
        "\(.requested) \(.established)"' "$work/run/report.json")
    jq -r --arg load "$1" --argjson held "$held" --argjson resident "$resident" \
        --argjson peak "$peak" '
        .contenders[0] | [$load, .connections.requested, .connections.established, $held, .operations,
            (.operations - .outcomes.ok), (.metrics.response_time.p99 * 1e3 * 10 | round / 10),
            ($resident / 1024 * 10 | round / 10), ($peak / 1024 * 10 | round / 10)] | @tsv' \
        "$work/run/report.json" | awk -F'\t' -v row="$row" '{
            printf row, $1, $2, $3, $4, $5, $6, $7, $8, $9 }'
    [ "$requested $established" = "$2 $2" ] || fail "$established of $2 connections were established"
    [ "$resident" -gt 0 ] || fail "nginx never had all $2 connections open at once, $held at most"
}

raise_descriptors
check_ports
start_nginx nginx "$CONNECTIONS"
row='%-8s %9s %11s %8s %11s %7s %9s %9s %9s\n'
read -ra loads <<<"$LOADS"
echo "nginx on core $first, tiebreak on core $last; $((2 * ${#loads[@]})) runs of $SECONDS_EACH s" >&2
# shellcheck disable=SC2059 # the heading has the columns of the rows
printf "$row" load requested established "at once" operations failed "p99, ms" "RSS, MB" "peak, MB"
for load in "${loads[@]}"; do
    hold "$load" "$FEW"
    few=$resident
    hold "$load" "$CONNECTIONS"
    # `load` is the name of a function in gawk.
    awk -v of="$load" -v many="$resident" -v few="$few" -v more=$((CONNECTIONS - FEW)) 'BEGIN {
        printf "%s: %.0f bytes of memory for each connection\n", of, 1024 * (many - few) / more }'
done
