#!/usr/bin/env bash
# Counts which lines of the CUDA host sources run in the tests on simulated GPUs: builds them with counters, runs these
# tests and prints a table. Fails if a row of it is below 85%. Kernels are not counted: simulated/tests/ptx judges them.
#
#   scripts/coverage.sh [-D NAME=VALUE …]    all of that, in build/coverage
#   scripts/coverage.sh --report [DIR]       what the programs of a build with MINIMA_COVERAGE have counted so far
#   scripts/coverage.sh --missing [DIR]      the same, and the lines that did not run
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/coverage
missing=0
case "${1-}" in
  --report) build=${2-$build} ;;
  --missing) build=${2-$build} missing=1 ;;
  *)
    # Only the sources that are counted differ from those of build/cpu with the same options: ccache has the others.
    cmake --preset cpu -B "$build" -D MINIMA_COVERAGE=ON -D MINIMA_BUILD_EXAMPLES=OFF -D MINIMA_BUILD_BENCHMARKS=OFF "$@"
    cmake --build "$build"
    find "$build" -name '*.gcda' -delete
    ctest --test-dir "$build" -L simulated --parallel "$(nproc)" --output-on-failure
    ;;
esac

root=$PWD
cd "$build"  # ccache makes paths relative to it
[ -n "$(find . -name '*.gcda' -print -quit)" ] || { echo "coverage: nothing has been counted in $build" >&2; exit 1; }
find . -name '*.gcno' -print0 | xargs -0 gcov --stdout 2>/dev/null |
  awk -v missing=$missing -v root="$root/" '
    function folder_of(path) {
      if (match(path, /^(tensor|train|data|distributed)\/cuda\//)) return substr(path, 1, RLENGTH - 1)
      return path ~ /_cuda[.]cpp$|[.]cu$/ ? "the rest" : ""
    }
    $2 + 0 == 0 && $3 == "Source" {
      source = $4
      if (index(source, root) == 1) source = substr(source, length(root) + 1)
      sub(/^([.][.]\/)*(include\/minima\/)?/, "", source)
      folder = folder_of(source)
      kernel = 0
      next
    }
    folder == "" || NF < 3 { next }
    {
      line = $2 + 0
      if (line == 0) next
      text = substr($0, length($1) + length($2) + 3)
      if (text ~ /__global__/ && text !~ /;$/) kernel = 1
      if (kernel) { if (text ~ /^}/ || text ~ /}$/ && text ~ /__global__/) kernel = 0; next }
      count = $1
      gsub(/[ *]/, "", count)
      if (count == "-") next
      key = source SUBSEP line
      if (!(key in ran)) { ran[key] = 0; texts[key] = text; keys[++total] = key; files[key] = source; folders[source] = folder }
      if (count !~ /[#=]/) ran[key] = 1
    }
    END {
      for (i = 1; i <= total; ++i) {
        key = keys[i]; source = files[key]; folder = folders[source]
        ++lines[folder]; hit[folder] += ran[key]
        if (missing && !ran[key]) { split(key, part, SUBSEP); printf "%s:%d:%s\n", source, part[2], texts[key] }
      }
      printf "%-18s %6s %6s %6s\n", "folder", "lines", "run", "%"
      split("tensor/cuda,train/cuda,data/cuda,distributed/cuda,the rest", order, ",")
      for (i = 1; i <= 5; ++i) {
        folder = order[i]
        share = lines[folder] ? 100 * hit[folder] / lines[folder] : 0
        printf "%-18s %6d %6d %6.1f\n", folder, lines[folder], hit[folder], share
        low += share < 85
      }
      exit low > 0
    }' FS=:
