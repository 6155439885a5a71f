#!/usr/bin/env bash
# A profile.html in headless Chromium: a click on a column sorts its rows, another one reverses them, the pictures are
# there, and the page loads nothing else. Ends with 77 where Chromium is not installed.
#
#   browse.sh PROFILE.HTML
set -euo pipefail
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "Chromium is not installed"
  exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat "$1" - >"$scratch/clicked.html" <<'HTML'
<script>
const heads = [...document.querySelectorAll('#ops th')], ms = heads.findIndex(head => head.textContent === 'ms');
const figures = () => [...document.querySelectorAll('#ops tbody tr')].map(row => parseFloat(row.cells[ms].textContent));
const ordered = (values, sign) => values.length > 9 && values.every((value, i) => !i || sign * (values[i - 1] - value) >= 0);
heads[ms].click();
const sorted = ordered(figures(), 1);
heads[ms].click();
const reversed = ordered(figures(), -1), loaded = performance.getEntriesByType('resource').length;
document.title = `sorted ${sorted}, reversed ${reversed}, ${document.querySelectorAll('svg').length} pictures, loaded ${loaded}`;
</script>
HTML
"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/user" --dump-dom "file://$scratch/clicked.html" \
  >"$scratch/dom" 2>"$scratch/log" || { cat "$scratch/log" && exit 1; }
title=$(grep -o '<title>sorted.*</title>' "$scratch/dom")  # other titles are tooltips
echo "$title"
[ "$title" = "<title>sorted true, reversed true, 3 pictures, loaded 0</title>" ]
