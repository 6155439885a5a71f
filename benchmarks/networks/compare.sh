#!/usr/bin/env bash
# Compares training steps and inference of whole networks with PyTorch, in turns, on the CPU, and prints a table.
#
#   PYTHON=/tmp/torch/bin/python benchmarks/networks/compare.sh [ROW…]     all rows of `networks list`
#
# Needs a Python with torch, torchvision and transformers; with onnx, onnxscript and onnxruntime for the latter's column.
# All rows take about a quarter of an hour on two cores. Settings, with their defaults:
#
#   BUILD=build/cpu             minima's build
#   OUT=build/networks.jsonl    the file of results, to which a run appends, so that it may be stopped and gone on with
#   THREADS=…                   the threads of each: all cores. With one, times are the processor's, which other
#                               programs disturb less.
#   ROUNDS=1                    how often everything runs; the best median counts
#   STEPS=9 SECONDS_EACH=3      timed steps of a run, none of which begins after so many seconds
#   LIMIT=50                    seconds after which a run of PyTorch is stopped, compiling included; the table says so
#   DTYPES="float32 bfloat16"
#   PROGRAMS="eager channels_last compiled onnxruntime"    PyTorch's variants; in bfloat16, PROGRAMS_BFLOAT16=eager
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
program=${BUILD:-build/cpu}/benchmarks/networks/networks
out=${OUT:-build/networks.jsonl}
threads=${THREADS:-$(nproc)}
limit=${LIMIT:-50}
export MINIMA_THREADS=$threads OMP_NUM_THREADS=$threads MKL_NUM_THREADS=$threads TORCHINDUCTOR_COMPILE_THREADS=$threads

stop() {
  echo "compare: $*" >&2
  exit 2
}
"$python" -c 'import torch, torchvision, transformers' 2>/dev/null || stop "$python lacks torch, torchvision or transformers; set PYTHON=…/bin/python"
[ -x "$program" ] || stop "$program not found; run cmake --build ${BUILD:-build/cpu} --target networks"
mkdir -p "$(dirname "$out")"

# torch.compile would find again what it generated in an earlier run.
TORCHINDUCTOR_CACHE_DIR=$(mktemp -d)
export TORCHINDUCTOR_CACHE_DIR
trap 'rm -rf "$TORCHINDUCTOR_CACHE_DIR"' EXIT

rows=("$@")
[ ${#rows[@]} -gt 0 ] || mapfile -t rows < <("$program" list | cut -f1)

# is_for VARIANT ROW DTYPE: whether PyTorch's variant has something of its own to show there.
is_for() {
  case $1 in
    channels_last) [[ $2 == *net* ]] ;;
    compiled) [[ $2 != *inference_1 ]] ;;
    onnxruntime) [[ $2 == *inference* && $3 = float32 ]] ;;
  esac
}

# run_torch VARIANT ROW DTYPE STEPS SECONDS: appends its line of results, or one that says that it took too long.
run_torch() {
  local line status=0
  line=$(timeout -k 5 "$limit" "$python" benchmarks/networks/torch_networks.py "$2" "$3" "$4" "$5" --as "$1" --threads "$threads" 2>/dev/null) || status=$?
  if [ $status = 0 ]; then
    tail -n 1 <<<"$line" >>"$out"
  elif [ $status = 124 ] || [ $status = 137 ]; then
    echo "{\"program\": \"$1\", \"row\": \"$2\", \"dtype\": \"$3\", \"over_s\": $limit}" >>"$out"
  else
    echo "compare: PyTorch $1 cannot run $2 in $3" >&2
  fi
}

for ((round = 0; round < ${ROUNDS:-1}; ++round)); do
  for row in "${rows[@]}"; do
    for dtype in ${DTYPES:-float32 bfloat16}; do
      echo "$((SECONDS / 60)) min: $row $dtype" >&2
      amount=("${STEPS:-9}" "${SECONDS_EACH:-3}")
      "$program" "$row" "$dtype" "${amount[@]}" >>"$out"
      variants=${PROGRAMS-eager channels_last compiled onnxruntime}
      [ "$dtype" = float32 ] || variants=${PROGRAMS_BFLOAT16-eager}
      for variant in $variants; do
        is_for "$variant" "$row" "$dtype" && run_torch "$variant" "$row" "$dtype" "${amount[@]}"
      done
    done
  done
done
"$program" list | "$python" benchmarks/networks/table.py "$out"
