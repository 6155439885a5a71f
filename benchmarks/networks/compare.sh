#!/usr/bin/env bash
# Compares training steps and inference of whole networks with PyTorch, in turns, on the CPU, and prints a table.
#
#   PYTHON=/tmp/torch/bin/python benchmarks/networks/compare.sh [ROW…]     all rows of `networks list`
#
# Needs a Python with torch, torchvision and transformers; with onnx and onnxruntime for the latter's column. BUILD= is
# minima's build (build/cpu), OUT= the file of results (build/networks.jsonl), to which a run appends, so that it may be
# stopped and gone on with; THREADS= the threads of each (all cores), ROUNDS= how often everything runs (2), STEPS= timed
# steps of a run (25; 5 for inference of 32), DTYPES= (float32 bfloat16), PROGRAMS= PyTorch's variants (eager
# channels_last compiled onnxruntime). The best median of the rounds counts.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
program=${BUILD:-build/cpu}/benchmarks/networks/networks
out=${OUT:-build/networks.jsonl}
threads=${THREADS:-$(nproc)}
export MINIMA_THREADS=$threads OMP_NUM_THREADS=$threads MKL_NUM_THREADS=$threads

stop() {
  echo "compare: $*" >&2
  exit 2
}
"$python" -c 'import torch, torchvision, transformers' 2>/dev/null || stop "$python lacks torch, torchvision or transformers; set PYTHON=…/bin/python"
[ -x "$program" ] || stop "$program not found; run cmake --build ${BUILD:-build/cpu} --target networks"

rows=("$@")
[ ${#rows[@]} -gt 0 ] || mapfile -t rows < <("$program" list | cut -f1)

# is_for VARIANT ROW DTYPE: whether PyTorch's variant has something of its own to show there.
is_for() {
  case $1 in
    channels_last) [[ $2 == *net* ]] ;;
    onnxruntime) [[ $2 == *inference* && $3 = float32 ]] ;;
  esac
}

for ((round = 0; round < ${ROUNDS:-2}; ++round)); do
  for row in "${rows[@]}"; do
    steps=${STEPS:-25}
    [[ $row != *inference_32 ]] || steps=5
    for dtype in ${DTYPES:-float32 bfloat16}; do
      echo "$row $dtype" >&2
      "$program" "$row" "$dtype" "$steps" >>"$out"
      for variant in ${PROGRAMS-eager channels_last compiled onnxruntime}; do
        is_for "$variant" "$row" "$dtype" || continue
        "$python" benchmarks/networks/torch_networks.py "$row" "$dtype" "$steps" --as "$variant" --threads "$threads" 2>/dev/null | tail -n 1 >>"$out" ||
          echo "compare: PyTorch $variant cannot run $row in $dtype" >&2
      done
    done
  done
done
"$program" list | "$python" benchmarks/networks/table.py "$out"
