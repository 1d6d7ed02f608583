# shellcheck shell=bash
# Functions that the benchmarks share; sourced by them, not run. The sourcing script is
# in the project's directory and has `set -euo pipefail`.
#
# $first, $last    first and last of the cores that this process may use
# $work            a directory for this run; removed at its end
# start_nginx      one worker on the first core; sets port, nginx_pid
# launch, finish   one command in the background, so that a signal ends it immediately
#
# At the end, in any case, what was started here is stopped, by its process id.
# shellcheck disable=SC2034 # first, last and port are for those who source this
export LC_ALL=C

fail() {
    echo "$(basename "$0" .sh): $*" >&2
    exit 1
}

# need COMMAND…: fails if one is missing; $packages names the packages that contain them.
need() {
    local missing=() tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    [ ${#missing[@]} = 0 ] || fail "missing: ${missing[*]}. ${packages:-}"
}

need_two_cores() {
    [ "$first" != "$last" ] || fail "needs two cores: one core would be shared with nginx"
}

allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
first=${allowed%%[-,]*}
last=${allowed##*[-,]}
# Debian keeps nginx where only root looks.
PATH=$PATH:/usr/sbin:/sbin

work=$(mktemp -d)
servers=()
tool_pid=

clean_up() {
    trap - EXIT INT TERM
    local server
    [ -z "$tool_pid" ] || kill -- "-$tool_pid" 2>/dev/null || true
    for server in "${servers[@]}"; do
        kill "$server" 2>/dev/null || true
    done
    for server in "${servers[@]}"; do
        wait "$server" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# launch COMMAND…: starts it in a separate process group (set -m), so that a
# signal to this script reaches all of it.
launch() {
    set -m
    "$@" >"$work/stdout" 2>"$work/stderr" &
    tool_pid=$!
    set +m
}

# Waits for what was launched; sets status, its exit code.
finish() {
    status=0
    wait "$tool_pid" || status=$?
    tool_pid=
}

# charge SECONDS COMMAND…: runs a generator on the last core and sets cpu, its user
# + system time in seconds from start to exit. It should take about SECONDS; long
# after that it is ended.
charge() {
    local seconds=$1 TIMEFORMAT='%3U %3S' status=0
    shift
    # In the background and waited for, so that a signal ends it at once; in a
    # separate process group (set -m), so that the signal reaches all of it.
    set -m
    { time timeout --foreground -k 5 $((seconds + 30)) taskset -c "$last" "$@" \
        >"$work/stdout" 2>"$work/stderr"; } 2>"$work/time" &
    tool_pid=$!
    set +m
    wait "$tool_pid" || status=$?
    tool_pid=
    if [ "$status" != 0 ]; then
        fail_with_output "$1 ended with exit code $status: $*"
    fi
    cpu=$(awk '{ print $1 + $2 }' "$work/time")
}

# For awk programs: the median of list[1] to list[n].
# shellcheck disable=SC2016
awk_median='
    function median(list, n,    i, j, x) {
        for (i = 2; i <= n; i++) {
            x = list[i]
            for (j = i - 1; j > 0 && list[j] > x; j--) list[j + 1] = list[j]
            list[j + 1] = x
        }
        return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
    }'

# fail_with_output WORDS…: with the end of what the command printed.
fail_with_output() {
    tail -n 20 "$work/stdout" "$work/stderr" >&2
    fail "$@"
}

# get PORT PATH: head and body of the reply; needs no client but bash.
get() {
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&3
    cat <&3
    exec 3>&-
}

# active PORT: connections that nginx has open, the asking one left out.
active() {
    get "$1" /status | awk '/^Active connections:/ { print $3 - 1 }'
}

# counted PORT: requests that nginx has read, the asking one included.
counted() {
    get "$1" /status | awk '/^ *[0-9]+ +[0-9]+ +[0-9]+ *$/ { print $3 }'
}

# nginx_config DIRECTORY PORT CONNECTIONS SETTINGS. Twice the connections: with
# less than a sixteenth of worker_connections free, nginx closes idle ones.
nginx_config() {
    cat <<CONFIG
daemon off;
pid $1/pid;
error_log stderr crit;
worker_processes 1;
worker_rlimit_nofile $(($3 + 500));
events { worker_connections $((2 * $3 + 100)); }
http {
    client_body_temp_path $1/temp;
    proxy_temp_path $1/temp;
    fastcgi_temp_path $1/temp;
    uwsgi_temp_path $1/temp;
    scgi_temp_path $1/temp;
    types { text/html html; }
    access_log off;
    keepalive_requests 1000000000;
    $4
    server {
        listen 127.0.0.1:$2 backlog=4096;
        root $1/root;
        location = /status { stub_status; }
    }
}
CONFIG
}

# Below the ports that the kernel hands to clients.
next_port=18087

# start_nginx NAME CONNECTIONS [SETTINGS]: one worker on the first core, with the
# page of the test server, 87 bytes, and settings for the block `http`. Where
# somebody listens already the next port is tried. Sets port and nginx_pid, the
# master's id.
start_nginx() {
    local directory=$work/$1 tries
    mkdir -p "$directory/root" "$directory/temp"
    chmod 755 "$work" "$directory" "$directory/root"
    printf '<html><body>%s</body></html>' "$(printf 'x%.0s' {1..61})" >"$directory/root/index.html"
    for tries in {1..8}; do
        port=$next_port
        next_port=$((next_port + 100))
        nginx_config "$directory" "$port" "$2" "${3:-}" >"$directory/nginx.conf"
        taskset -c "$first" nginx -p "$directory" -c "$directory/nginx.conf" -e stderr 2>"$directory/log" &
        nginx_pid=$!
        servers+=("$nginx_pid")
        for _ in {1..50}; do
            sleep 0.1
            kill -0 "$nginx_pid" 2>/dev/null || break
            # A foreign server would answer as well: its pid file is not ours.
            [ "$(cat "$directory/pid" 2>/dev/null)" = "$nginx_pid" ] || continue
            [[ "$(get "$port" / 2>/dev/null)" == *"<html><body>xxx"* ]] && return 0
        done
        kill "$nginx_pid" 2>/dev/null || true
        wait "$nginx_pid" || true
        unset 'servers[-1]'
    done
    cat "$directory/log" >&2
    fail "nginx does not start ($tries ports were tried)"
}
