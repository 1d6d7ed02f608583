# What the scripts of this directory share. Read with `source`, from the root of the repository.

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# x86_64 or aarch64, as Rust names them.
machine() {
    uname -m
}

# workspace_value KEY: a text of [workspace.package] in Cargo.toml.
workspace_value() {
    sed -n '/^\[workspace.package\]/,/^\[workspace.lints/p' Cargo.toml |
        sed -n "s/^$1 = \[\{0,1\}\"\([^\"]*\)\".*/\1/p"
}

crate_version() {
    workspace_value version
}

target_directory() {
    cargo metadata --format-version 1 --no-deps --locked |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}

# Seconds since 1970 that archives carry as their time: those of the commit. Outside of a
# checkout of git, the caller has to say.
source_date() {
    echo "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
}

# The name that Debian has for the architecture of a target of Rust.
debian_architecture() {
    case $1 in
    x86_64-*) echo amd64 ;;
    aarch64-*) echo arm64 ;;
    *) fail "no Debian architecture is known for $1" ;;
    esac
}

# Two values in Cargo.toml are placeholders until the owner of the repository sets them.
owner_has_set_all() {
    local key
    for key in repository authors; do
        case $(workspace_value "$key") in
        "" | *example.org*) return 1 ;;
        esac
    done
}

# python_program NAME VERSION: the path of the program of a Python package, which is installed into
# target/, once. The program has the name of its package.
python_program() {
    local environment=target/$1==$2
    if [ ! -x "$environment/bin/$1" ]; then
        rm -rf "$environment"
        python3 -m venv "$environment" >&2 ||
            fail "python3 -m venv fails: Debian has it in the package python3-venv"
        "$environment/bin/pip" install --quiet --disable-pip-version-check "$1==$2" >&2 || {
            rm -rf "$environment"
            fail "pip cannot install $1==$2"
        }
    fi
    echo "$environment/bin/$1"
}
