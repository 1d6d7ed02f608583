# Runs one agent on a host, and leaves nothing there. It is sent to a shell on the host and reads the
# rest from standard input. After each step it says so, and waits for the next one: what `head` may
# have read ahead is then nothing. Errors go to standard error.
set -eu
umask 077
agent='' watch='' directory=''

clean() {
    trap '' HUP INT TERM PIPE
    [ -z "$watch" ] || kill "$watch" 2>/dev/null || :
    if [ -n "$agent" ]; then
        kill -KILL "$agent" 2>/dev/null || :
        wait "$agent" 2>/dev/null || :
    fi
    cd /
    [ -z "$directory" ] || rm -rf "$directory"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM PIPE

for program in mktemp sha256sum sleep; do
    command -v "$program" >/dev/null || {
        echo "the program $program was not found on the host" >&2
        exit 1
    }
done
directory=$(mktemp -d "${TMPDIR:-/tmp}/tiebreak-agent.XXXXXXXX")
cd "$directory"
echo "tiebreak-agent: in $PWD"
echo "tiebreak-agent: at $(uname -sm) ${SSH_CONNECTION:-}"

read -r bytes hash
head -c "$bytes" >tiebreak
echo "$hash  tiebreak" | sha256sum -c >/dev/null 2>&1 || {
    echo "the copy of tiebreak differs from the original (SHA-256)" >&2
    exit 1
}
chmod 700 tiebreak
echo "tiebreak-agent: copied"

# Sets the rank and the size, and writes the arguments and the experiment file.
read -r bytes
eval "$(head -c "$bytes")"
echo "tiebreak-agent: ready"

read -r coordinator
read -r token
printf '%s\n' "$token" >token
# The token has no name any more when the agent starts, which removes the other files once it has read them:
# if this script is killed, nothing secret is left.
exec 3<&0 4<token
rm token
TIEBREAK_COORDINATOR=$coordinator TIEBREAK_TOKEN_FILE=/dev/stdin TIEBREAK_RANK=$rank TIEBREAK_SIZE=$size \
    ./tiebreak --arguments-from arguments <&4 >/dev/null 3<&- 4<&- &
agent=$!
exec 4<&-
# The end of standard input is the end of the connection, of which nothing else on the host notices.
{
    while read -r _; do :; done
    kill "$agent"
    sleep 2
    kill -KILL "$agent"
} <&3 >/dev/null 2>&1 3<&- &
watch=$!
code=0
wait "$agent" || code=$?
agent=''
exit "$code"
