#!/usr/bin/env bash
# Runs the steps of action.yml, as the example workflow does for a pull request, in git
# repositories with two commits of projects of examples/: a service, the same service with
# an experiment that has the contenders old and new, and a suite. The second commit is
# slower by design. So the requirements must fail, with exit code 1, and this script
# succeeds when they do. Comments are posted to github.js here. The script of gitlab-ci.yml
# is run in the same way.
#
#   TIEBREAK=target/release/tiebreak docs/ci/try.sh
#   docs/ci/try.sh --launches 7 --rounds 1        flags for the services, to be quicker
#
# Everything happens in a temporary directory, which is gone afterwards; the servers
# listen on this machine only. Takes about ten minutes, or three with the flags above.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/steps.sh"
action=$here/../../action.yml
examples=$here/../../examples
export LC_ALL=C

fail() {
    echo "try: $*" >&2
    exit 1
}

TIEBREAK=${TIEBREAK:-$here/../../target/release/tiebreak}
for tool in git node go curl jq "$TIEBREAK"; do
    command -v "$tool" >/dev/null || fail "missing: $tool. Debian has git, nodejs, golang-go, curl and jq;" \
        "tiebreak comes from: cargo build --release"
done
TIEBREAK=$(realpath "$(command -v "$TIEBREAK")")
flags=$(printf '%s\n' "$@")

work=$(mktemp -d)
running=
clean_up() {
    trap - EXIT INT TERM
    if [ -n "$running" ]; then
        # tiebreak stops its servers before it ends.
        kill -- "-$running" 2>/dev/null || true
        wait "$running" 2>/dev/null || true
    fi
    # Go makes directories of modules that nobody may write to.
    chmod -R u+w "$work"
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Nobody's own settings of git, and no build of an earlier try.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null XDG_CACHE_HOME=$work/cache
commit() {
    git add -A
    git -c user.name=Example -c user.email=example@localhost commit -q -m "$1"
}

# repository NAME EXAMPLE FILE PATTERN REPLACEMENT: a repository with two commits of an example,
# the second of which, on the branch `change`, has REPLACEMENT in place of PATTERN in FILE.
repository() {
    echo "== a repository with two commits of examples/$2"
    cp -r "$examples/$2" "$work/$1"
    cd "$work/$1"
    git -c init.defaultBranch=main init -q
    printf '/old\n/new\n' >>.gitignore
    commit "The first version"
    git checkout -q -b change
    sed -i "s/$4/$5/" "$3"
    git diff --quiet && fail "the second commit changes nothing"
    commit "Work more"
    git log --oneline --all
}

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
    declare -p context | sed '1s/^declare/declare -g/' >"$work/context"
    return "$status"
}

# server MODE: github.js, which writes the comments that it holds to a file.
server() {
    rm -f "$work/comments.json" "$work/port"
    set -m
    node "$here/github.js" "$work/comments.json" "$1" >"$work/port" &
    running=$!
    set +m
    until [ -s "$work/port" ]; do sleep 0.05; done
    GITHUB_API_URL=http://127.0.0.1:$(cat "$work/port")
    export GITHUB_API_URL
}

end_server() {
    kill -- "-$running"
    wait "$running" 2>/dev/null || true
    running=
}

# pull_request REQUIREMENT FLAGS: the steps up to the comparison. Leaves what it found in $found.
pull_request() {
    found=$work/$(basename "$PWD")-found
    mkdir "$found"
    export GITHUB_STEP_SUMMARY=$found/summary.md GITHUB_REPOSITORY=owner/service
    context=(
        [github.action_path]=$(dirname "$action")
        [runner.temp]=$found
        [inputs.binary]=$TIEBREAK
        [inputs.experiment]=tiebreak.toml
        [inputs.base]=main
        [inputs.head]=change
        [inputs.requirement]=$1
        [inputs.flags]=$2
        [inputs.token]=a-token
        [github.event.pull_request.number]=7
    )
    echo "== the revisions and the plan"
    run_step revisions
    run_step plan
    echo "== compare them"
    beside step_beside compare || fail "the step fails before its report is kept"
    source "$work/context"
    local written
    for written in summary.md tiebreak-run-tiebreak.toml{.md,.xml,/report.json}; do
        [ -s "$found/$written" ] || fail "exit code ${context[steps.compare.outputs.exit-code]}, and no $written"
    done
    cat "$found/summary.md"
}

# slower REQUIREMENT: the job fails because it was shown that this requirement is not met. Exit code 1 is
# also that of a requirement of which nothing can be said.
slower() {
    local status=0 name
    run_step verdict || status=$?
    [ "$status" = 1 ] || fail "exit code $status; the second commit is slower, so 1 was due"
    name=$(sed 's/>/\&gt;/g; s/</\&lt;/g' <<<"$1")
    tr '\n' ' ' <"$found/tiebreak-run-tiebreak.toml.xml" | grep -qE "name=\"$name( [(]new against old[)])?\">[[:space:]]*<failure type=\"not_met\"" ||
        fail "it was not shown that this is not met: $1"
    echo "== as it must be: exit code 1, the second commit may not be merged"
}

# Both replies have the same bytes.
service() {
    repository "$1" node-service server.js 'Buffer.from(JSON.stringify(found))' \
        'Buffer.from(JSON.stringify(JSON.parse(JSON.stringify(JSON.parse(JSON.stringify(found))))))'
}

service service
pull_request $'new/old throughput >= 0.97\nnew/old p99 <= 1.05x' "$flags"
[ ! -e old ] || fail "the revisions were checked out although the experiment has one contender"
slower "new/old throughput >= 0.97"

echo "== the comment"
server writable
# A second push changes the comment of the first.
run_step comment
run_step comment
end_server
[ "$(jq length "$work/comments.json")" = 1 ] || fail "there is not one comment"
jq -j '.[0].body' "$work/comments.json" >"$work/comment.md"
[ "$(head -n 1 "$work/comment.md")" = "<!-- tiebreak tiebreak.toml -->" ] || fail "it has no mark"
tail -n +2 "$work/comment.md" | diff - "$found/summary.md" || fail "it is not what the summary says"
server read-only
run_step comment >"$work/refused" || fail "a comment that may not be posted fails the job"
end_server
grep -q '^::warning::' "$work/refused" || fail "nothing says that the comment was not posted"
[ "$(cat "$work/comments.json")" = '"refused"' ] || fail "it was not the server that refused the comment"

echo "== an experiment with the contenders old and new"
service two-directories
cp "$here/tiebreak.toml" .
pull_request "" "$flags"
[ -e old/server.js ] && [ -e new/server.js ] || fail "the revisions were not checked out"
slower "new/old throughput >= 0.97"

repository suite go slug.go 'vowels := 0' 'vowels := strings.Count(strings.Repeat(title, 30), "#")'
pull_request "" ""
grep -q "undecided cases pass" "$found/summary.md" || fail "nothing says how lenient the default is"
slower "every case <= 1.03x by favourable end"

echo "== a released archive"
mkdir "$work/tiebreak-0.0.0"
ln -s "$TIEBREAK" "$work/tiebreak-0.0.0/tiebreak"
tar --create --gzip --dereference --directory "$work" --file "$work/tiebreak.tar.gz" tiebreak-0.0.0
checksum=$(sha256sum <"$work/tiebreak.tar.gz")
checksum=${checksum%% *}
context[inputs.archive]=file://$work/tiebreak.tar.gz
context[inputs.checksum]=$checksum
context[inputs.binary]=
run_step released
run_step plan
[ "${context[steps.plan.outputs.tiebreak]}" = "$found/tiebreak-released/tiebreak" ] || fail "it was not the archive's"
# fetched WHAT: the exit code of the step for an archive that is not used.
fetched() {
    local status=0
    unset 'context[steps.released.outputs.binary]'
    run_step released >"$work/fetched" || status=$?
    [ -z "${context[steps.released.outputs.binary]:-}" ] || fail "$1 was used"
    return "$status"
}
context[inputs.checksum]=${checksum//[0-9]/0}
! fetched "an archive with another checksum" || fail "a wrong checksum is accepted"
context[inputs.archive]=file://$work/no-such-archive
fetched "an archive that does not exist" || fail "without an archive nothing is built"
grep -q '^::warning::' "$work/fetched" || fail "nothing says that there is no archive"
run_step source
[ "${#context[steps.source.outputs.hash]}" = 64 ] || fail "the source of the action has no checksum"

echo "== the job of GitLab"
service gitlab
git clone -q . "$work/gitlab-runner"
cd "$work/gitlab-runner"
sed -n '/^  script:/,/^  artifacts:/s/^    - //p' "$here/gitlab-ci.yml" |
    sed "s|/tmp/tiebreak|$work/gitlab-tiebreak|g" >"$work/gitlab.sh"
sed -i "s/^tiebreak compare .*/& $*/" "$work/gitlab.sh"
status=0
ARCHIVE=file://$work/tiebreak.tar.gz CHECKSUM=$checksum REQUIREMENT='new/old throughput >= 0.97' \
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main beside bash -eo pipefail "$work/gitlab.sh" || status=$?
[ "$status" = 1 ] || fail "exit code $status of GitLab's script; the second commit is slower, so 1 was due"
[ -s summary.md ] && [ -s tiebreak.xml ] && [ -s speed/report.html ] || fail "GitLab's job has no artifacts"
echo "== as it must be: exit code 1"
