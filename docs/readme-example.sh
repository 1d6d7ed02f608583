#!/usr/bin/env bash
# Makes the first example of README from a real run, with the versions and the machine: it replaces what
# is between the two lines `<!-- first example … -->` and `<!-- end of the first example -->`.
#
#   docs/readme-example.sh
#   TIEBREAK=target/release/tiebreak README=README.md
#   RUN=/path/to/run (an existing run on this machine instead of a new one, which takes a minute)
#
# Needs nothing but tiebreak. Run it while nothing else uses the machine.
set -euo pipefail

cd "$(dirname "$0")/.."
tiebreak=$(realpath "${TIEBREAK:-target/release/tiebreak}")
readme=$(realpath "${README:-README.md}")
experiment=experiments/ten-percent.toml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The report shows the path of the run as it was given.
mkdir "$work/experiments"
cp "$experiment" "$work/experiments"
cd "$work"
PATH=$(dirname "$tiebreak"):$PATH
if [[ -n ${RUN:-} ]]; then
    cp -r "$RUN" my-run
    "$tiebreak" report my-run >printed
else
    "$tiebreak" compare "$experiment" --out my-run --quiet >printed
fi

# What /proc/cpuinfo calls the processor, or its architecture.
processor() {
    sed -n 's/^model name[[:space:]]*: *//p' /proc/cpuinfo | sed 's/([RT]M*)//g; s/  */ /g' | sed 1q
}
name=$(processor)

{
    printf '```\n$ tiebreak compare %s --out my-run --quiet\n' "$experiment"
    cat printed
    printf '```\n\n'
    printf '%s, on %s with %s cores, Linux %s, %s.\n' "$("$tiebreak" --version | sed 1q)" \
        "${name:-$(uname -m)}" "$(nproc)" "$(uname -r | cut -d- -f1)" "$(date -u +%Y-%m-%d)"
} >block

awk '
    /^<!-- end of the first example -->$/ { inside = 0; ends++ }
    !inside { print }
    /^<!-- first example.*-->$/ { inside = 1; begins++; while ((getline line < "block") > 0) print line }
    END { exit !(begins == 1 && ends == 1) }
' "$readme" >changed || {
    echo "readme-example: $readme must have each of the two marks once" >&2
    exit 1
}
cat changed >"$readme"
