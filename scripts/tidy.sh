#!/usr/bin/env bash
# clang-tidy 19 with the checks of .clang-tidy.
#
#   scripts/tidy.sh                 every source of the library
#   scripts/tidy.sh --changed BASE [N]  the library's sources that differ from the commit BASE, N of them at most
#   scripts/tidy.sh FILE…           these
#
# Needs a configured build folder: build/cpu, or the one that MINIMA_BUILD names.
set -euo pipefail
cd "$(dirname "$0")/.."

tidy=$(command -v clang-tidy-19 || true)
if [ -z "$tidy" ]; then
  echo "tidy: clang-tidy-19 is missing; scripts/setup.sh --tools installs it" >&2
  exit 1
fi
build=${MINIMA_BUILD:-build/cpu}
if [ ! -f "$build/compile_commands.json" ]; then
  echo "tidy: no $build/compile_commands.json; configure first, for instance by cmake --preset cpu" >&2
  exit 1
fi

layers='^(tensor|autograd|ops|io|nn|models|distributions|optim|amp|inference|data|distributed|train|profiler)/.*\.cpp$'
case ${1-} in
  "") files=$(git ls-files | grep -E "$layers") ;;
  --changed) files=$(git diff --name-only --diff-filter=AMR "$2" | grep -E "$layers" | head -n "${3-10000}" || true) ;;
  *) files=$(printf '%s\n' "$@") ;;
esac
# The commands of the library itself; tests compile some of its sources once more, with other options.
mkdir -p "$build/tidy"
awk 'BEGIN { RS = ORS = "},"; printf "[" } /CMakeFiles\/minima.dir/ { sub(/^\[/, ""); print }' "$build/compile_commands.json" |
  sed '$ s/},$/}]/' > "$build/tidy/compile_commands.json"
# What this build does not compile, such as CUDA's part where there is no CUDA, has no command.
files=$(for file in $files; do grep -q "/$file\"" "$build/tidy/compile_commands.json" && echo "$file" || true; done)
if [ -z "$files" ]; then
  echo "tidy: nothing to check"
  exit 0
fi
echo "tidy: $(wc -l <<< "$files") files"
# g++'s flags that clang does not know; -march=native may name features of newer processors than clang's.
xargs -P "$(nproc)" -n 1 "$tidy" -p "$build/tidy" --quiet --extra-arg=-march=x86-64-v3 \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-deprecated-declarations <<< "$files"
