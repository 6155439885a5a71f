#!/usr/bin/env bash
# Compares training of two sizes and decoding of GPT-2 124M with PyTorch and transformers, in turns, on the CPU.
#
#   PYTHON=/tmp/torch/bin/python benchmarks/language/compare.sh
#
# Needs a Python with torch and transformers. BUILD= is minima's build (build/cpu), THREADS= the threads of each (all
# cores), ROUNDS= how often everything runs (3), STEPS= training steps (15) and TOKENS= decoded tokens (60) of a run,
# TRAIN= and DECODE= the presets ("gpt2-tiny gpt2-mini", gpt2); COMPILE=0 leaves torch.compile out. Tables count the
# best median of the rounds. In a minute, whether all parts run:
#
#   ROUNDS=1 STEPS=3 TOKENS=5 TRAIN=gpt2-tiny DECODE=gpt2-tiny PYTHON=… benchmarks/language/compare.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
program=${BUILD:-build/cpu}/benchmarks/language/language_models
steps=${STEPS:-15}
tokens=${TOKENS:-60}
read -ra trained <<<"${TRAIN-gpt2-tiny gpt2-mini}"
read -ra decoded <<<"${DECODE-gpt2}"

stop() {
  echo "compare: $*" >&2
  exit 2
}
"$python" -c 'import torch, transformers' 2>/dev/null || stop "$python lacks torch or transformers; set PYTHON=…/bin/python"
[ -x "$program" ] || stop "$program not found; run cmake --build ${BUILD:-build/cpu} --target language_models"
if [ -n "${THREADS:-}" ]; then
  export MINIMA_THREADS=$THREADS OMP_NUM_THREADS=$THREADS MKL_NUM_THREADS=$THREADS
fi
export TRANSFORMERS_VERBOSITY=error

models=$(mktemp -d)
trap 'rm -rf "$models"' EXIT
for preset in $(printf '%s\n' "${trained[@]}" "${decoded[@]}" | sort -u); do
  "$program" save "$preset" "$models/$preset"
done

# each MODE PRESET ARGUMENT…: by minima, PyTorch and compiled PyTorch.
each() {
  local mode=$1 preset=$2
  shift 2
  echo "# $preset"
  "$program" "$mode" "$models/$preset" "$@"
  "$python" benchmarks/language/torch_language.py "$mode" "$models/$preset" "$@"
  [ "${COMPILE:-1}" = 0 ] || "$python" benchmarks/language/torch_language.py "$mode" "$models/$preset" "$@" --compile
}

for ((round = 0; round < ${ROUNDS:-3}; ++round)); do
  for preset in "${trained[@]}"; do
    case $preset in
      gpt2-tiny) each train "$preset" 8 256 "$steps" ;;
      *) each train "$preset" 4 512 "$steps" ;;
    esac
  done
  for preset in "${decoded[@]}"; do
    for dtype in float32 bfloat16; do
      for rows in 1 8; do each decode "$preset" "$rows" "$dtype" 32 "$tokens"; done
    done
  done
done
