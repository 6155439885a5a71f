#!/usr/bin/env bash
# From a bare machine to a trained network: installs what is missing, builds the Fashion-MNIST example and trains it.
# Arguments go to the example: scripts/quickstart.sh --epochs 3
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "quickstart: $1 failed; its output is above" >&2
  exit 1
}

start=$SECONDS
scripts/setup.sh --minimal || fail "installing what is missing"
installed=$SECONDS
# CUDA takes minutes to build and is of use only where a GPU answers.
cuda=OFF
if nvidia-smi -L >/dev/null 2>&1; then cuda=AUTO; fi
cmake -G Ninja -B build/quickstart -D CMAKE_BUILD_TYPE=Release -D MINIMA_CUDA=$cuda \
  -D MINIMA_BUILD_TESTS=OFF -D MINIMA_BUILD_BENCHMARKS=OFF || fail "configuring"
cmake --build build/quickstart --target fashion_mnist || fail "building"
built=$SECONDS

status=0
build/quickstart/examples/fashion_mnist "$@" || status=$?
echo "quickstart: install $((installed - start)) s, build $((built - installed)) s, train $((SECONDS - built)) s"
exit $status
