#!/usr/bin/env bash
# What the example workflow does, by hand: a git repository with two commits of
# a small server, a worktree of each, and the comparison that a pull request
# would get. The second commit is slower by design: it renders the page for each
# request. So the requirements must fail, with exit code 1, and this script
# succeeds when they do.
#
#   TIEBREAK=target/release/tiebreak docs/ci/try.sh
#   docs/ci/try.sh --restarts 7 --rounds 1        flags for tiebreak, to be quicker
#
# Everything happens in a temporary folder, which is gone afterwards; the servers
# listen on this machine only. Takes about three minutes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C

fail() {
    echo "try: $*" >&2
    exit 1
}

TIEBREAK=${TIEBREAK:-$here/../../target/release/tiebreak}
for tool in git node "$TIEBREAK"; do
    command -v "$tool" >/dev/null || fail "missing: $tool. Debian has git and nodejs;" \
        "tiebreak comes from: cargo build --release"
done
TIEBREAK=$(realpath "$(command -v "$TIEBREAK")")

work=$(mktemp -d)
tiebreak_pid=
clean_up() {
    trap - EXIT INT TERM
    if [ -n "$tiebreak_pid" ]; then
        # It stops its servers before it ends.
        kill "$tiebreak_pid" 2>/dev/null || true
        wait "$tiebreak_pid" 2>/dev/null || true
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

echo "== a worktree of each, as the workflow makes them"
git worktree add -q --detach old "$(git merge-base main change)"
git worktree add -q --detach new change
git worktree list

echo "== compare them"
status=0
# In a process group of its own, so that Ctrl-C does not reach it a second time.
set -m
"$TIEBREAK" compare tiebreak.toml \
    --require 'new/old throughput >= 0.97' --require 'new/old p99 <= 1.05x' \
    --out "$work/run" --markdown "$work/summary.md" --junit "$work/tiebreak.xml" "$@" &
tiebreak_pid=$!
set +m
wait "$tiebreak_pid" || status=$?
tiebreak_pid=
for written in summary.md tiebreak.xml; do
    [ -s "$work/$written" ] || fail "exit code $status, and no $written"
    echo "== $written"
    cat "$work/$written"
done
[ "$status" = 1 ] || fail "exit code $status; the second commit is slower, so 1 was due"
# Exit code 1 is also that of a requirement of which nothing can be said.
not_met='name="new/old throughput &gt;= 0.97">[[:space:]]*<failure type="not_met"'
tr '\n' ' ' <"$work/tiebreak.xml" | grep -q "$not_met" ||
    fail "it was not shown that the throughput is too low"
echo "== as it must be: exit code 1, the second commit may not be merged"
