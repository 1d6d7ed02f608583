#!/usr/bin/env bash
# What an operation on a database costs each load generator: user + system time of the
# whole process from start to exit, divided by the operations that it did; and how many
# a second there were.
#
# One PostgreSQL (beside pgbench -S) or MariaDB (beside sysbench oltp_point_select) on
# the first core, the generator on the last, one thread. tiebreak reads the same tables
# that the other tool made and filled, by the same statement, in a separate experiment
# file. Each round starts with a different tool; ratios are taken within a round.
# Equal for both: connections, rows, statements and how they are sent.
#
#   bench/sql.sh
#   ROUNDS=5 SECONDS_EACH=6 CONNECTIONS=32 SCALE=1
#   PAIRS="pgbench:simple pgbench:extended pgbench:prepared sysbench:prepared sysbench:text"
#   TIEBREAK=target/release/tiebreak OUT=bench/out/sql.tsv
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh

ROUNDS=${ROUNDS:-5}
SECONDS_EACH=${SECONDS_EACH:-6}
CONNECTIONS=${CONNECTIONS:-32}
SCALE=${SCALE:-1}
PAIRS=${PAIRS:-pgbench:simple pgbench:extended pgbench:prepared sysbench:prepared sysbench:text}
TIEBREAK=${TIEBREAK:-target/release/tiebreak}
OUT=${OUT:-bench/out/sql.tsv}
GOAL=1.3
ROWS=100000

