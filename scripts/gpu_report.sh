# shellcheck shell=bash disable=SC2154  # the variables are gpu_check.sh's
# The summary that scripts/gpu_check.sh writes, and the page that it folds reports into. Read by that script only.

# --- the report ---

commit() {
  if [ -e gpu-report/pack/origin ]; then sed -n 1p gpu-report/pack/origin; else git rev-parse --short HEAD 2>/dev/null || echo unknown; fi
}

section() {  # TITLE FILE: a part of the summary, if the file has anything
  # shellcheck disable=SC2016  # the backticks are Markdown's
  if [ -s "$2" ]; then printf '\n## %s\n\n```\n%s\n```\n' "$1" "$(cat "$2")"; fi
}

# The prices of calls, measured and by the time model's.
price_table() {
  [ -s "$state/prices.txt" ] || return 0
  printf '\n## Prices\n\n| call | measured | unit | time model |\n|---|---:|---|---:|\n'
  awk -F'\t' 'NF == 4 && $1 != "GPU" { printf "| %s | %s | %s | %s |\n", $1, $2, $3, $4 }' "$state/prices.txt"
}

# Steps, measured and as minima-dryrun predicts them.
step_table() {
  [ -s "$state/predictions.txt" ] || return 0
  printf '\n## Steps\n\n| row of cuda_table | predicted ms | measured ms | measured / predicted |\n|---|---:|---:|---:|\n'
  awk -v benchmarks="$state/benchmarks.txt" '
    BEGIN {
      ms["ns"] = 1e-6; ms["us"] = 1e-3; ms["ms"] = 1; ms["s"] = 1e3
      while ((getline line < benchmarks) > 0) {
        split(line, word, " "); row = word[1]
        sub("^cuda_table/", "", row); sub("/real_time$", "", row)
        if (word[3] in ms) measured[row] = word[2] * ms[word[3]]
      }
      FS = "\t"
    }
    { m = measured[$2]; printf "| %s | %.3f | %s | %s |\n", $2, $3, m ? sprintf("%.3f", m) : "-", m ? sprintf("%.2f", m / $3) : "-" }
  ' "$state/predictions.txt"
}

write_report() {
  mkdir -p "$out"
  cat "$state"/*.tsv >"$out/results.tsv" 2>/dev/null || true
  tail -qn 3 "$state"/example-resnet*.log >"$state/resnet.txt" 2>/dev/null || true
  {
    echo "commit $(commit)"
    echo "date $(date -u +%F)"
    echo "device $(head -n 1 "$state/device.txt" 2>/dev/null || echo unknown)"
  } >"$out/origin.txt"
  {
    echo "# GPU check of $(commit), $(date -u +%F)"
    echo
    sed 's/^/- /' "$state/device.txt" 2>/dev/null || true
    echo
    echo "| group | passed | failed | skipped |"
    echo "| --- | ---: | ---: | ---: |"
    awk -F'\t' '{ printf "| %s | %d | %d | %d |\n", $1, $2, $3, $4 }' "$out/results.tsv"
    price_table
    step_table
    section "Device" "$state/device_details.txt"
    section "The library's own report" "$state/minima-info.log"
    if [ -s "$state/compare.md" ]; then printf '\n## Beside LibTorch\n\n' && cat "$state/compare.md"; fi
    section "Benchmarks" "$state/benchmarks.txt"
    section "ResNet-50, and who computed its convolutions" "$state/resnet.txt"
    if [ -s "$state/memory-table.log" ]; then printf '\n## Memory\n\n' && cat "$state/memory-table.log"; fi
    printf '\nStages done: %s\n' "$(find "$state" -name '*.done' -printf '%f ' | sed 's/[.]done//g')"
  } >"$out/summary.md"
  tar --create --gzip --file "$out/logs.tar.gz" --directory "$state" . 2>/dev/null || true
}

# --- --record, --status: docs/gpu-status.md has a table with a row per group ---

status_page=docs/gpu-status.md

record() {
  [ -e "$1/results.tsv" ] && [ -e "$1/origin.txt" ] || stop "$1 holds no report (results.tsv, origin.txt)"
  local commit date device
  commit=$(awk '$1 == "commit" { print $2 }' "$1/origin.txt")
  date=$(awk '$1 == "date" { print $2 }' "$1/origin.txt")
  device=$(sed -n 's/^device \([^,]*\),.*/\1/p' "$1/origin.txt")
  awk -F'\t' -v OFS='|' -v results="$1/results.tsv" -v commit="$commit" -v date="$date" -v device="$device" '
    BEGIN { while ((getline line < results) > 0) { split(line, f, "\t"); passed[f[1]] += f[2]; failed[f[1]] += f[3] } }
    /^\| `/ {
      split($0, cell, "|"); name = cell[2]; gsub(/[ `]/, "", name)
      if (name in passed && passed[name] > 0 && failed[name] == 0) {
        print "| `" name "` |" cell[3] "| " passed[name] " | " commit " | " device " | " date " |"; next
      }
    }
    { print }' "$status_page" >"$status_page.new"
  mv "$status_page.new" "$status_page"
  say "recorded $1 in $status_page"
}

status() {
  awk -F'|' '/^\| `/ && NF == 8 { groups++; if ($4 ~ /never/) never++ }
       END { printf "gpu_check: %d of %d groups of tests have never passed on a GPU\n", never, groups }' "$status_page"
}
