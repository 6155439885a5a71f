#!/usr/bin/env bash
# A training run is a function of its command line, bit for bit: the seed decides it, the number of threads does not, and
# a run that is saved halfway and resumed in a new process ends with the state of one that never stopped.
#
#   resume.sh FOLDER STEPS COMPARE PROGRAM ARGUMENTS…
#
# COMPARE, tests/examples/compare_states.cpp, compares what --run saves: parameters, optimizer, generators and the position
# in the data. Writes a small Fashion-MNIST into FOLDER/data, for those who train on it.
set -euo pipefail
folder=$1 steps=$2 compare=$3
shift 3
rm -rf "$folder"
mkdir -p "$folder/data"
cd "$folder"

# IDX: type and rank, sizes as big-endian numbers of 32 bits, data. Anything that varies will do for pixels.
number() { printf "$(printf '\\x%02x' $(($1 >> 24)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)))"; }
write_set() {
  local pixels=$((28 * 28 * $2))
  { number 0x803; number "$2"; number 28; number 28; head -c $pixels < <(seq 1000000); } >"data/$1-images-idx3-ubyte"
  { number 0x801; number "$2"; head -c "$2" < <(seq 1000000 | tr -d '\n') | tr 0-9 '\000-\011'; } >"data/$1-labels-idx1-ubyte"
}
write_set train 5200 # 5,000 are for validation
write_set t10k 10

# run NAME ARGUMENTS… trains, and saves or resumes the run NAME.
run() {
  local name=$1
  shift
  if ! "$@" --deterministic --run "$name" >"$name.log" 2>&1; then
    echo "resume: the run $name failed:" >&2
    tail -n 20 "$name.log" >&2
    exit 1
  fi
}
expect_same() {
  if ! "$compare" "$1/latest" "$2/latest"; then
    echo "resume: $3" >&2
    exit 1
  fi
}

run whole "$@" --threads 1 --max-steps $((2 * steps))
run threads "$@" --threads 2 --max-steps $((2 * steps))
run half "$@" --threads 1 --max-steps "$steps"
run half "$@" --threads 1 --max-steps $((2 * steps))
expect_same whole threads "two runs with the same seed, on one thread and on two, ended differently"
expect_same whole half "the run that was saved after $steps steps and resumed ended differently"
rm -rf "$folder"
echo "$((2 * steps)) steps are the same on one thread, on two, and resumed after $steps"
