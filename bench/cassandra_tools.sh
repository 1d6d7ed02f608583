# shellcheck shell=bash
# The load generators of bench/cassandra.sh: where they are, how they are installed, and how
# each reads and writes rows of the same table. Sourced after common.sh and node.sh, not run.
#
# have TOOL               fails with the remedy if the tool is missing
# prepare_tools           writes their configuration
# load_table              creates the table again, with tiebreak's rows
# fill TOOL               writes the rows that another tool reads
# drive TOOL OPERATION    one run; sets cpu
# told TOOL OPERATION     sets did, failed and rate: what the tool reports of that run
# shellcheck disable=SC2154 # KEYS and its like are settings of the bench
# shellcheck disable=SC2034 # did, failed and rate are for those who source this
LATTE=0.29.0
STRESS=3.11.5
STRESS_SHA256=a765adcaa42a6c881f5e79d030854d082900992cc11da40eee413bb235970a6a
latte_home=$cache/bench/latte-$LATTE
stress_home=$cache/bench/cassandra-stress-$STRESS

build_latte() {
    packages="Rust comes from rustup.rs"
    need cargo
    echo "building latte $LATTE at the lowest priority; it needs libssl-dev and pkg-config" >&2
    nice -n 19 cargo install latte-cli --version "$LATTE" --locked --root "$latte_home"
}

# Into a separate repository: the user's is neither trusted nor changed.
fetch_stress() {
    local archive=apache-cassandra-$STRESS-bin.tar.gz
    packages="Debian has maven and default-jre-headless"
    need mvn tar sha256sum
    mvn --batch-mode --quiet --strict-checksums "-Dmaven.repo.local=$work/repository" \
        org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
        "-Dartifact=org.apache.cassandra:apache-cassandra:$STRESS:tar.gz:bin" "-DoutputDirectory=$work"
    echo "$STRESS_SHA256  $work/$archive" | sha256sum --check --quiet ||
        fail "$archive is not the file whose checksum is known"
    mkdir -p "$cache/bench"
    rm -rf "$stress_home" "$stress_home.part"
    mkdir "$stress_home.part"
    tar xzf "$work/$archive" -C "$stress_home.part" --strip-components=1 --wildcards --no-wildcards-match-slash \
        "apache-cassandra-$STRESS/lib/*.jar" "apache-cassandra-$STRESS/tools/lib/*.jar"
    mv "$stress_home.part" "$stress_home"
}

have() {
    case $1 in
    tiebreak) ;;
    latte)
        [ -x "$latte_home/bin/latte" ] ||
            fail "there is no latte $LATTE here: run bench/cassandra.sh --build-latte, or leave it out of TOOLS" ;;
    cassandra-stress)
        [ -f "$stress_home/tools/lib/stress.jar" ] ||
            fail "there is no cassandra-stress $STRESS here: run bench/cassandra.sh --fetch-stress, or leave it out" \
                "of TOOLS" ;;
    *) fail "no such tool: $1" ;;
    esac
}

prepare_tools() {
    target=cassandra://127.0.0.1:$node_port/bench
    workload=(--workload kv --keys "$KEYS" --value "${BYTES}B")
    latte_value=$(printf "x%.0s" $(seq "$BYTES"))
    # Keys of 23 bytes, as tiebreak's are. A value that is written out is cheaper for latte
    # than one that it makes anew each time.
    cat >"$work/latte.rn" <<'RUNE'
const KEYS = latte::param!("keys", 1);
const VALUE = latte::param!("value", b"");
pub async fn prepare(db) {
    db.prepare("read", "SELECT value FROM bench.tiebreak00 WHERE key = ?").await?;
    db.prepare("write", "INSERT INTO bench.tiebreak00 (key, value) VALUES (?, ?)").await?;
}
fn key(n) { `latte00000:${100000000000 + n}` }
pub async fn fill(db, i) { db.execute_prepared("write", [key(i), VALUE]).await? }
pub async fn read(db, i) { db.execute_prepared("read", [key(latte::hash(i) % KEYS)]).await? }
pub async fn write(db, i) { db.execute_prepared("write", [key(latte::hash(i) % KEYS), VALUE]).await? }
RUNE
    cat >"$work/stress.yaml" <<YAML
keyspace: bench
table: tiebreak00
columnspec:
  - {name: key, size: fixed(23)}
  - {name: value, size: fixed($BYTES)}
insert: {partitions: fixed(1), batchtype: UNLOGGED, select: fixed(1)/1}
queries:
  read: {cql: "SELECT value FROM tiebreak00 WHERE key = ?", fields: samerow}
YAML
    # Without a configuration it would log each step of its driver.
    cat >"$work/stress-log.xml" <<'XML'
<configuration>
  <appender name="out" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%msg%n</pattern></encoder></appender>
  <root level="WARN"><appender-ref ref="out"/></root>
</configuration>
XML
    stress=(java -Xmx256m --add-opens java.base/java.lang=ALL-UNNAMED --add-opens java.base/sun.nio.ch=ALL-UNNAMED
        "-Dlogback.configurationFile=$work/stress-log.xml" -cp "$stress_home/tools/lib/stress.jar:$stress_home/lib/*"
        org.apache.cassandra.stress.Stress user "profile=$work/stress.yaml" cl=ONE no-warmup)
    stress_load=(-rate "threads=$CONNECTIONS" -errors retries=0 -mode native cql3 connectionsPerHost=1
        -port "native=$node_port" -node 127.0.0.1 -log interval=3600s)
}

