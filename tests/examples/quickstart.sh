#!/usr/bin/env bash
# Trains PROGRAM, examples/quickstart, for an epoch on the first images of Fashion-MNIST and checks what it leaves in DIR.
#
#   quickstart.sh PROGRAM DIR [FLAGS…]
set -euo pipefail
program=$1 dir=$2
shift 2
rm -rf "$dir"
mkdir -p "$dir/data"
set=/usr/share/datasets/fashion-mnist
# IDX: type and rank, then sizes as big-endian numbers of 32 bits; then the first 5,640 training and 60 test images.
first() {
  local kind=$1 header=$2 bytes=$3 skip=$4
  { printf '%b' "$header" && head -c "$bytes" < <(zcat "$set/$kind-ubyte.gz" | tail -c +"$skip"); } >"$dir/data/$kind-ubyte"
}
first train-images-idx3 '\0\0\010\003\0\0\026\010\0\0\0\034\0\0\0\034' $((5640 * 784)) 17
first train-labels-idx1 '\0\0\010\001\0\0\026\010' 5640 9
first t10k-images-idx3 '\0\0\010\003\0\0\0\074\0\0\0\034\0\0\0\034' $((60 * 784)) 17
first t10k-labels-idx1 '\0\0\010\001\0\0\0\074' 60 9

"$program" --epochs 3 --batch-size 32 --data "$dir/data" --out "$dir/out" "$@" | tee "$dir/log"
accuracy=$(awk '/^test accuracy/ { print $3 }' "$dir/log")
awk -v a="$accuracy" 'BEGIN { exit !(a > 0.4) }' || { echo "quickstart.sh: accuracy $accuracy after 60 steps; it learns nothing" >&2; exit 1; }
for file in network.safetensors learning_curve.svg misclassified.svg; do
  [ -s "$dir/out/$file" ] || { echo "quickstart.sh: $file is missing" >&2; exit 1; }
done