# Debian keeps PostgreSQL's programs apart, by version.
for directory in /usr/lib/postgresql/*/bin; do PATH=$PATH:$directory; done
packages="Debian has postgresql (pgbench comes with it), mariadb-server and sysbench; tiebreak \
comes from: cargo build --release"
need postgres initdb pgbench psql mariadbd mariadb-install-db mariadb sysbench taskset timeout awk setpriv "$TIEBREAK"
need_two_cores

# Where we are root the servers are not. Words, not a function: what such a function
# starts in the background would be the child of another shell, and outlive it.
as_postgres=() as_mysql=()
if [ "$(id -u)" = 0 ]; then
    as_postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups --pdeathsig INT)
    as_mysql=(setpriv --reuid=mysql --regid=mysql --clear-groups --pdeathsig TERM)
fi

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
    "${as_postgres[@]}" initdb -D "$data/d" -A trust -U bench --no-sync -E UTF8 --locale=C >/dev/null
    "${as_postgres[@]}" taskset -c "$first" postgres -D "$data/d" -p "$postgres_port" -c listen_addresses=127.0.0.1 \
        -c unix_socket_directories="$data" -c fsync=off -c shared_buffers=128MB >"$work/postgres.log" 2>&1 &
    servers+=("$!")
    up postgres psql -h 127.0.0.1 -p "$postgres_port" -U bench -d postgres -c 'SELECT 1'
    pgbench -i -q -s "$SCALE" -h 127.0.0.1 -p "$postgres_port" -U bench postgres >/dev/null 2>&1
}
start_mariadb() {
    local data=$work/mariadb
    mkdir "$data"
    [ "$(id -u)" != 0 ] || chown mysql "$data"
    "${as_mysql[@]}" mariadb-install-db --no-defaults --datadir="$data/d" --tmpdir="$data" \
        --skip-test-db --auth-root-authentication-method=normal >/dev/null
    "${as_mysql[@]}" taskset -c "$first" mariadbd --no-defaults --datadir="$data/d" --socket="$data/s" \
        --tmpdir="$data" --pid-file="$data/pid" --port="$mariadb_port" --bind-address=127.0.0.1 --skip-name-resolve \
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

# Statements that a server has counted: sessions tell when they end.
postgres_counted() {
    psql -h 127.0.0.1 -p "$postgres_port" -U bench -d postgres -Atc \
        "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'"
}
mariadb_counted() {
    mariadb --no-defaults -S "$work/mariadb/s" -uroot -Ne "SHOW GLOBAL STATUS LIKE 'Com_select'" |
        awk '{ print $2 }'
}

# run TOOL SERVER HOW: one generator; sets cpu.
run() {
    local tool=$1 server=$2 how=$3 prepared=auto
    case $tool in
    tiebreak)
        rm -rf "$work/out"
        charge "$SECONDS_EACH" "$TIEBREAK" run "$work/$server.toml" --set "of.protocol=$how" --cores 1 \
            --connections "$CONNECTIONS" --duration "${SECONDS_EACH}s" --warm-up 0s --quiet \
            --allow-launch --out "$work/out" ;;
    pgbench)
        charge "$SECONDS_EACH" pgbench -S -n -M "$how" -c "$CONNECTIONS" -j 1 -T "$SECONDS_EACH" \
            -h 127.0.0.1 -p "$postgres_port" -U bench postgres ;;
    sysbench)
        [ "$how" = prepared ] || prepared=disable
        charge "$SECONDS_EACH" sysbench oltp_point_select "${sysbench[@]}" --db-ps-mode="$prepared" \
            --time="$SECONDS_EACH" run ;;
    esac
}

# One line: pair, round, tool, statements, CPU seconds, CPU µs and statements a second.
measure() {
    local pair=$1 round=$2 tool=$3 server=$4 how=$5 before after from to
    before=$("${server}_counted")
    from=$(date +%s.%N)
    run "$tool" "$server" "$how"
    to=$(date +%s.%N)
    after=$("${server}_counted")
    awk -v OFS='\t' -v p="$pair" -v r="$round" -v t="$tool" -v cpu="$cpu" -v n=$((after - before)) \
        -v from="$from" -v to="$to" 'BEGIN {
            if (n < 100) exit 1
            print p, r, t, n, cpu, 1e6 * cpu / n, n / (to - from) }' >>"$OUT" ||
        fail "$server counted no statement of $tool"
}

# Medians of both, and medians of tiebreak's ratios to the other inside each round.
summary() {
    awk -F'\t' -v pair="$1" -v goal="$GOAL" "$awk_median"'
        function of(field, tool, against,    r, n, list) {
            for (r = 1; r <= rounds; r++)
                list[++n] = value[field, tool, r] / (against == "" ? 1 : value[field, against, r])
            return median(list, n)
        }
        $1 == pair { value[6, $3, $2] = $6; value[7, $3, $2] = $7; if ($2 > rounds) rounds = $2 }
        END {
            split(pair, part, ":")
            printf "beside %s, %s, %d rounds (goal: CPU at most %s of it)\n", part[1], part[2], rounds, goal
            printf "%-10s %14s %14s %10s %10s\n", "", "CPU µs/op", "op/s", "CPU ratio", "op/s ratio"
            split(part[1] " tiebreak", name, " ")
            for (i = 1; i <= 2; i++)
                printf "%-10s %14.3f %14.0f %10.3f %10.3f\n", name[i], of(6, name[i]), of(7, name[i]),
                    of(6, name[i], part[1]), of(7, name[i], part[1])
        }' "$OUT"
}

pair() {
    local tool=${1%:*} how=${1#*:} server=postgres tools round turn
    [ "$tool" = pgbench ] || server=mariadb
    tools=("$tool" tiebreak)
    for ((round = 1; round <= ROUNDS; round++)); do
        for turn in 0 1; do
            measure "$1" "$round" "${tools[(round + turn) % 2]}" "$server" "$how"
        done
    done
    summary "$1"
}

# The databases' users pass through it.
chmod 711 "$work"
start_postgres
start_mariadb
experiment postgres pgbench_accounts abalance aid "$((SCALE * ROWS))" \
    "postgres://bench@127.0.0.1:$postgres_port/postgres"
experiment mariadb sbtest1 c id "$ROWS" "mysql://bench@127.0.0.1:$mariadb_port/bench"
mkdir -p "$(dirname "$OUT")"
: >"$OUT"
echo "databases on core $first, generators on core $last; $ROUNDS rounds of $SECONDS_EACH s for each tool" >&2
for of in $PAIRS; do
    pair "$of"
done
echo "every run: $OUT"
