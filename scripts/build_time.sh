#!/usr/bin/env bash
# Where the time of a build went, from ninja's log: seconds and objects of each target, then the slowest objects. Seconds
# are those of the clock, so with as many jobs as idle cores they are about those of a processor.
#
#   scripts/build_time.sh [DIR [TARGET]]    DIR is build/cpu; TARGET, such as minima_core, prints a line for it alone
set -euo pipefail
build=${1:-build/cpu}
target=${2-}
[ -f "$build/.ninja_log" ] || { echo "build_time: no $build/.ninja_log; build with ninja first" >&2; exit 1; }
# The last entry of an object counts: start and end in milliseconds, time stamp, output, hash.
awk -F '\t' '/[.](o|gch)\t/ { seconds[$4] = ($2 - $1) / 1000 } END { for (o in seconds) printf "%.1f\t%s\n", seconds[o], o }' "$build/.ninja_log" |
  sort -rn | awk -F '\t' -v only="$target" '
    {
      name = $2
      sub(/[.]dir\/.*/, "", name)
      sub(/.*CMakeFiles\//, "", name)
      time[name] += $1; count[name]++; all += $1
      if (NR <= 10) slow = slow sprintf("  %6.1f s  %s\n", $1, $2)
    }
    END {
      if (only) { printf "%s: %d objects, %.0f s\n", only, count[only], time[only]; exit }
      printf "%d objects, %.0f s\n", NR, all
      for (name in time) printf "  %6.0f s  %4d objects  %s\n", time[name], count[name], name | "sort -rn"
      close("sort -rn")
      printf "slowest objects:\n%s", slow
    }'
