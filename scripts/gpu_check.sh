#!/usr/bin/env bash
# Everything that needs a GPU, on a machine that has one: builds, runs all tests with label gpu or nccl, a part of them under
# compute-sanitizer, the examples, the tables of memory and the GPU benchmarks, beside LibTorch where PyTorch is installed.
#
#   scripts/gpu_check.sh [STAGE…]          these stages, by default all:
#                                          device build report first tests sanitizer examples memory distributed benchmarks
#                                          compare; `first` is what to look at in the first ten minutes on a GPU
#   scripts/gpu_check.sh --again [STAGE…]  stages that this commit has passed through are not repeated; this repeats them
#   scripts/gpu_check.sh --dry-run [STAGE…]  prints what would run; fails if a filter selects no test
#   scripts/gpu_check.sh --pack            prepares .gpu-pack/: programs built here for a machine that has neither compiler nor
#                                          libraries nor network, and a slice of Fashion-MNIST. There, with that folder next to
#                                          the checkout's files, the first form unpacks and runs them instead of building
#   scripts/gpu_check.sh --record DIR      folds the report in DIR into docs/gpu-status.md
#   scripts/gpu_check.sh --status          how many groups of tests have never passed on a GPU
#
# The summary is rewritten after every stage. Exit code 0: nothing failed, and tests ran on the GPU. Variables: OUT=DIR, the
# folder of the report (gpu-report); BUILD=DIR, the build (build/gpu); ARCH=90-real, the architectures of a pack. PROGRAMS=DIR,
# programs to run instead of building, and STATE=DIR, where logs stay, are for tests/scripts/gpu_rehearsal.sh, which runs this
# script on simulated GPUs.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${OUT:-gpu-report}
build=${BUILD:-build/gpu}
state=${STATE:-gpu-report/state}  # what earlier calls found out; logs
pack=.gpu-pack/pack.tar.xz
all_stages=(device build report first tests sanitizer examples memory distributed benchmarks compare)
dry=false

say() { echo "gpu_check: $*"; }
stop() {
  echo "gpu_check: $*" >&2
  exit 2
}

# --- the stages; each leaves lines "group <tab> passed <tab> failed <tab> skipped" in $state/STAGE.tsv ---

programs() {  # where the programs are: unpacked, or built here
  if [ -n "${PROGRAMS-}" ]; then echo "$PROGRAMS"; elif [ -d gpu-report/pack/bin ]; then echo gpu-report/pack/bin; else echo "$build/$1"; fi
}

result() {  # GROUP PASSED FAILED SKIPPED
  printf '%s\t%d\t%d\t%d\n' "$@" >>"$tsv"
  say "$1: $2 passed, $3 failed, $4 skipped"
}

# Runs a command under a limit of seconds, with its output in a log, and notes it as a group of one. What does not fit the
# GPU's memory is skipped, not failed. Every call runs in its own process, so none takes others down with it.
run() {  # GROUP LIMIT COMMAND…
  local group=$1 limit=$2 log=$state/$1.log code=0
  shift 2
  if $dry; then
    say "$group: $*"
    return
  fi
  timeout "$limit" "$@" >"$log" 2>&1 || code=$?
  if [ "$code" -eq 0 ]; then
    result "$group" 1 0 0
    tail -n 1 "$log"
  elif grep -q 'OutOfMemoryError\|out of memory on cuda' "$log"; then
    result "$group" 0 0 1
    say "$group does not fit this GPU's memory"
  else
    result "$group" 0 1 0
    if [ "$code" -eq 124 ]; then say "$group: stopped after $limit s"; fi
    tail -n 15 "$log"
  fi
}

selects_tests() {  # PROGRAM FILTER
  [ "$("$1" --gtest_list_tests --gtest_filter="$2" 2>/dev/null | grep -c '^  ')" -gt 0 ]
}
expect_tests() {
  selects_tests "$1" "$2" || stop "$1 has no test that matches $2"
}

stage_device() {
  if $dry; then
    echo dry >"$state/device.txt"
    return
  fi
  command -v nvidia-smi >/dev/null || stop "no nvidia-smi here, so no NVIDIA driver; see docs/building.md"
  nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader >"$state/device.txt" ||
    stop "nvidia-smi finds no GPU"
  # What measurements depend on. Older drivers lack a field or two.
  nvidia-smi --query-gpu=pci.bus_id,memory.used,clocks.max.sm,clocks.max.mem,power.limit,pcie.link.gen.max,pcie.link.width.max,ecc.mode.current,persistence_mode,mig.mode.current,temperature.gpu \
    --format=csv >"$state/device_details.txt" 2>&1 || true
  nvidia-smi -q >"$state/nvidia-smi.txt" 2>&1 || true
  cat "$state/device.txt"
}

