#!/usr/bin/env bash
# Compares minima with LibTorch on this machine, row by row.
#
#   benchmarks/compare_libtorch.sh [FILTER]   default: everything available, `table|ops/`
#     cpu_table     the CPU table: overhead, training steps, products, bandwidth (table_bench.cpp)
#     cuda_table    the same on the first GPU
#     ops/          every operator (ops/)
#
# Needs a Python with PyTorch, whose wheel includes LibTorch's headers and libraries; set PYTHON=…/bin/python. To get one:
# python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch. BUILD= is minima's build (build/cpu), OUT= the folder for
# the results (build/compare), MIN_TIME= the time per row and round (0.1 s), ROUNDS= the number of rounds (3; the best
# counts). By default both use one thread per core. THREADS=1 uses one thread each and compares processor time, which other
# programs on the machine hardly affect. BUSY=1 keeps one core busy in the meantime.
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

"$python" -c 'import torch' 2>/dev/null || stop "$python has no PyTorch; use one that does: PYTHON=/tmp/torch/bin/python $0"
[ -x "$build/benchmarks/benchmarks" ] || stop "$build/benchmarks/benchmarks not found; run cmake --build $build"
mkdir -p "$out"

version=$("$python" -c 'import torch; print(torch.__version__)')
twin=$out/libtorch_rows
if [ ! -x "$twin" ] || [ -n "$(find benchmarks/libtorch benchmarks/ops -newer "$twin" -name '*.*')" ]; then
  echo "compare_libtorch: compiling the LibTorch rows (LibTorch $version), which takes a minute or two"
  benchmarks/libtorch/build.sh "$python" "$twin" benchmarks/libtorch/table.cpp benchmarks/libtorch/ops.cpp
fi

compare=()
if [ -n "${THREADS:-}" ]; then
  export MINIMA_THREADS=$THREADS OMP_NUM_THREADS=$THREADS MKL_NUM_THREADS=$THREADS
  [ "$THREADS" != 1 ] || compare=(--processor-time)
fi

# run PROGRAM RESULT …: writes the rows that match the filter to RESULT.json; nothing if there are none.
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
# Alternate, so that other load on the machine affects both; the best round counts.
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
      echo "compare_libtorch: it failed and is left out; see $out/peer-resnet.log" >&2
  fi
fi
"$python" benchmarks/compare.py ${compare[@]+"${compare[@]}"} "LibTorch $version" "$out" | tee "$out/table.md"
