# shellcheck shell=bash disable=SC2154  # the variables are gpu_check.sh's
# Results of scripts/gpu_check.sh: what it writes after each group, and the page that it folds them into.

# --- results.tsv: group, passed, failed, skipped, outcome, seconds, note; figures.tsv: program, row, value, unit ---

commit() {
  if [ -e "$work/pack/origin" ]; then sed -n 1p "$work/pack/origin"; else git rev-parse --short HEAD 2>/dev/null || echo unknown; fi
}

result() {
  local row
  row=$(printf '%s\t' "${@:1:6}")$(printf '%s' "$7" | tr '\t\n"\\' "  ''")
  # The last result of a group counts.
  { awk -F'\t' -v name="$1" '$1 != name' "$state/results.tsv" && echo "$row"; } >"$state/results.new"
  mv "$state/results.new" "$state/results.tsv"
  say "$1: $5 in $6 s, $2 passed, $3 failed, $4 skipped${7:+; $7}"
}

# A file of the report, whole or as it was before.
write() {  # NAME, with a command that prints it
  local name=$1
  shift
  "$@" >"$out/.$name" || true  # tar minds that a log grows
  mv "$out/.$name" "$out/$name"
}

figures_json() {
  printf '{\n  "commit": "%s",\n  "date": "%s",\n  "device": "%s",\n' "$(commit)" "$(date -u +%F)" "$(head -n 1 "$state/device.txt" 2>/dev/null)"
  awk -F'\t' 'BEGIN { printf "  \"groups\": [" }
    { printf("%s\n    {\"group\": \"%s\", \"passed\": %d, \"failed\": %d, \"skipped\": %d, \"outcome\": \"%s\", \"seconds\": %d, \"note\": \"%s\"}", NR > 1 ? "," : "", $1, $2, $3, $4, $5, $6, $7) }
    END { print "\n  ]," }' "$state/results.tsv"
  awk -F'\t' 'BEGIN { printf "  \"benchmarks\": [" }
    { printf("%s\n    {\"program\": \"%s\", \"name\": \"%s\", \"real_time\": %s, \"time_unit\": \"%s\"}", NR > 1 ? "," : "", $1, $2, $3, $4) }
    END { print "\n  ]\n}" }' "$state/figures.tsv"
}

# Measured beside what was predicted for a GPU of this kind, by dry runs and by hand.
predicted_table() {
  awk -F'\t' -v device="$(head -n 1 "$state/device.txt" 2>/dev/null)" -v figures="$state/figures.tsv" '
    BEGIN {
      ms["ns"] = 1e-6; ms["us"] = 1e-3; ms["ms"] = 1; ms["s"] = 1e3
      while ((getline line < figures) > 0) {
        split(line, f, "\t")
        if (!(f[4] in ms)) continue
        value = f[3] * ms[f[4]]
        order[++rows] = f[2]
        if (f[1] == "minima") measured[f[2]] = value
        else {
          before = f[2] in peer ? peer[f[2]] ", " : ""
          peer[f[2]] = before sprintf("%.4g (%s)", value, f[1])
        }
      }
      print "| row | measured ms | dry run ms | measured / dry run | by hand ms | others ms |\n|---|---:|---:|---:|---:|---|"
    }
    function show(row, dry, hand) {
      if (row in shown || !(row in measured || row in peer)) return
      m = measured[row]
      printf "| %s | %s | %s | %s | %s | %s |\n", row, m ? sprintf("%.4g", m) : "", dry, m && dry ? sprintf("%.2f", m / dry) : "", hand, peer[row]
      shown[row] = 1
    }
    $1 != "" && index(device, $1) { show($2, $3, $4) }
    END { for (i = 1; i <= rows; ++i) show(order[i], "", "") }' scripts/gpu_check/predictions.tsv
}

section() {  # TITLE FILE
  # shellcheck disable=SC2016  # the backticks are Markdown's
  if [ -s "$2" ]; then printf '\n## %s\n\n```\n%s\n```\n' "$1" "$(cat "$2")"; fi
}

summary() {
  printf '# GPU check of %s, %s\n\n' "$(commit)" "$(date -u +%F)"
  sed 's/^/- /' "$state/device.txt" 2>/dev/null || true
  printf '\n## Figures\n\n'
  predicted_table
  printf '\n## Groups\n\n| group | outcome | passed | failed | skipped | s | |\n|---|---|---:|---:|---:|---:|---|\n'
  awk -F'\t' '{ gsub(/[|]/, "/", $7); printf "| %s | %s | %d | %d | %d | %d | %s |\n", $1, $5, $2, $3, $4, $6, $7 }' "$state/results.tsv"
  (cd "$state/started" && for name in *; do if [ -e "$name" ]; then printf '| %s | running, or killed | | | | | |\n' "$name"; fi; done)
  section Prices "$state/logs/prices.log"
  section Libraries "$state/logs/libraries.log"
  section Device "$state/logs/driver.log"
}

save() {
  write figures.json figures_json
  write summary.md summary
  write state.tar.gz tar --create --gzip --file - --directory "$state" .
}

# --- --record, --status: docs/gpu-status.md has a table with a row per group ---

status_page=docs/gpu-status.md

record() {
  [ -e "$1" ] || stop "$1 is not there"
  awk -F'"' -v OFS='|' -v figures="$1" '
    BEGIN {
      while ((getline line < figures) > 0) {
        n = split(line, f, "\"")
        if (line ~ /^  "commit"/) commit = f[4]
        if (line ~ /^  "date"/) date = f[4]
        if (line ~ /^  "device"/) { split(f[4], part, ","); device = part[1] }
        if (line ~ /"group": /) { passed[f[4]] = f[7]; gsub(/[^0-9]/, "", passed[f[4]]); outcome[f[4]] = f[14] }
      }
    }
    /^\| `/ {
      split($0, cell, "|"); name = cell[2]; gsub(/[ `]/, "", name)
      if (outcome[name] == "passed") {
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
