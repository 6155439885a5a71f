#!/usr/bin/env bash
# minima beside LibTorch, the same rows in one run on this machine, with their ratio.
#
#   benchmarks/compare_torch.sh [FILTER]   default: the table of every device here, `c.*_table`
#
# Needs a Python with PyTorch, whose wheel carries LibTorch's headers and libraries: PYTHON=…/bin/python names it. Without
# one: python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch. BUILD= names minima's build (build/cpu), OUT= where
# the results go (build/compare). CPU rows run on as many threads as there are cores in both.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
build=${BUILD:-build/cpu}
out=${OUT:-build/compare}
filter=${1:-c.*_table}

stop() {
  echo "compare_torch: $*" >&2
  exit 2
}

"$python" -c 'import torch' 2>/dev/null || stop "$python has no PyTorch; name one that has: PYTHON=/tmp/torch/bin/python $0"
[ -x "$build/benchmarks/benchmarks" ] || stop "there is no $build/benchmarks/benchmarks; run cmake --build $build --target benchmarks"
mkdir -p "$out"

folder=$("$python" -c 'import os, torch; print(os.path.dirname(torch.__file__))')
version=$("$python" -c 'import torch; print(torch.__version__)')
twin=$out/libtorch_table
if [ ! -x "$twin" ] || [ benchmarks/libtorch/table.cpp -nt "$twin" ]; then
  echo "compare_torch: compiling LibTorch's rows (LibTorch $version)"
  libraries=(-ltorch -ltorch_cpu -lc10)
  # The CUDA half registers itself when it is loaded, so it is linked although nothing names it.
  if [ -e "$folder/lib/libtorch_cuda.so" ]; then libraries=(-Wl,--no-as-needed -ltorch_cuda -lc10_cuda "${libraries[@]}"); fi
  ${CXX:-g++} -std=c++20 -O2 -w -D_GLIBCXX_USE_CXX11_ABI=1 -I"$folder/include" -I"$folder/include/torch/csrc/api/include" \
    benchmarks/libtorch/table.cpp -o "$twin" -L"$folder/lib" -Wl,-rpath,"$folder/lib" "${libraries[@]}" -lbenchmark -lpthread
fi

# In turns, so that what else the machine does meets both; the best of three counts.
for round in 1 2 3; do
  for side in minima libtorch; do
    program=$build/benchmarks/benchmarks
    [ "$side" = minima ] || program=$twin
    echo "compare_torch: $side, round $round of 3"
    "$program" --benchmark_filter="$filter" --benchmark_min_time="${MIN_TIME:-0.2}" --benchmark_format=json \
      >"$out/$side-$round.json" 2>"$out/$side-$round.log" || stop "$program failed; see $out/$side-$round.log"
  done
done
if [ "${filter#*cu}" != "$filter" ] || [ "$filter" = "c.*_table" ]; then
  if "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
    echo "compare_torch: PyTorch's ResNet-50"
    "$python" benchmarks/torch_resnet.py >"$out/libtorch-resnet.json" 2>"$out/libtorch-resnet.log" ||
      echo "compare_torch: left out, it failed; see $out/libtorch-resnet.log" >&2
  fi
fi
"$python" benchmarks/compare.py "LibTorch $version" "$out" | tee "$out/table.md"
