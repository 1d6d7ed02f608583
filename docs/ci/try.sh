#!/usr/bin/env bash
# Runs the steps of action.yml, as the example workflow does for a pull request, in a
# git repository with two commits of a small server. The second commit is slower by
# design: it renders the page for each request. So the requirements must fail, with exit
# code 1, and this script succeeds when they do. Comments are posted to github.js here.
#
#   TIEBREAK=target/release/tiebreak docs/ci/try.sh
#   docs/ci/try.sh --launches 7 --rounds 1        flags for tiebreak, to be quicker
#
# Everything happens in a temporary directory, which is gone afterwards; the servers
# listen on this machine only. Takes about three minutes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/steps.sh"
action=$here/../../action.yml
export LC_ALL=C

fail() {
    echo "try: $*" >&2
    exit 1
}

TIEBREAK=${TIEBREAK:-$here/../../target/release/tiebreak}
for tool in git node curl jq "$TIEBREAK"; do
    command -v "$tool" >/dev/null || fail "missing: $tool. Debian has git, nodejs, curl and jq;" \
        "tiebreak comes from: cargo build --release"
done
TIEBREAK=$(realpath "$(command -v "$TIEBREAK")")

work=$(mktemp -d)
running=
clean_up() {
    trap - EXIT INT TERM
    if [ -n "$running" ]; then
        # tiebreak stops its servers before it ends.
        kill -- "-$running" 2>/dev/null || true
        wait "$running" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Nobody's own settings of git.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
commit() {
    git add -A
    git -c user.name=Example -c user.email=example@localhost commit -q -m "$1"
}

echo "== a repository with two commits"
mkdir "$work/service"
cd "$work/service"
git -c init.defaultBranch=main init -q
printf '/old\n/new\n' >.gitignore
cp "$here/server.js" "$here/tiebreak.toml" .
commit "A table of squares"
git checkout -q -b change
sed -i 's/const body = page;/const body = render();/' server.js
git diff --quiet && fail "the second commit changes nothing"
commit "Render the page for each request"
git log --oneline --all

# beside COMMAND…: runs it, in a process group of its own, so that Ctrl-C does not reach
# it a second time.
beside() {
    local status=0
    set -m
    "$@" &
    running=$!
    set +m
    wait "$running" || status=$?
    running=
    return "$status"
}

# Outputs of a step that runs beside this shell come back through a file.
step_beside() {
    local status=0
    run_step "$1" || status=$?
    declare -p context >"$work/context"
    return "$status"
}

echo "== the steps of action.yml: both revisions, and the plan"
export GITHUB_STEP_SUMMARY=$work/summary.md GITHUB_REPOSITORY=owner/service
context=(
    [github.action_path]=$(dirname "$action")
    [runner.temp]=$work
    [inputs.binary]=$TIEBREAK
    [inputs.experiment]=tiebreak.toml
    [inputs.base]=main
    [inputs.head]=change
    [inputs.requirement]=$'new/old throughput >= 0.97\nnew/old p99 <= 1.05x'
    [inputs.flags]=$(printf '%s\n' "$@")
    [inputs.token]=a-token
    [github.event.pull_request.number]=7
)
run_step source
[ "${#context[steps.source.outputs.hash]}" = 64 ] || fail "the source of the action has no checksum"
run_step revisions
git worktree list
run_step plan

echo "== compare them"
beside step_beside compare || fail "the step fails before its report is kept"
source "$work/context"
for written in summary.md tiebreak-run.md tiebreak-run.xml tiebreak-run/report.json; do
    [ -s "$work/$written" ] || fail "exit code ${context[steps.compare.outputs.exit-code]}, and no $written"
done
cat "$work/summary.md"

# comment MODE: runs the step against github.js, which says what it holds afterwards.
comment() {
    rm -f "$work/comments.json" "$work/port"
    set -m
    node "$here/github.js" "$work/comments.json" "$1" >"$work/port" &
    running=$!
    set +m
    until [ -s "$work/port" ]; do sleep 0.05; done
    GITHUB_API_URL=http://127.0.0.1:$(cat "$work/port")
    export GITHUB_API_URL
    # A second push changes the comment of the first.
    run_step comment
    run_step comment
    kill -- "-$running"
    wait "$running" 2>/dev/null || true
    running=
}

echo "== the comment"
comment writable
[ "$(jq length "$work/comments.json")" = 1 ] || fail "there is not one comment"
jq -j '.[0].body' "$work/comments.json" >"$work/comment.md"
[ "$(head -n 1 "$work/comment.md")" = "<!-- tiebreak tiebreak.toml -->" ] || fail "it has no mark"
tail -n +2 "$work/comment.md" | diff - "$work/summary.md" || fail "it is not what the summary says"
comment read-only >"$work/refused" || fail "a comment that may not be posted fails the job"
grep -q '^::warning::' "$work/refused" || fail "nothing says that the comment was not posted"
[ "$(cat "$work/comments.json")" = '"refused"' ] || fail "it was not the server that refused the comment"

echo "== the verdict"
status=0
run_step verdict || status=$?
[ "$status" = 1 ] || fail "exit code $status; the second commit is slower, so 1 was due"
# Exit code 1 is also that of a requirement of which nothing can be said.
not_met='name="new/old throughput &gt;= 0.97">[[:space:]]*<failure type="not_met"'
tr '\n' ' ' <"$work/tiebreak-run.xml" | grep -q "$not_met" ||
    fail "it was not shown that the throughput is too low"
echo "== as it must be: exit code 1, the second commit may not be merged"
