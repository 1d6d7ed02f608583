# How steps are run and what is said of them at the end. Sourced by ./test.
# shellcheck shell=bash

# What is kept of a run: the output of each step, and how long groups took.
kept=target/test
failed_steps=()
beside=

# step NAME COMMAND…: runs it and says how long it took. After a failure the run ends, unless it keeps going.
step() {
    local name=$1 start=$SECONDS status=0
    shift
    echo "== $name"
    checked "$@" 2>&1 | tee "$(log_of "$name")" || status=1
    conclude "$name" "$start" "$status"
}

log_of() {
    echo "$kept/${1//[^[:alnum:]]/-}.log"
}

conclude() {
    local name=$1 seconds=$((SECONDS - $2)) status=$3
    if [ "$status" = 0 ]; then
        echo "== $name: ok, $seconds s"
        return
    fi
    echo "== $name: FAILED, $seconds s"
    failed_steps+=("$name")
    [ -n "$keep_going" ] || summarize
}

# checked COMMAND…: a check of checks.sh in a shell of its own, which ends at the first command that fails.
# In this shell it would go on: a function whose result is asked for does.
checked() {
    bash -euo pipefail -c 'source tests/steps/checks.sh; "$@"' test "$@"
}

# start_beside COMMAND…: runs these one after the other at low priority, beside the tests. They have a session
# of their own, so that they can be ended with what they started, and because Linux may share the cores
# out by session (autogroups): then only the session's own priority counts.
start_beside() {
    setsid bash -uo pipefail -c 'source tests/steps/steps.sh; run_beside "$@"' test "$@" >"$kept/beside.log" 2>&1 &
    beside=$!
}

run_beside() {
    local command status=0
    for command in "$@"; do
        # A test waits for the PHP extension, so that is built at the priority of the tests.
        [ "$command" = kassandra_build ] || lower_priority
        echo "== beside the tests: $command"
        checked "$command" || status=1
    done
    return "$status"
}

lower_priority() {
    renice -n 19 -p $$ >/dev/null
    ! [ -w /proc/self/autogroup ] || echo 19 >/proc/self/autogroup
}

# Waits for them, as a step.
join_beside() {
    local name="beside the tests" start=$SECONDS status=0
    wait "$beside" || status=1
    beside=
    mv "$kept/beside.log" "$(log_of "$name")"
    cat "$(log_of "$name")"
    conclude "$name" "$start" "$status"
}

end_beside() {
    # What has ended by itself in this moment cannot be ended.
    [ -z "$beside" ] || kill -- "-$beside" 2>/dev/null || true
}

# What the runner wrote of all its tests: one line for each, `SECONDS PROGRAM TEST`.
times() {
    local of
    for of in target/nextest/*/junit.xml; do
        [ ! -e "$of" ] || sed -n 's/.*<testcase name="\([^"]*\)" classname="\([^"]*\)".* time="\([^"]*\)".*/\3 \2 \1/p' "$of"
    done
    sed -n 's/^ *\(PASS\|FAIL\|DISTURBED\) \[ *\([0-9.]*\)s\] \(truths .*\)/\2 \3/p' "$kept"/known-truths*.log 2>/dev/null || true
}

# The sum of what all runners counted under this word, such as `passed`; 0 if a step failed before any.
count() {
    awk -v word="$1" '/^ *Summary \[|^test result: |^[0-9]+ passed, [0-9]+ failed$/ {
        for (i = 2; i <= NF; i++) if ($i ~ "^" word "[,;]?$") n += $(i - 1)
    } END { print n + 0 }' "$kept"/*.log
}

# Tests whose first failure a second try excused, once each.
excused() {
    sed -n 's/^ *FLAKY .*\] *\(([^)]*)\)\? */  /p' "$kept"/*.log | sort -u
}

# The last lines: what failed, with its own output, and the counts.
summarize() {
    local name passed failed
    echo "== the slowest tests"
    times | sort -rn | awk 'NR <= 10 { print "  " $0 }'
    grep -ahoE 'NOT TESTED: .*' "$kept"/*.log target/nextest/*/junit.xml 2>/dev/null | sort | uniq -c || true
    echo "$(excused | wc -l) tests failed at first and passed when they were tried again"
    excused
    grep -ahE '^(undecided on this machine|failed at first|known truths): ?' "$kept"/*.log || true
    [ ! -s "$kept/truths.md" ] || cat "$kept/truths.md"
    for name in "${failed_steps[@]}"; do
        echo "== failed: $name"
        [ ${#failed_steps[@]} = 1 ] && [ -z "$keep_going" ] || tail -n 60 "$(log_of "$name")"
    done
    passed=$(count passed) failed=$(count failed)
    echo "== all steps: $((SECONDS - started)) s"
    if [ ${#failed_steps[@]} = 0 ]; then
        echo "$((SECONDS - started))" >"$kept/seconds-${selection// /-}"
        echo "$passed passed, $failed failed"
        exit 0
    fi
    printf 'failed: %s\n' "${failed_steps[@]}"
    echo "$passed passed, $failed failed"
    exit 1
}

# Tests start Cassandra some fifty times, and look at what it answers, not at how fast. Java's quick
# compiler alone takes a third less CPU time until it serves.
use_quick_java() {
    local directory=$PWD/$kept/java java
    java=$(command -v java)
    mkdir -p "$directory"
    printf '#!/bin/sh\nexec %q -XX:TieredStopAtLevel=1 "$@"\n' "$java" >"$directory/java"
    chmod 755 "$directory/java"
    PATH=$directory:$PATH
}
