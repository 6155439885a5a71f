#!/usr/bin/env bash
# clang-tidy 19 with the checks of .clang-tidy.
#
#   scripts/tidy.sh                 every source of the library, its tools and the simulated GPUs
#   scripts/tidy.sh --changed BASE [N]  those sources that differ from the commit BASE, N of them at most
#   scripts/tidy.sh FILE…           these
#
# The sources' commands are those of build/tidy, which is configured for that, with separate sources.
set -euo pipefail
cd "$(dirname "$0")/.."

tidy=$(command -v clang-tidy-19 || true)
if [ -z "$tidy" ]; then
  echo "tidy: clang-tidy-19 is missing; scripts/setup.sh --tools installs it" >&2
  exit 1
fi
build=build/tidy
cmake --preset cpu -B $build -D MINIMA_UNITY=OFF -D MINIMA_BUILD_TESTS=OFF -D MINIMA_BUILD_EXAMPLES=OFF \
  -D MINIMA_BUILD_BENCHMARKS=OFF -D MINIMA_BUILD_TOOLS=ON -D MINIMA_CUDA=SIMULATED >$build.log || { cat $build.log >&2; exit 1; }
[ ! -d $build/onnx_messages ] || protoc --proto_path=io/onnx --cpp_out=$build/onnx_messages onnx.proto

layers='^(tensor|autograd|ops|io|nn|models|onnx|distributions|optim|amp|inference|data|distributed|train|profiler|tools|simulated)/.*\.cpp$'
case ${1-} in
  "") files=$(git ls-files | grep -E "$layers") ;;
  --changed) files=$(git diff --name-only --diff-filter=AMR "$2" | grep -E "$layers" | head -n "${3-10000}" || true) ;;
  *) files=$(printf '%s\n' "$@") ;;
esac
# What a build for simulated GPUs does not compile has no command.
files=$(for file in $files; do grep -q "/$file\"" "$build/compile_commands.json" && echo "$file" || true; done)
if [ -z "$files" ]; then
  echo "tidy: nothing to check"
  exit 0
fi
echo "tidy: $(wc -l <<< "$files") files"
# g++'s flags that clang does not know; -march=native may name features of newer processors than clang's.
xargs -P "$(nproc)" -n 1 "$tidy" -p "$build" --quiet --extra-arg=-march=x86-64-v3 \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-deprecated-declarations <<< "$files"
