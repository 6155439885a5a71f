#!/usr/bin/env bash
# Looks for inputs that break the readers of file formats and of the store's protocol, with clang's libFuzzer and the address
# sanitizer.
#
#   scripts/fuzz.sh                  a million inputs for every format
#   scripts/fuzz.sh 10000 tar jpeg   so many for these
#
# What is found is written to build/fuzz/crash-*, oom-* or timeout-*; corpora grow in build/fuzz/corpus/.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-1000000}
shift $(($# > 0 ? 1 : 0))
formats=("$@")
if [ ${#formats[@]} -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cpp; do
    name=${source##*/}
    formats+=("${name%_fuzz.cpp}")
  done
fi

cmake --preset fuzz
cmake --build --preset fuzz --target "${formats[@]/#/fuzz_}"

status=0
for format in "${formats[@]}"; do
  mkdir -p "build/fuzz/corpus/$format"
  log=build/fuzz/$format.log
  if build/fuzz/tests/fuzz/"fuzz_$format" -runs="$runs" -max_len=8192 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix=build/fuzz/ "build/fuzz/corpus/$format" "tests/fuzz/seeds/$format" >"$log" 2>&1; then
    echo "fuzz: $format: $(grep -o 'number_of_executed_units: [0-9]*' "$log" | tr -dc 0-9) inputs, nothing found"
  else
    echo "fuzz: $format: FOUND SOMETHING, see $log" >&2
    status=1
  fi
done
exit $status