stage_build() {
  if [ -n "${PROGRAMS-}" ]; then
    say "the programs are in $PROGRAMS"
  elif [ -e "$pack" ]; then
    if $dry; then return; fi
    rm -rf gpu-report/pack
    mkdir -p gpu-report/pack
    tar --extract --xz --file "$pack" --directory gpu-report/pack
    # The tests look for their fixtures where they were built.
    local origin
    origin=$(sed -n 2p gpu-report/pack/origin)
    if [ ! -e "$origin" ]; then mkdir -p "$(dirname "$origin")" && ln -s "$PWD" "$origin"; fi
    say "unpacked programs of commit $(sed -n 1p gpu-report/pack/origin)"
  elif $dry; then
    say "scripts/setup.sh --cuda && cmake --preset cuda -B $build && cmake --build $build"
  else
    rm -rf gpu-report/pack
    scripts/setup.sh --cuda || stop "installing what is missing failed; its output is above"
    cmake --preset cuda -B "$build" || stop "configuring failed; its output is above"
    cmake --build "$build" --parallel "$(nproc)" || stop "building failed; its output is above"
  fi
}

# What the library itself says about this machine.
stage_report() {
  local info
  info=$(find "$(programs .)" -name minima-info -type f -perm -u+x -print -quit 2>/dev/null)
  if [ -n "$info" ]; then run minima-info 60 "$info"; fi
}

# One group of tests: name, program, filter, then NAME=VALUE of its environment; LIMIT=SECONDS before it, if not 300.
run_group() {
  local name=$1 program=$2 filter=$3 limit=${LIMIT:-300} code=0
  shift 3
  local xml=$state/$name.xml log=$state/$name.log
  if $dry; then
    expect_tests "$program" "$filter"
    say "$name: $* $program --gtest_filter=$filter"
    return
  fi
  rm -f "$xml"
  env "$@" timeout "$limit" "$program" --gtest_filter="$filter" --gtest_brief=1 --gtest_output="xml:$xml" >"$log" 2>&1 || code=$?
  if [ "$code" -eq 124 ]; then say "$name: stopped after $limit s"; fi
  # The first line of the file has the whole run's numbers. A program that died left none: that is a failure.
  local tests=0 failures=1 skipped=0
  if [ -s "$xml" ]; then
    tests=$(grep -m1 -o ' tests="[0-9]*"' "$xml" | tr -dc 0-9)
    failures=$(grep -m1 -o 'failures="[0-9]*"' "$xml" | tr -dc 0-9)
    skipped=$(grep -c 'result="skipped"' "$xml" || true)
    if [ "$tests" -eq 0 ]; then failures=1; fi  # a filter that selects nothing
  fi
  result "$name" $((tests > 0 ? tests - failures - skipped : 0)) "$failures" "$skipped"
  if [ "$failures" -gt 0 ]; then tail -n 15 "$log"; fi
}

# The driver, and who else uses the GPU.
check_driver() {
  local driver others
  if $dry; then
    say "first-driver: nvidia-smi"
    return
  fi
  driver=$(head -n 1 "$state/device.txt" | cut -d, -f2 | tr -dc 0-9.)
  others=$(nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader 2>/dev/null | grep -c . || true)
  if [ "${driver%%.*}" -ge 580 ] 2>/dev/null; then
    result first-driver 1 0 0
  else
    result first-driver 0 1 0
    say "driver ${driver:-unknown}; CUDA 13 needs 580 or newer"
  fi
  if [ "$others" -gt 0 ]; then say "$others other processes use the GPU: measurements will vary"; fi
}

