#!/usr/bin/env bash
# Compares two builds of minima on this machine, row by row, to show what a change made faster or slower.
#
#   benchmarks/compare_builds.sh BEFORE [FILTER]   default: `cpu_table|ops/`
#
# BEFORE is the folder of another build's benchmark programs, such as a copy of build/cpu/benchmarks. BUILD=, OUT=,
# MIN_TIME= and ROUNDS= work as in compare_libtorch.sh. A ratio above 1 means that this build is faster.
set -euo pipefail
before=$(cd "${1:?the folder of the other benchmark programs}" && pwd)
cd "$(dirname "$0")/.."

after=${BUILD:-build/cpu}/benchmarks
out=${OUT:-build/compare_builds}
rounds=${ROUNDS:-3}
filter=${2:-cpu_table|ops/}

run() {
  local program=$1 result=$2
  shift 2
  [ -x "$program" ] || { echo "compare_builds: $program not found" >&2; exit 2; }
  [ -n "$("$program" --benchmark_filter="$filter" --benchmark_list_tests 2>/dev/null | grep -v 'Failed to match')" ] || return 0
  "$program" --benchmark_filter="$filter" --benchmark_min_time="${MIN_TIME:-0.1}" "$@" >"$out/$result.json" 2>"$out/$result.log"
}

mkdir -p "$out"
rm -f "$out"/*.json
# Alternate, so that other load on the machine affects both; the best round counts.
for round in $(seq "$rounds"); do
  echo "compare_builds: round $round of $rounds" >&2
  for build in "$after minima" "$before peer"; do
    read -r folder side <<<"$build"
    run "$folder/benchmarks" "$side-table-$round" --benchmark_format=json
    run "$folder/ops" "$side-ops-$round" --json
  done
done
python3 benchmarks/compare.py before "$out" | tee "$out/table.md"
