#!/usr/bin/env bash
# Compares images per second from files to updated weights: examples/resnet --data and examples/fashion_mnist, and the same
# programs in PyTorch with a DataLoader of two workers and torchvision's transforms, in turns. Makes the data itself.
#
#   PYTHON=/tmp/torch/bin/python benchmarks/loading/compare_training.sh
#
# Needs a Python with torch and torchvision. BUILD= is minima's build (build/cpu), with the targets loading, resnet and
# fashion_mnist; DATA= the folder of the data (build/training_data), THREADS= the threads that compute (all cores), WORKERS=
# those that read images for resnet (2), ROUNDS= how often everything runs (3), STEPS= resnet's steps (20). The best round
# counts.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
build=${BUILD:-build/cpu}
data=${DATA:-build/training_data}
threads=${THREADS:-$(nproc)}
workers=${WORKERS:-2}
steps=${STEPS:-20}
export MINIMA_THREADS=$threads OMP_NUM_THREADS=$threads

stop() {
  echo "compare_training: $*" >&2
  exit 2
}
"$python" -c 'import torch, torchvision' 2>/dev/null || stop "$python lacks torch or torchvision; set PYTHON=…/bin/python"
for program in benchmarks/loading/loading examples/resnet examples/fashion_mnist; do
  [ -x "$build/$program" ] || stop "$build/$program not found; run cmake --build $build --target loading resnet fashion_mnist"
done

mkdir -p "$data"
[ -e "$data/jpeg" ] || "$build/benchmarks/loading/loading" make "$data/jpeg" >&2
[ -e "$data/FashionMNIST" ] || "$python" benchmarks/loading/torch_training.py make "$data" >&2

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
torch() { "$python" benchmarks/loading/torch_training.py "$@" --workers "$workers" --threads "$threads"; }
resnet=(--depth 18 --image-size 128 --batch-size 32 --steps "$steps")
minima_resnet() { "$build/examples/resnet" --data "$data/jpeg" "${resnet[@]}" --workers "$workers" --device cpu; }
torch_resnet() { torch resnet "$data/jpeg" "${resnet[@]}"; }
minima_fashion_mnist() {
  "$build/examples/fashion_mnist" --data "$data/FashionMNIST/raw" --epochs 1 --out "$out" --device cpu
}
torch_fashion_mnist() { torch fashion_mnist "$data"; }

# faster A B: the larger of two rates.
faster() { awk -v a="$1" -v b="$2" 'BEGIN { print (a > b ? a : b) }'; }

declare -A best
for ((round = 0; round < ${ROUNDS:-3}; ++round)); do
  for row in resnet fashion_mnist; do
    for side in minima torch; do
      rate=$("${side}_$row" 2>/dev/null | grep -oE '[0-9.]+(e\+[0-9]+)? img/s' | tail -n 1 | cut -d ' ' -f 1)
      [ -n "$rate" ] || stop "$side printed no images per second for $row"
      echo "$row, $side: $rate images/s" >&2
      best[$side $row]=$(faster "$rate" "${best[$side $row]:-0}")
    done
  done
done

echo "| images/s | minima | PyTorch | minima / PyTorch |"
echo "| --- | ---: | ---: | ---: |"
for row in resnet fashion_mnist; do
  label="ResNet-18 from JPEG files, 32 × 128²"
  [ $row = resnet ] || label="Fashion-MNIST, batches of 64"
  awk -v label="$label" -v a="${best[minima $row]}" -v b="${best[torch $row]}" \
    'BEGIN { printf "| %s | %.4g | %.4g | **%.2f** |\n", label, a, b, a / b }'
done