# What may be wrong and what costs most, first: ten minutes, each item with its own limit. What fails here needs no hour of
# tests to be found.
stage_first() {
  local tests ops
  tests=$(programs tests)
  ops=$tests/test_ops
  check_driver
  LIMIT=60 run_group first-profile "$tests/test_profiler" 'GpuActivity.*'
  run first-prices 60 "$(find "$(programs tools)" -name 'minima-prices' -print -quit)"
  if ! $dry; then cp "$state/first-prices.log" "$state/prices.txt"; fi
  LIMIT=30 run_group first-kernels "$ops" 'AddCases.MatchesTheReference:MatmulCases.MatchesTheReference:Conv2dCases.MatchesTheReference:ScaledDotProductAttentionCases.MatchesTheReference' MINIMA_TEST_DEVICE=cuda MINIMA_LAUNCH_BLOCKING=1
  LIMIT=60 run_group first-tensor "$tests/test_tensor" 'Gpu*'
  LIMIT=60 run_group first-training "$tests/test_train" 'Gpu*'
  LIMIT=120 run_group first-tables "$ops" '*Cases.MatchesTheReference' MINIMA_TEST_DEVICE=cuda
  LIMIT=60 run_group first-loader "$tests/test_data" 'Gpu*'
  LIMIT=60 run_group first-amp "$tests/test_amp" 'Gpu*'
  run first-resnet 60 "$(programs examples)/resnet" --device cuda --steps 30 --amp bf16 --channels-last
  # Thousands of allocations in each step: no page may come from the driver, or go back to it.
  run first-resnet-budget 60 "$(programs examples)/resnet" --device cuda --steps 10 --depth 152 --amp bf16 --channels-last --batch-size 64 --budget 6GiB
  LIMIT=60 run_group first-nccl "$tests/test_distributed" 'Nccl*'
  find_sanitizer
  if [ -n "$sanitizer" ] || $dry; then
    sanitize first-memcheck memcheck 60 'AddCases.MatchesTheReference:SumCases.MatchesTheReference:GatherCases.MatchesTheReference'
    sanitize first-racecheck racecheck 60 'SumCases.MatchesTheReference:SortCases.MatchesTheReference'
  fi
}

stage_tests() {
  local program name
  for program in "$(programs tests)"/test_*; do
    name=$(basename "$program")
    case "$name" in test_simulated* | *_simulated | *.*) continue ;; esac
    if [ -f "$program" ] && selects_tests "$program" 'Gpu*:Nccl*'; then run_group "${name#test_}" "$program" 'Gpu*:Nccl*'; fi
  done
  # The operators' tables of cases, with their inputs on the GPU.
  run_group operators "$(programs tests)/test_ops" '*Cases.*' MINIMA_TEST_DEVICE=cuda
  run_group operators-blocking "$(programs tests)/test_ops" 'Add*Cases.*:Softmax*Cases.*' MINIMA_TEST_DEVICE=cuda MINIMA_LAUNCH_BLOCKING=1
}

# One tool of compute-sanitizer over the tests of a filter. Without caching every tensor is a separate allocation, so an
# overrun is detected. Slow: running out of time with nothing found is a success.
sanitize() {  # GROUP TOOL LIMIT FILTER
  local group=$1 tool=$2 limit=$3 filter=$4 log=$state/$1.log failed=0
  local program
  program=$(programs tests)/test_ops
  expect_tests "$program" "$filter"
  if $dry; then
    say "$group: compute-sanitizer --tool $tool $program --gtest_filter=$filter"
    return
  fi
  MINIMA_TEST_DEVICE=cuda MINIMA_NO_CACHE=1 timeout "$limit" "$sanitizer" --tool "$tool" --error-exitcode 9 \
    "$program" --gtest_brief=1 --gtest_filter="$filter" >"$log" 2>&1 || failed=$?
  if [ "$failed" -eq 124 ]; then say "$group: nothing found in $limit s"; failed=0; fi
  result "$group" $((failed == 0)) $((failed != 0)) 0
  if [ "$failed" -ne 0 ]; then tail -n 20 "$log"; fi
}

find_sanitizer() {
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
}

stage_sanitizer() {
  find_sanitizer
  if [ -z "$sanitizer" ] && ! $dry; then
    say "no compute-sanitizer here; left out"
    return
  fi
  # cuDNN's kernels are slow under it and NVIDIA's to check, so convolutions and attention get a time of their own.
  sanitize memcheck memcheck 120 '*Cases.MatchesTheReference:-*Attention*:*Conv*'
  sanitize memcheck-cudnn memcheck 60 '*Attention*Cases.MatchesTheReference:*Conv*Cases.MatchesTheReference'
  # Kernels whose threads share memory: reductions, scans, sorts.
  sanitize racecheck racecheck 60 'Sum*Cases.MatchesTheReference:Softmax*Cases.MatchesTheReference:LayerNorm*Cases.MatchesTheReference:CrossEntropy*Cases.MatchesTheReference:Cumsum*Cases.MatchesTheReference:Sort*Cases.MatchesTheReference:Topk*Cases.MatchesTheReference'
  sanitize initcheck initcheck 60 'Add*Cases.MatchesTheReference:BatchNorm*Cases.MatchesTheReference:Embedding*Cases.MatchesTheReference:Gather*Cases.MatchesTheReference:MaxPool2d*Cases.MatchesTheReference'
}

