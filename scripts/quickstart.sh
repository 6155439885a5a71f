#!/usr/bin/env bash
# From a bare machine to a trained network: installs what is missing, builds examples/quickstart with the core of the
# library, and trains it on Fashion-MNIST. Arguments go to the program: scripts/quickstart.sh --epochs 5 --device cpu
# With `gpt` first, it builds examples/gpt, and trains a language model on the King James Bible in minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "quickstart: $1 failed; its output is above" >&2
  exit 1
}

program=quickstart needs=--minimal recipe=()
if [ "${1-}" = gpt ]; then
  shift
  program=gpt needs=--text recipe=(--depth 3 --tokens-per-parameter 0.7 --out gpt)
fi
start=$SECONDS
scripts/setup.sh $needs || fail "installing what is missing"
installed=$SECONDS
# CUDA takes minutes to build and is of use only where a GPU answers.
cuda=OFF
gpu="no GPU answers nvidia-smi, so minima was built without CUDA"
if nvidia-smi -L >/dev/null 2>&1; then
  cuda=AUTO
  gpu=""
fi
cmake -G Ninja -B build/quickstart -D CMAKE_BUILD_TYPE=Release -D MINIMA_CUDA=$cuda \
  -D MINIMA_BUILD_TESTS=OFF -D MINIMA_BUILD_BENCHMARKS=OFF -D MINIMA_TORCH=OFF -D MINIMA_FIRST_BUILD=ON || fail "configuring"
cmake --build build/quickstart --target $program || fail "building"
built=$SECONDS

status=0
build/quickstart/examples/$program "${recipe[@]}" "$@" || status=$?
echo "quickstart: install $((installed - start)) s, build $((built - installed)) s, train $((SECONDS - built)) s"
if [ $status -eq 0 ]; then
  [ -z "$gpu" ] || echo "quickstart: $gpu"
  if [ $program = gpt ]; then
    echo "quickstart: next, look at gpt/curve.svg, talk to it, or let it learn longer (docs/language-models.md)"
    echo "  build/quickstart/examples/gpt --chat gpt"
    echo "  build/quickstart/examples/gpt --depth 4 --tokens-per-parameter 4"
  else
    echo "quickstart: next, read examples/quickstart/main.cpp, and try (each builds more of the library first)"
    echo "  cmake --build build/quickstart --target fashion_mnist && build/quickstart/examples/fashion_mnist --help"
    echo "  scripts/quickstart.sh gpt"
  fi
fi
exit $status
