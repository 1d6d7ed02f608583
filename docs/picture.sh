#!/usr/bin/env bash
# Makes docs/report.png, the picture of a report page in README, from a real run: nginx and
# Node, launched by tiebreak, and the page that the run wrote, as headless Chromium shows it.
#
#   docs/picture.sh
#   TIEBREAK=target/debug/tiebreak RUN=DIR (an existing run in place of a new one)
#   WIDTH=1100 HEIGHT=1000 (of the picture, in pixels)
#
# Needs nginx and Node (for the run), chromium, and pngquant to make the file smaller.
set -euo pipefail

cd "$(dirname "$0")/.."
tiebreak=$(realpath "${TIEBREAK:-target/debug/tiebreak}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run=${RUN:-$work/run}
if [[ -z ${RUN:-} ]]; then
    "$tiebreak" compare nginx node --out "$run"
fi
"$tiebreak" report "$run" --html "$work/report.html"

chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" \
    --window-size="${WIDTH:-1100},${HEIGHT:-1000}" --screenshot="$work/report.png" \
    "file://$work/report.html"
pngquant --force --output docs/report.png 64 "$work/report.png"
ls -l docs/report.png
