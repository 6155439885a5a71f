#!/usr/bin/env bash
# minima beside LibTorch, the same rows in one run on this machine, with their ratio.
#
#   benchmarks/compare_libtorch.sh [FILTER]   default: all that is there, `table|ops/`
#     cpu_table     the CPU table: overhead, training steps, products, bandwidth (table_bench.cpp)
#     cuda_table    the same on the first GPU
#     ops/          every operator (ops/)
#
# Needs a Python with PyTorch, whose wheel carries LibTorch's headers and libraries: PYTHON=…/bin/python names it. Without
# one: python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch. BUILD= names minima's build (build/cpu), OUT= where
# the results go (build/compare), MIN_TIME= how long a row runs each time (0.1 s), ROUNDS= how often (3; the best counts).
# CPU rows run on as many threads as there are cores in both. THREADS=1 takes one thread each and compares processor time:
# what other programs do on the machine then hardly matters. BUSY=1 keeps one core busy with another program meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
build=${BUILD:-build/cpu}
out=${OUT:-build/compare}
rounds=${ROUNDS:-3}
filter=${1:-table|ops/}

stop() {
  echo "compare_libtorch: $*" >&2
  exit 2
}

"$python" -c 'import torch' 2>/dev/null || stop "$python has no PyTorch; name one that has: PYTHON=/tmp/torch/bin/python $0"
[ -x "$build/benchmarks/benchmarks" ] || stop "there is no $build/benchmarks/benchmarks; run cmake --build $build"
mkdir -p "$out"

folder=$("$python" -c 'import os, torch; print(os.path.dirname(torch.__file__))')
version=$("$python" -c 'import torch; print(torch.__version__)')
twin=$out/libtorch_rows
if [ ! -x "$twin" ] || [ -n "$(find benchmarks/libtorch benchmarks/ops -newer "$twin" -name '*.*')" ]; then
  echo "compare_libtorch: compiling LibTorch's rows (LibTorch $version), a minute or two"
  libraries=(-ltorch -ltorch_cpu -lc10)
  # The CUDA half registers itself when it is loaded, so it is linked although nothing names it.
  if [ -e "$folder/lib/libtorch_cuda.so" ]; then libraries=(-Wl,--no-as-needed -ltorch_cuda -lc10_cuda "${libraries[@]}"); fi
  ${CXX:-g++} -std=c++20 -O2 -w -D_GLIBCXX_USE_CXX11_ABI=1 -I"$folder/include" -I"$folder/include/torch/csrc/api/include" \
    benchmarks/libtorch/table.cpp benchmarks/libtorch/ops.cpp -o "$twin" -L"$folder/lib" -Wl,-rpath,"$folder/lib" \
    "${libraries[@]}" -lbenchmark -lpthread
fi

compare=()
if [ -n "${THREADS:-}" ]; then
  export MINIMA_THREADS=$THREADS OMP_NUM_THREADS=$THREADS MKL_NUM_THREADS=$THREADS
  [ "$THREADS" != 1 ] || compare=(--processor-time)
fi

# One program of minima's or LibTorch's: its rows under the filter as JSON; programs without such rows leave nothing.
run() {
  local program=$1 result=$2
  shift 2
  [ -n "$("$program" --benchmark_filter="$filter" --benchmark_list_tests 2>/dev/null | grep -v 'Failed to match')" ] || return 0
  "$program" --benchmark_filter="$filter" --benchmark_min_time="${MIN_TIME:-0.1}" "$@" >"$out/$result.json" \
    2>"$out/$result.log" || stop "$program failed; see $out/$result.log"
}

if [ "${BUSY:-0}" != 0 ]; then
  (while :; do :; done) &
  trap "kill $!" EXIT
fi

rm -f "$out"/minima-*.json "$out"/peer-*.json
# In turns, so that what else the machine does meets both; the best counts.
for round in $(seq "$rounds"); do
  echo "compare_libtorch: round $round of $rounds" >&2
  run "$build/benchmarks/benchmarks" "minima-table-$round" --benchmark_format=json
  [ ! -x "$build/benchmarks/ops" ] || run "$build/benchmarks/ops" "minima-ops-$round" --json
  run "$twin" "peer-$round" --benchmark_format=json
done
if [ "${filter#*cu}" != "$filter" ] || [ -z "${1:-}" ]; then
  if "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
    echo "compare_libtorch: PyTorch's ResNet-50" >&2
    "$python" benchmarks/torch_resnet.py >"$out/peer-resnet.json" 2>"$out/peer-resnet.log" ||
      echo "compare_libtorch: left out, it failed; see $out/peer-resnet.log" >&2
  fi
fi
"$python" benchmarks/compare.py ${compare[@]+"${compare[@]}"} "LibTorch $version" "$out" | tee "$out/table.md"
