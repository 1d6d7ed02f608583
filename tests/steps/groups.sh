# The groups of tests: what each proves, its tests as a filter of cargo-nextest (empty: steps of its own),
# and the paths whose change calls for it, as an extended regular expression (none: only ./test all). Sourced by ./test.
# shellcheck shell=bash disable=SC2034 # used by the scripts that source this

groups=(cassandra php published examples revisions workloads rules oracle packaging miri truths)

declare -A proves=(
    [gate]="every change: all that needs no more than servers that start within two seconds"
    [cassandra]="real nodes and clusters of Cassandra 5.0 and 1.2.8, by CQL and Thrift, with faults"
    [php]="the PHP extension of contenders/kassandra, and published pages that use it"
    [published]="the published experiments, and those of experiments/, with all their servers"
    [examples]="the projects of examples/: what the last commit changed, in Rust, Go, Python, Node and C"
    [revisions]="revisions built and compared, searches for a commit, and suites, where they take seconds"
    [workloads]="every preset and distribution on every store, and every recipe of a database loaded"
    [rules]="each rule of the audit by a real run, sweeps, long rankings and capacities, and conformance self"
    [oracle]="Oracle's driver, without a database (also in the gate)"
    [packaging]="schemas of workflows and manifests, crates, static binary, archives, the CI example"
    [miri]="wire and record under the interpreter that finds undefined behaviour"
    [truths]="known truths: what is arranged so that the right answer is known"
    [all]="the gate and every group"
    [changed]="the gate, and the groups whose paths the commits of the last two days touched"
    [calibration]="the truths with the many runs that an error rate needs; takes hours"
)

declare -A filter=(
    [cassandra]='(binary(keeper) & test(/cassandra/)) | (binary(agents) & test(/^cluster::/))
        | (binary(whole) & test(/^with_servers::(cassandra_thrift|wide_rows)::/))
        | (binary(whole) & test(/^with_servers::setup::what_is_there_is_not_fetched_again/))'
    [php]='binary(kassandra) | (binary(whole) & test(/^with_servers::published_cassandra::/))'
    [published]='binary(whole)
        & test(/^with_servers::(published|published_caches|published_pooling|program_servers|experiments)::/)'
    [examples]='binary(whole) & test(/^with_servers::examples::/)'
    [revisions]='binary(whole) & test(/^with_servers::revisions::/)'
    [workloads]='binary(whole) & test(/^with_servers::(presets::|databases::(every_recipe|named_workloads))/)'
    [rules]='binary(whole)
        & test(/^(with_servers::((rules|sweep|sweep_apart|self_test)::|looks::a_requirement)|ranks::seventeen|capacity::two_cap)/)'
    [oracle]='binary(oracle)'
)

declare -A paths=(
    [cassandra]='cassandra|thrift|^src/targets/software/|^tests/keeper/|^crates/keeper/'
    [php]='^contenders/|kassandra|^experiments/published/cassandra'
    [published]='^experiments/|^protocols/.*/recipes/|^contenders/|^src/targets/launch/|^tests/whole/with_servers/(published|program|experiments)'
    [examples]='^examples/|^crates/figures/|^src/(plan|run|cli|targets|system)/|^tests/whole/with_servers/examples'
    [revisions]='^crates/(figures|judge)/|^src/(plan|run|cli|targets|system)/|^tests/whole/(with_servers/revisions|recorded|against|bisect|suites)'
    [workloads]='^(workloads|protocols)/|^crates/protocol/|^crates/engine/src/(workload|store)|^crates/drivers/src/|^tests/whole/with_servers/(presets|databases)'
    [rules]='^crates/(judge|engine|protocol)/|^protocols/|^src/(run|plan)/|^tests/whole/(ranks|capacity|with_servers/(rules|sweep|self_test|looks))'
    [oracle]='oracle'
    [packaging]='^packaging/|Cargo\.(toml|lock)$|Dockerfile|action\.yml|^docs/ci|^\.github/|^fuzz/|kubernetes'
    [truths]='^crates/(engine|judge|record|drivers|testserver|protocol)/|^protocols/|^src/(run|plan|agents)/|^tests/truths/'
)

# The groups whose tests are not part of the gate.
beyond_the_gate=(cassandra php published examples revisions workloads rules)

# filter_of GROUP…: the tests of these groups; for `gate`, all that belong to none of those beyond it; for a
# protocol, those in its directory and, of the gate, those of the whole program that name it.
filter_of() {
    local group gate joined others='' filters=()
    for group in "${beyond_the_gate[@]}"; do
        others+="${others:+ | }(${filter[$group]})"
    done
    gate="not (binary(truths) | $others)"
    for group in "$@"; do
        [ "$group" != gate ] || filters+=("($gate)")
        [ -z "${filter[$group]:-}" ] || filters+=("(${filter[$group]})")
        [ ! -d "protocols/$group" ] ||
            filters+=("package(tiebreak-protocol-$group)" "(package(tiebreak) & test(/$group/) & $gate)")
    done
    printf -v joined ' | %s' "${filters[@]}"
    echo "${joined# | }"
}

# The groups whose paths were touched in the two days before HEAD's date, or all that have paths where the
# history does not reach so far back.
touched_groups() {
    local date base files group
    date=$(git log -1 --format=%ct 2>/dev/null) || date=0
    base=$(git rev-list -1 --before="$((date - 2 * 24 * 3600))" HEAD 2>/dev/null) || base=''
    if [ -z "$base" ]; then
        echo "${!paths[@]}"
        return
    fi
    files=$(git diff --name-only "$base")
    for group in "${!paths[@]}"; do
        ! grep -qE "${paths[$group]}" <<<"$files" || echo "$group"
    done
}