stage_examples() {
  local data=() bin gpt
  bin=$(programs examples)
  if [ -d gpu-report/pack/fashion ]; then data=(--data gpu-report/pack/fashion); fi
  local fashion=("$bin/fashion_mnist" --device cuda "${data[@]}")
  run example-fashion_mnist 120 "${fashion[@]}" --epochs 2 --out gpu-report/fashion_mnist
  run example-fashion_mnist-fp16 120 "${fashion[@]}" --epochs 1 --amp fp16 --out gpu-report/fashion_mnist-fp16
  run example-fashion_mnist-capture 120 "${fashion[@]}" --epochs 1 --capture --checkpoint --budget 1GiB --out gpu-report/fashion_mnist-capture
  # Batch sizes fit the GPU's memory by themselves.
  run example-resnet 120 "$bin/resnet" --device cuda --steps 30
  run example-resnet-bf16 120 "$bin/resnet" --device cuda --steps 30 --amp bf16 --channels-last
  run example-resnet-fp16 120 "$bin/resnet" --device cuda --steps 30 --amp fp16 --channels-last
  gpt=("$bin/tiny_gpt" --device cuda --text docs/benchmarks.md --sample 80)
  run example-tiny_gpt 120 "${gpt[@]}" --steps 200
  run example-tiny_gpt-capture 120 "${gpt[@]}" --steps 200 --amp bf16 --capture
}

# The tables of docs/checkpointing.md, on the GPU.
stage_memory() {
  run memory-table 120 "$(find "$(programs benchmarks)" -name memory_table -type f -print -quit)" cuda
  if ! $dry && grep -q DIFFERENT "$state/memory-table.log"; then result memory-table-gradients 0 1 0; fi
}

# Several processes over NCCL, one for each GPU. With one GPU the group `distributed` of the tests is all there is.
stage_distributed() {
  local gpus bin
  gpus=$(wc -l <"$state/device.txt")
  bin=$(programs examples)
  if [ "$gpus" -lt 2 ] && ! $dry; then
    say "one GPU; training over several left out"
    return
  fi
  run nccl-resnet 120 scripts/launch -n "$gpus" "$bin/resnet" --steps 20 --amp bf16 --channels-last
  run nccl-rank_memory 120 scripts/launch -n "$gpus" "$(programs benchmarks)/rank_memory" cuda
  run nccl-tiny_gpt 120 scripts/launch -n "$gpus" "$bin/tiny_gpt" --text docs/benchmarks.md --steps 100 --sample 0
}

# Rows one by one: GPT-2 or ResNet-50 may not fit a small GPU.
stage_benchmarks() {
  local program row passed=0 failed=0 skipped=0 log=$state/benchmarks.log
  program=$(programs benchmarks)/benchmarks
  if $dry; then
    say "benchmarks: $program, a process for each row of cuda_table"
    return
  fi
  : >"$log"
  : >"$state/benchmarks.txt"
  for row in $("$program" --benchmark_filter=cuda_table --benchmark_list_tests 2>>"$log" | grep '^cuda_table/'); do
    if timeout 120 "$program" --benchmark_filter="^$row\$" --benchmark_min_time=0.2 >"$state/row.txt" 2>&1 && grep '^cuda_table/' "$state/row.txt" >>"$state/benchmarks.txt"; then
      passed=$((passed + 1))
    elif grep -q OutOfMemoryError "$state/row.txt"; then
      skipped=$((skipped + 1))
      echo "$row does not fit this GPU's memory" >>"$state/benchmarks.txt"
    else
      failed=$((failed + 1))
      echo "$row FAILED" >>"$state/benchmarks.txt"
    fi
    cat "$state/row.txt" >>"$log"
  done
  result benchmarks "$passed" $((failed + (passed + skipped == 0))) "$skipped"
  cat "$state/benchmarks.txt"
  predict
}

