#!/usr/bin/env bash
# What an operation on a database costs each load generator: user + system time of the
# whole process from start to exit, divided by the operations that it did; and how many
# a second there were.
#
# One PostgreSQL (beside pgbench -S) or MariaDB (beside sysbench oltp_point_select) on
# the first core, the generator on the last, one thread. tiebreak reads the same tables
# that the other tool made and filled, by the same statement, in an experiment file of
# its own. Each round starts with another tool; ratios are taken inside a round.
# Equal for both: connections, rows, statements and how they are sent.
#
#   bench/sql.sh
#   ROUNDS=7 SECONDS_EACH=4 CONNECTIONS=8 SCALE=1
#   PAIRS="pgbench:simple pgbench:extended pgbench:prepared sysbench:prepared sysbench:text"
#   TIEBREAK=target/release/tiebreak OUT=bench/out/sql.tsv
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh

ROUNDS=${ROUNDS:-7}
SECONDS_EACH=${SECONDS_EACH:-4}
CONNECTIONS=${CONNECTIONS:-8}
SCALE=${SCALE:-1}
PAIRS=${PAIRS:-pgbench:simple pgbench:extended pgbench:prepared sysbench:prepared sysbench:text}
TIEBREAK=${TIEBREAK:-target/release/tiebreak}
OUT=${OUT:-bench/out/sql.tsv}
GOAL=1.3
ROWS=100000

# Debian keeps PostgreSQL's programs apart, by version.
for folder in /usr/lib/postgresql/*/bin; do PATH=$PATH:$folder; done
packages="Debian has postgresql (pgbench comes with it), mariadb-server and sysbench; tiebreak \
comes from: cargo build --release"
need postgres initdb pgbench psql mariadbd mariadb-install-db mariadb sysbench taskset timeout awk setpriv "$TIEBREAK"
need_two_cores

# as USER COMMAND…: where we are root the command is not.
as() {
    local user=$1
    shift
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid="$user" --regid="$user" --clear-groups --pdeathsig INT "$@"
    else
        "$@"
    fi
}

# up NAME COMMAND…: waits until it succeeds.
up() {
    local name=$1
    shift
    for _ in {1..100}; do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    tail -n 5 "$work/$name.log" >&2
    fail "$name does not start"
}

postgres_port=18191
mariadb_port=18192
start_postgres() {
    local data=$work/postgres
    mkdir "$data"
    [ "$(id -u)" != 0 ] || chown postgres "$data"
    as postgres initdb -D "$data/d" -A trust -U bench --no-sync -E UTF8 --locale=C >/dev/null
    as postgres taskset -c "$first" postgres -D "$data/d" -p "$postgres_port" -c listen_addresses=127.0.0.1 \
        -c unix_socket_directories="$data" -c fsync=off -c shared_buffers=128MB >"$work/postgres.log" 2>&1 &
    servers+=("$!")
    up postgres psql -h 127.0.0.1 -p "$postgres_port" -U bench -d postgres -c 'SELECT 1'
    pgbench -i -q -s "$SCALE" -h 127.0.0.1 -p "$postgres_port" -U bench postgres >/dev/null 2>&1
}
start_mariadb() {
    local data=$work/mariadb
    mkdir "$data"
    [ "$(id -u)" != 0 ] || chown mysql "$data"
    as mysql mariadb-install-db --no-defaults --datadir="$data/d" --skip-test-db \
        --auth-root-authentication-method=normal >/dev/null
    as mysql taskset -c "$first" mariadbd --no-defaults --datadir="$data/d" --socket="$data/s" \
        --pid-file="$data/pid" --port="$mariadb_port" --bind-address=127.0.0.1 --skip-name-resolve \
        --innodb-flush-log-at-trx-commit=0 >"$work/mariadb.log" 2>&1 &
    servers+=("$!")
    up mariadb mariadb --no-defaults -S "$data/s" -uroot -e "CREATE DATABASE bench; \
        CREATE USER bench@127.0.0.1; GRANT ALL ON bench.* TO bench@127.0.0.1"
    sysbench oltp_point_select "${sysbench[@]}" prepare >/dev/null
}
sysbench=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$mariadb_port" --mysql-user=bench
    --mysql-db=bench --tables=1 --table-size="$ROWS" --rand-type=uniform --threads="$CONNECTIONS")

# The experiment that reads a row by its primary key: table, column, key, rows.
experiment() {
    cat >"$work/$1.toml" <<TOML
[workload]
keys = $5
[[workload.statements]]
name = "read"
sql = "SELECT $3 FROM $2 WHERE $4 = {id}"
parameters = { id = "uniform(1, $5)" }
rows = 1
[contender.of]
url = "$6"
TOML
}

# run TOOL SERVER HOW: one generator; sets cpu and done.
run() {
    local tool=$1 server=$2 how=$3
    case $tool in
    tiebreak)
        rm -rf "$work/out"
        charge "$SECONDS_EACH" "$TIEBREAK" run "$work/$server.toml" --allow-launch --set "of.protocol=$how" \
            --connections "$CONNECTIONS" --cores 1 --duration "${SECONDS_EACH}s" --warm-up 0s --quiet --out "$work/out"
        operations=$(awk -F'[:,]' '/^ *"operations"/ { print $2 + 0; exit }' <(
            sed -n '/"contenders"/,$p' "$work/out/report.json" | grep -m1 '"operations"')) ;;
    pgbench)
        charge "$SECONDS_EACH" pgbench -S -n -M "$how" -c "$CONNECTIONS" -j 1 -T "$SECONDS_EACH" \
            -h 127.0.0.1 -p "$postgres_port" -U bench postgres
        operations=$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$work/charged.log") ;;
    sysbench)
        local prepared=auto
        [ "$how" = prepared ] || prepared=disable
        charge "$SECONDS_EACH" sysbench oltp_point_select "${sysbench[@]}" --db-ps-mode="$prepared" \
            --time="$SECONDS_EACH" run
        operations=$(sed -n 's/^ *queries: *\([0-9]*\).*/\1/p' "$work/charged.log") ;;
    esac
}
