# Functions for `test`: install what the tests need, with Debian's or Ubuntu's packages and Cargo.
# No name of a package, program or file has a version, so that every release has all of them.
# shellcheck shell=bash

fail() {
    echo "test: $*" >&2
    exit 1
}

# What must be there, and the package that brings it. A word is a program, a path is a file (`*`
# matches any version), php:NAME is an extension of PHP and python3:NAME a module of Python.
needed=(
    "cc gcc"
    "/usr/include/stdio.h libc6-dev"
    "kill procps"
    "nginx nginx-light"
    "node nodejs"
    "npm npm"
    "make make"
    "/usr/include/event2/event.h libevent-dev"
    "/usr/include/openssl/sha.h libssl-dev"
    "lighttpd lighttpd"
    "caddy caddy"
    "apache2 apache2-bin"
    "ab apache2-utils"
    "uvicorn uvicorn"
    "go golang-go"
    "memcached memcached"
    "redis-server redis-server"
    "/usr/lib/postgresql/*/bin/initdb postgresql"
    "pgbouncer pgbouncer"
    "mariadbd mariadb-server"
    "ip iproute2"
    "openssl openssl"
    "java default-jre-headless"
    "mvn maven"
    "groff groff-base"
    "setpriv util-linux"
    "git git"
    "php php-cli"
    "php-config php-dev"
    "/usr/sbin/php-fpm* php-fpm"
    "/usr/lib/apache2/modules/libphp*.so libapache2-mod-php"
    "php:memcached php-memcached"
    "php:memcache php-memcache"
    "php:redis php-redis"
    "php:mysqli php-mysql"
    "php:pgsql php-pgsql"
    "php:apcu php-apcu"
    "php:thrift_protocol php-thrift"
    "thrift thrift-compiler"
    "clang clang"
    "/usr/lib/llvm-*/lib/libclang.so* libclang-dev"
    "musl-gcc musl-tools"
    "jq jq"
    "srun slurm-client"
    "slurmctld slurmctld"
    "slurmd slurmd"
    "munged munge"
    "mpirun.openmpi openmpi-bin"
    "sshd openssh-server"
    "ssh openssh-client"
    "curl curl"
    "python3 python3"
    "python3:ensurepip python3-venv"
)

# is_there WORD: as in the list.
is_there() {
    case $1 in
    /*) compgen -G "$1" >/dev/null ;;
    php:*) has_extension "${1#php:}" 2>/dev/null ;;
    python3:*) python3 -c "import ${1#python3:}" 2>/dev/null ;;
    *) PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null ;;
    esac
}

# Debian installs some extensions without enabling them: a file where PHP would load it will do.
has_extension() {
    php -r "exit((int) !(extension_loaded('$1') || file_exists(ini_get('extension_dir') . '/$1.so')));"
}

install_packages() {
    local missing=() entry
    for entry in "${needed[@]}"; do
        is_there "${entry% *}" || missing+=("${entry##* }")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null ||
        fail "missing: ${missing[*]} (names of Debian packages); install them, then run ./test again"
    [ "$(id -u)" = 0 ] ||
        fail "missing: ${missing[*]}; run as root: apt-get install --no-install-recommends ${missing[*]}"
    echo "== install from the distribution's packages: ${missing[*]}"
    # In a subshell, whose EXIT trap replaces none of the caller's.
    (install_quietly "${missing[@]}") || fail "the packages could not be installed"
    for entry in "${needed[@]}"; do
        is_there "${entry% *}" || fail "${entry##* } is installed, but ${entry% *} was not found"
    done
}

# Debian starts a service when its package is installed; policy-rc.d forbids it.
install_quietly() {
    local policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        trap 'rm -f /usr/sbin/policy-rc.d' EXIT
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q && apt-get install -q -y --no-install-recommends "$@"
}

check_cargo() {
    command -v cargo >/dev/null || fail "cargo is missing: install Rust with rustup"
    cargo fmt --version >/dev/null 2>&1 || fail "cargo fmt is missing: rustup component add rustfmt"
    cargo clippy --version >/dev/null 2>&1 || fail "cargo clippy is missing: rustup component add clippy"
}

# The release build is static: it needs the standard library of this target.
static_target=$(uname -m)-unknown-linux-musl

install_static_target() {
    [ ! -d "$(rustc --print target-libdir --target "$static_target")" ] || return 0
    command -v rustup >/dev/null || fail "Rust's standard library for $static_target is missing"
    echo "== install Rust's standard library for $static_target"
    rustup target add "$static_target"
}

# The runner of the tests. It is pinned, so that a new release changes no result.
nextest=0.9.114

install_nextest() {
    [[ "$(cargo nextest --version 2>/dev/null)" != "cargo-nextest $nextest "* ]] || return 0
    echo "== install cargo-nextest $nextest, once: it is compiled, which takes some minutes"
    cargo install cargo-nextest --locked --version "$nextest" \
        --no-default-features --features default-no-update
}