# Predictions for the GPU that is here: of the build's dry run, or made when the programs were packed.
predict() {
  local kind program
  kind=$(awk -F'\t' '$1 == "GPU" { print $4 }' "$state/prices.txt" 2>/dev/null || true)
  program=$(find "$(programs tools)" -name minima-dryrun -print -quit 2>/dev/null || true)
  if [ -e gpu-report/pack/predictions.tsv ]; then
    awk -F'\t' -v kind="$kind" '$1 == kind' gpu-report/pack/predictions.tsv >"$state/predictions.txt"
  elif [ -n "$program" ] && [ -n "$kind" ] && [ "$kind" != - ]; then
    scripts/gpu_predict.sh "$program" "$kind" >"$state/predictions.txt" || say "the predictions failed"
  fi
}

stage_compare() {
  if ! "${PYTHON:-python3}" -c 'import torch' 2>/dev/null; then
    say "no PyTorch here; left out"
    return
  fi
  if $dry; then
    say "benchmarks/compare_libtorch.sh cuda_table"
    return
  fi
  local folder=$build rows
  if [ -d gpu-report/pack/bin ]; then
    folder=gpu-report/pack
    mkdir -p "$folder/benchmarks" && ln -sf ../bin/benchmarks "$folder/benchmarks/benchmarks"
  fi
  # One program runs all rows: only those that fitted.
  rows=$(sed -nE 's,^cuda_table/([^ ]+) .* (ns|us|ms|s) .*,\1,p' "$state/benchmarks.txt" 2>/dev/null | sed 's,/real_time$,,' | paste -sd '|')
  BUILD=$folder OUT=gpu-report/compare MIN_TIME=0.1 timeout 300 benchmarks/compare_libtorch.sh "cuda_table${rows:+/($rows)(/real_time)?\$}" || say "the comparison failed"
  cp gpu-report/compare/table.md "$state/compare.md" 2>/dev/null || true
}

# shellcheck source=scripts/gpu_report.sh
. scripts/gpu_report.sh

help() { sed -n '2,/^set -euo/{/^set/d;s/^# \{0,1\}//;p}' "scripts/$(basename "$0")"; }

again=false
case "${1-}" in
  --help | -h) help; exit ;;
  --pack) exec scripts/gpu_pack.sh "$pack" ;;
  --record) record "${2:?name the folder of the report}"; exit ;;
  --status) status; exit ;;
  --again) again=true; shift ;;
  --dry-run)
    dry=true
    state=$(mktemp -d)
    trap 'rm -rf "$state"' EXIT
    shift
    ;;
  -*) stop "unknown option $1; see --help" ;;
esac

stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=("${all_stages[@]}")
for stage in "${stages[@]}"; do
  declare -F "stage_$stage" >/dev/null || stop "unknown stage $stage; there are ${all_stages[*]}"
done
mkdir -p "$state"
export LD_LIBRARY_PATH=$PWD/gpu-report/pack/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# Whether this commit has been through a stage. Another pack is another build.
is_done() {
  [ -e "$state/$1.done" ] && [ "$(cat "$state/$1.done")" = "$(commit)" ] && { [ "$1" != build ] || [ ! "$pack" -nt "$state/build.done" ]; }
}

for stage in "${stages[@]}"; do
  if ! $again && is_done "$stage"; then
    say "$stage: done before; --again repeats it"
    continue
  fi
  say "== $stage, after $SECONDS s"
  tsv=$state/$stage.tsv
  : >"$tsv"
  rm -f "$state/$stage.done"
  # The other stages need to know the device.
  if [ "$stage" != device ] && [ ! -e "$state/device.txt" ]; then stage_device; fi
  "stage_$stage"
  if $dry; then continue; fi
  commit >"$state/$stage.done"
  write_report
done
if $dry; then exit; fi
write_report
cat "$out/summary.md"
# Without a GPU that answers every test is skipped; that is no success.
if [ -s "$state/tests.tsv" ] && ! awk -F'\t' '$2 > 0 { ran = 1 } END { exit !ran }' "$state/tests.tsv"; then
  rm -f "$state/tests.done"
  say "no test ran on a GPU; the reasons are in $state/*.log"
  exit 1
fi
awk -F'\t' '$3 > 0 { failed = 1 } END { exit failed }' "$out/results.tsv"
