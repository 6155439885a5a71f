#!/usr/bin/env bash
# Tests a program's GPU code without a GPU, as docs/simulated-gpu.md tells: builds minima for simulated GPUs, installs it,
# starts the installed programs, and runs the tests of a project outside of this tree that uses the installed package.
#
#   scripts/try_simulated.sh DIR [-D NAME=VALUE …]     half an hour on two cores; DIR is replaced
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '2,5s/^# \?//p' "$0" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift
[ "$dir" != "$PWD" ] || { echo "try_simulated: DIR is the source tree" >&2; exit 2; }
rm -rf "$dir/prefix" "$dir/project"

cmake --preset cpu -B "$dir/build" -D MINIMA_CUDA=SIMULATED -D MINIMA_BUILD_TESTS=OFF -D MINIMA_BUILD_BENCHMARKS=OFF \
  -D MINIMA_BUILD_EXAMPLES=OFF "$@"
cmake --build "$dir/build"
cmake --install "$dir/build" --prefix "$dir/prefix"
mv "$dir/build" "$dir/hidden" # what is installed needs nothing of it
trap 'mv "$dir/hidden" "$dir/build"' EXIT

# Installed programs find the simulated runtime by themselves.
[[ $(MINIMA_SIMULATED_GPUS=1xH200 "$dir/prefix/bin/minima-info") == *H200* ]]
"$dir/prefix/bin/minima-dryrun" mlp --gpu H200 --batch 16 --dtype fp32
"$dir/prefix/bin/minima-bench" --help >/dev/null

cp -r tests/consumer/simulated "$dir/project"
cmake -S "$dir/project" -B "$dir/project/build" -D CMAKE_PREFIX_PATH="$dir/prefix"
cmake --build "$dir/project/build"
ctest --test-dir "$dir/project/build" --output-on-failure
