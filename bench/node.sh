# shellcheck shell=bash
# One node of Cassandra 5.0 for benchmarks, launched as the recipe `cassandra` launches it:
# configuration and Java's options are read from protocols/cassandra/recipes/common/5.0.toml. Sourced after
# common.sh, not run.
#
# start_node       the node, on the first core; sets node_port, node_pid
# node_cpu         user + system time of the node so far, in seconds
# node_asked TEXT  the result of a statement that returns one row with one bigint
# shellcheck disable=SC2154 # first, work and servers come from common.sh
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tiebreak
recipe=protocols/cassandra/recipes/common/5.0.toml

# Sets software, the directory of Cassandra: that of CASSANDRA_HOME, or what tiebreak fetched.
find_cassandra() {
    local found
    if [ -n "${CASSANDRA_HOME:-}" ]; then
        software=$CASSANDRA_HOME
        return
    fi
    for found in "$cache"/software/cassandra-5.0.*; do
        [ -d "$found/lib" ] && software=$found
    done
    [ -n "${software:-}" ] || fail "there is no Cassandra 5.0 here: run tiebreak setup cassandra"
}

# block START: the lines of the recipe's text in triple quotes whose first line begins
# with START.
block() {
    awk -v start="$1" '
        index($0, start) == 1 { inside = 1; next }
        inside {
            ends = index($0, "\"\"\"")
            if (ends != 1) print ends ? substr($0, 1, ends - 1) : $0
            if (ends) exit
        }' "$recipe"
}

# in_recipe PORT: fills in the places of the recipe; the storage port is PORT.
in_recipe() {
    sed -e "s|{temp}|$work|g" -e 's|{process}|node|g' -e 's|{host}|127.0.0.1|g' \
        -e "s|{port}|$node_port|g" -e "s|{storage.port}|$1|g" -e "s|{software}|$software|g" \
        -e 's|{choice.heap}|512M|g'
}

# free_port FROM: prints a port at which nobody listens, below those that the kernel hands
# to clients.
free_port() {
    local candidate
    for ((candidate = $1; candidate < $1 + 100; candidate++)); do
        (exec 3<>"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null || { echo "$candidate"; return; }
    done
    fail "ports $1 to $candidate are all taken"
}

start_node() {
    local directory=$work/node storage sync
    find_cassandra
    node_port=$(free_port 18300)
    storage=$(free_port 18400)
    sync=$(block 'choices.commitlog_sync = { periodic = """')
    mkdir "$directory"
    block '"logback.xml" = """' >"$work/logback.xml"
    block '"{process}/java.options" = """' | in_recipe "$storage" >"$directory/java.options"
    block '"{process}/cassandra.yaml" = """' | in_recipe "$storage" |
        awk -v sync="$sync" '$0 == "{choice.commitlog_sync}" { $0 = sync } { print }' >"$directory/cassandra.yaml"
    # --pdeathsig: it ends with this script, even if that is killed.
    setpriv --pdeathsig TERM taskset -c "$first" java -Dcassandra.initial_token=0 \
        "@$directory/java.options" org.apache.cassandra.service.CassandraDaemon >"$directory/log" 2>&1 &
    node_pid=$!
    servers+=("$node_pid")
    for _ in {1..600}; do
        sleep 0.2
        kill -0 "$node_pid" 2>/dev/null || break
        # The line of its own log: at the port somebody else could answer.
        ! grep -q 'Startup complete' "$directory/log" || return 0
    done
    tail -n 20 "$directory/log" >&2
    fail "Cassandra does not start"
}

node_cpu() {
    awk -v ticks="$(getconf CLK_TCK)" '{ print ($14 + $15) / ticks }' "/proc/$node_pid/stat"
}

# hex NUMBER BYTES: big-endian, as printf's escapes.
hex() {
    printf "%0$((2 * $2))x" "$1" | sed 's/../\\x&/g'
}

# The next BYTES from descriptor 4, in hexadecimal.
received() {
    timeout 30 head -c "$1" <&4 | od -An -v -tx1 | tr -d ' \n'
}

# reply OPCODE: reads one frame of CQL from descriptor 4, which must have this opcode (two
# hexadecimal digits). Sets body, in hexadecimal.
reply() {
    local head
    head=$(received 9)
    body=$(received $((16#0${head:10:8})))
    [ "${head:8:2}" = "$1" ] || fail "Cassandra answers with opcode '${head:8:2}' in place of $1"
}

# The least of a client for CQL: version 4 of its protocol, STARTUP, and when the node is
# ready for it QUERY, at consistency ONE. The cell of the row is the end of the reply.
node_asked() {
    local text=$1 body
    exec 4<>"/dev/tcp/127.0.0.1/$node_port"
    # shellcheck disable=SC2059 # the format is the frame
    printf "\x04\x00\x00\x00\x01$(hex 22 4)\x00\x01\x00\x0bCQL_VERSION\x00\x053.0.0" >&4
    reply 02
    # shellcheck disable=SC2059
    printf "\x04\x00\x00\x00\x07$(hex $((${#text} + 7)) 4)$(hex ${#text} 4)%s\x00\x01\x00" "$text" >&4
    reply 08
    exec 4>&-
    # One row, with one cell of 8 bytes.
    [[ $body = *0000000100000008???????????????? ]] || fail "Cassandra does not answer with one number: $text"
    echo $((16#${body: -16}))
}