# run_tiebreak MIX SECONDS
run_tiebreak() {
    rm -rf "$work/out"
    charge "$2" "$TIEBREAK" run "$target" "${workload[@]}" --mix "$1" --connections "$CONNECTIONS" --cores 1 \
        --duration "$2s" --warm-up 0s --quiet --out "$work/out"
}

# run_latte FUNCTION CYCLES|TIME SECONDS
run_latte() {
    rm -f "$work/latte.json"
    charge "$3" "$latte_home/bin/latte" --log-dir "$work" run "$work/latte.rn" -f "$1" -d "$2" -w 0 -t 1 -p "$CONNECTIONS" -c 1 \
        --consistency ONE --retries 0 -P "keys=$KEYS" -P "value=b\"$latte_value\"" -q -o "$work/latte.json" \
        "127.0.0.1:$node_port"
}

load_table() {
    "$TIEBREAK" load "$target" "${workload[@]}" --reload --quiet >/dev/null || fail "tiebreak does not load $target"
}

fill() {
    case $1 in
    latte) run_latte fill "$KEYS" 60 ;;
    cassandra-stress) charge 60 "${stress[@]}" "n=$KEYS" 'ops(insert=1)' -pop "seq=1..$KEYS" "${stress_load[@]}" ;;
    esac
}

# Java compiles what it runs often: before anything counts.
warm_up() {
    load_table
    run_tiebreak get=0.5,set=0.5 "$WARM_UP"
}

drive() {
    local mix=get=1 statement=read
    [ "$2" = read ] || { mix=set=1 statement=insert; }
    case $1 in
    tiebreak) run_tiebreak "$mix" "$SECONDS_EACH" ;;
    latte) run_latte "$2" "${SECONDS_EACH}s" "$SECONDS_EACH" ;;
    cassandra-stress) charge "$SECONDS_EACH" "${stress[@]}" "duration=${SECONDS_EACH}s" "ops($statement=1)" \
        -pop "dist=uniform(1..$KEYS)" "${stress_load[@]}" ;;
    esac
}

# What was read and not there is cheaper than a row: it counts as failed.
told() {
    local said
    case $1 in
    tiebreak) said=$(jq -r '.contenders[0] | "\(.operations) \(.operations - .outcomes.ok) \(.metrics.throughput.value)"' \
        "$work/out/report.json") ;;
    latte) said=$(jq -r --arg operation "$2" '.result | (if $operation == "read" then .request_count - .row_count
            else 0 end) as $missed
        | "\(.request_count) \(.error_count + $missed) \(.req_throughput.value)"' "$work/latte.json") ;;
    # Numbers have commas; behind a bracket comes the same of each operation. It tells rows
    # a second, and how many there were in all it does not.
    cassandra-stress) said=$(tr -d ',' <"$work/stdout" | awk -F' *: *' '
        { split($2, number, " ") }
        /^Total partitions/ { did = number[1] }
        /^Total errors/ { failed = number[1] }
        /^Op rate/ { rate = number[1] }
        /^Row rate/ { rows = number[1] }
        END {
            if (rate > 0 && rows != rate) failed += did * (1 - rows / rate)
            print did + 0, failed == "" ? "unknown" : failed, rate + 0
        }') ;;
    esac
    read -r did failed rate <<<"$said"
}
