# What the steps do. Sourced by ./test, and by the shells that run steps beside the tests.
# shellcheck shell=bash

source packaging/common.sh

# All tests, and clippy, build with the same features: with others each crate would be compiled again.
everything=(--workspace --all-features --locked)

# The PHP extension is a workspace of its own: it needs PHP's headers and libclang.
kassandra=(--manifest-path contenders/kassandra/Cargo.toml --target-dir target/kassandra --locked)

formatting() {
    cargo fmt --all --check
}

# Nobody runs the benches in a test: that they can be read at all is looked at here.
scripts() {
    local script status=0
    for script in test tests/*.sh tests/*/*.sh bench/*.sh docs/*.sh docs/ci/*.sh packaging/* fuzz/run; do
        [ ! -e "$script" ] || bash -n "$script" || status=1
    done
    return "$status"
}

clippy() {
    cargo clippy "${everything[@]}" --all-targets -- -D warnings
}

# What the runner needs to know of what was built: then it does not ask cargo, which would wait until the
# builds beside the tests are over.
built=(target/test/metadata.json target/test/binaries.json)

build_tests() {
    cargo metadata --format-version 1 --all-features --locked >"${built[0]}"
    cargo nextest list "${everything[@]}" --tests --list-type binaries-only --message-format json >"${built[1]}"
}

# run_tests FILTER: with four units for each core (.config/nextest.toml).
run_tests() {
    local more=()
    [ -z "${keep_going:-}" ] || more=(--no-fail-fast)
    cargo nextest run --cargo-metadata "${built[0]}" --binaries-metadata "${built[1]}" \
        --test-threads $((4 * $(nproc))) --filterset "$1" "${more[@]}"
}

# The tests that need nothing but Rust.
quick_tests() {
    local more=()
    [ -z "${keep_going:-}" ] || more=(--no-fail-fast)
    cargo test --workspace --locked "${more[@]}"
}

fetch_cassandra() {
    target/debug/tiebreak setup cassandra
}

# One at a time. They compare times, so nothing else runs.
known_truths() {
    local level=$1 more=()
    [ -z "${keep_going:-}" ] || more=(--keep-going)
    cargo test "${everything[@]}" --test truths -- --level "$level" --table target/test/truths.md "${more[@]}"
}

# The simulations of METHOD, with as many runs as it states: no other test of the judge is ignored.
simulations() {
    cargo test --package tiebreak-judge --lib --release --locked -- --ignored --nocapture
}

# The table with where and when it was made: docs/TRUTHS.md.
truths_document() {
    {
        echo "# Known truths"
        echo
        echo "Written by \`./test calibration\` on $(date -u +%Y-%m-%d), at $(git rev-parse --short HEAD)," \
            "on $(nproc) cores ($(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)," \
            "Linux $(uname -r))."
        echo "[METHOD](METHOD.md#how-to-check-us) says what each of them shows."
        echo
        truths_table
    } >target/TRUTHS.md
    echo "target/TRUTHS.md is written: before a release, cp target/TRUTHS.md docs/"
}

truths_table() {
    echo "| truth | figure | limit | tries |"
    echo "| --- | --- | --- | --- |"
    cat target/test/truths.md
}

workflows() {
    packaging/check-workflows
}

kubernetes_manifests() {
    TIEBREAK=target/debug/tiebreak packaging/check-kubernetes
}

crates_can_be_packaged() {
    cargo package --workspace --no-verify --allow-dirty --locked --quiet
}

# Builds a binary of the crates as they are published, and lets servers attack it: what protects tiebreak from
# them must not depend on anything that stays in the repository.
packaged_binary_withstands_attacks() {
    local unpacked=$PWD/target/packaged crate name patches=()
    rm -rf "$unpacked"
    mkdir -p "$unpacked"
    for crate in target/package/tiebreak*.crate; do
        # All files in a package have one date. With it cargo would take what it built from another package of
        # the same version.
        tar -C "$unpacked" -mxf "$crate"
        crate=$(basename "$crate" .crate)
        name=${crate%-*}
        [ "$name" = tiebreak ] || patches+=(--config "patch.crates-io.$name.path='$unpacked/$crate'")
    done
    # Otherwise it would be taken for a member of the workspace around it.
    echo "[workspace]" | tee -a "$unpacked"/tiebreak-[0-9]*/Cargo.toml >/dev/null
    cargo build --manifest-path "$unpacked"/tiebreak-[0-9]*/Cargo.toml --target-dir target/packages "${patches[@]}"
    TIEBREAK_PACKAGED=$PWD/target/packages/debug/tiebreak run_tests 'binary(whole) & test(/^(confined|hostile)::/)'
}

