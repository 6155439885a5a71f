#!/usr/bin/env bash
# Trains with a program on the CPU, then on simulated GPUs, and compares the losses of all steps.
#
#   follows_cpu.sh FOLDER TOLERANCE COMMAND… -- [FLAGS ON THE CPU…] -- [FLAGS ON GPUS…]
#
# No loss may differ by more than TOLERANCE times the CPU's. Losses that hardly change would tell nothing: the CPU's have
# to move by ten times that. Runs in FOLDER, where data/ has Fashion-MNIST with 20 test images, since ten thousand would
# take minutes.
set -euo pipefail
folder=$1 tolerance=$2
shift 2
command=() on_cpu=()
while [ "$1" != -- ]; do command+=("$1") && shift; done
shift
while [ "$1" != -- ]; do on_cpu+=("$1") && shift; done
shift

rm -rf "$folder"
mkdir -p "$folder/data"
cd "$folder"
set=/usr/share/datasets/fashion-mnist
ln -s $set/train-* data
# IDX: type and rank, then sizes as big-endian numbers of 32 bits.
{ printf '\0\0\10\3\0\0\0\24\0\0\0\34\0\0\0\34' && head -c $((20 * 28 * 28)) < <(zcat $set/t10k-images-idx3-ubyte.gz | tail -c +17); } \
  >data/t10k-images-idx3-ubyte
{ printf '\0\0\10\1\0\0\0\24' && head -c 20 < <(zcat $set/t10k-labels-idx1-ubyte.gz | tail -c +9); } >data/t10k-labels-idx1-ubyte

# run NAME FLAGS… trains and writes NAME.csv.
run() {
  local name=$1
  shift
  if ! "${command[@]}" "$@" --loss-log "$name.csv" >"$name.log" 2>&1; then
    echo "follows_cpu: the run on the $name failed:" >&2
    tail -n 40 "$name.log" >&2
    exit 1
  fi
}
run cpu "${on_cpu[@]}" --device cpu
run gpu "$@"
if ! grep -q 'trained on cuda:' gpu.log; then
  echo "follows_cpu: the second run was not on a GPU:" >&2
  cat gpu.log >&2
  exit 1
fi
if [[ " $* " = *" --capture "* ]] && ! grep -q ' [1-9][0-9]* replayed' gpu.log; then
  echo "follows_cpu: no step was replayed:" >&2
  cat gpu.log >&2
  exit 1
fi

paste -d , cpu.csv gpu.csv | awk -F , -v tolerance="$tolerance" '
  NR == 1 { next }
  { cpu = $2; gpu = $4; difference = cpu > gpu ? cpu - gpu : gpu - cpu }
  $1 != $3 || gpu !~ /^[0-9]/ { print "step " $1 ": the GPU has " ($4 == "" ? "no loss" : $3 " " gpu); bad = 1; next }
  difference / cpu > worst { worst = difference / cpu }
  difference > tolerance * cpu { print "step " $1 ": " cpu " on the CPU, " gpu " on the GPU"; bad = 1 }
  NR == 2 { least = most = cpu }
  cpu < least { least = cpu }
  cpu > most { most = cpu }
  END {
    print NR - 1 " steps, losses from " most " to " least ", largest relative difference " worst
    if (NR < 3) { print "too few steps"; bad = 1 }
    if (most - least < 10 * tolerance * most) { print "the losses hardly change"; bad = 1 }
    exit bad
  }' >&2
