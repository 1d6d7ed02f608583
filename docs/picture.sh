#!/usr/bin/env bash
# Makes docs/report.png, the picture of a report page in README, from a real run: nginx and
# Node, launched by tiebreak, and the page that the run wrote, as headless Chromium shows it.
#
#   docs/picture.sh
#   TIEBREAK=target/debug/tiebreak RUN=/path/to/run (an existing run instead of a new one)
#   WIDTH=1100 HEIGHT=900 (of the picture, in pixels)
#
# Needs nginx and Node (for the run), chromium, and pngquant to make the file smaller.
set -euo pipefail

cd "$(dirname "$0")/.."
tiebreak=$(realpath "${TIEBREAK:-target/debug/tiebreak}")
picture=$PWD/docs/report.png
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The page shows the path of the run as it was given.
cd "$work"
if [[ -n ${RUN:-} ]]; then
    cp -r "$RUN" my-run
else
    "$tiebreak" compare nginx node --out my-run
fi
"$tiebreak" report my-run --html report.html

chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" \
    --window-size="${WIDTH:-1100},${HEIGHT:-900}" --screenshot="$work/report.png" \
    "file://$work/report.html" 2>chromium.log || { cat chromium.log >&2; exit 1; }
pngquant --force --output "$picture" 64 report.png
ls -l "$picture"