# A workspace of its own. Without its default feature libFuzzer itself is not built, which would take a
# compiler for C++, and to link it a nightly one for Rust.
fuzz_targets_compile() {
    cargo fmt --manifest-path fuzz/Cargo.toml --check
    RUSTFLAGS="-D warnings" cargo check --manifest-path fuzz/Cargo.toml --bins --locked \
        --no-default-features --target-dir target/fuzz
}

# Stores and databases can be left out, one by one: with none of them what is left must be a program.
# Its list of keys speaks of no protocol that is left out.
builds_with_http_alone() {
    local others
    RUSTFLAGS="-D warnings" cargo build --locked --no-default-features --features http \
        --target-dir target/http
    others=$(target/http/debug/tiebreak help keys |
        grep -iE 'memcached|redis|valkey|cassandra|thrift|postgres|mysql|mariadb|oracle|point-select|tpcb' || true)
    [ -z "$others" ] || {
        echo "help keys of a build with HTTP alone names other protocols:"
        echo "$others"
        return 1
    }
}

# A protocol is its directory, its lines in the table and those in a manifest: without them the program compiles.
a_protocol_can_be_deleted() {
    local name=redis copy=$PWD/target/without
    rm -rf "$copy"
    mkdir -p "$copy"
    git ls-files -z -- Cargo.toml Cargo.lock src crates protocols workloads schema docs/guide.md README.md CHANGELOG.md |
        xargs -0 cp --parents -t "$copy"
    rm -r "$copy/protocols/$name"
    sed -i "/feature = \"$name\"/,+1d" "$copy/src/protocols/mod.rs"
    sed -i -e "/^$name = /d" -e "s/\"$name\", //" -e "s/, \"$name?\/servers\"//" \
        -e "/^\[profile.dev.package.tiebreak-protocol-$name\]/,+1d" "$copy/Cargo.toml"
    RUSTFLAGS="-D warnings" cargo check --manifest-path "$copy/Cargo.toml" --target-dir target/http
}

kassandra_build() {
    cargo build --release "${kassandra[@]}"
}

# In its release build nothing is compiled a second time that the tests have built.
kassandra_checks() {
    cargo fmt --manifest-path contenders/kassandra/Cargo.toml --all --check
    cargo clippy --release --workspace --all-targets "${kassandra[@]}" -- -D warnings
    cargo test --release -p kassandra-client --lib --tests "${kassandra[@]}"
}

release_build() {
    packaging/build
}

release_starts() {
    local binary bytes
    binary=$(packaging/build --binary)
    "$binary" demo --help >/dev/null
    bytes=$(stat -c %s "$binary")
    echo "the binary has $((bytes / 1000)) kB"
    [ "$bytes" -lt 25000000 ]
}

archives() {
    (cd dist && sha256sum --check SHA256SUMS)
    packaging/test-deb dist/tiebreak_*.deb
    packaging/test-image "$(packaging/build --binary)"
}

# The steps of action.yml, in a repository of its own: few and short rounds, since the second
# commit is slower by far.
ci_example() {
    TIEBREAK=$(packaging/build --binary) docs/ci/try.sh --launches 6 --rounds 1 --round 300ms
}

miri() {
    tests/miri.sh
}
