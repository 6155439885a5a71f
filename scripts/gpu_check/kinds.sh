# shellcheck shell=bash disable=SC2154  # the variables are gpu_check.sh's
# How scripts/gpu_check.sh runs the groups of each kind. A kind runs its commands with `execute`, which leaves their exit code
# in $code and their output in $log, and sets $outcome: passed, failed, stopped (its time ran out), skipped, or "not possible".

# Runs a command for at most the group's budget. What ignores a stop is killed.
execute() {
  code=0
  timeout -k 5 "$budget" "$@" >>"$log" 2>&1 || code=$?
  case $code in
    0) outcome=passed ;;
    124 | 137) outcome=stopped note="stopped after $budget s" ;;
    *)
      if grep -q 'OutOfMemoryError\|out of memory on cuda' "$log"; then
        outcome=skipped note="does not fit this GPU's memory"
      else
        outcome=failed note="exit code $code: $(tail -n 1 "$log" | cut -c 1-200)"
      fi
      ;;
  esac
}

skip() { outcome=skipped note=$1; }

# Where a program is: named by PROGRAMS, unpacked, or built here.
program() {
  local found
  found=$(find -L "${PROGRAMS:-$programs}" -name "$1" -type f -perm -u+x -print -quit 2>/dev/null || true)
  [ -n "$found" ] || stop "there is no program $1 in ${PROGRAMS:-$programs}"
  echo "$found"
}

# --- the kinds ---

# A run without one of NVIDIA's libraries would measure minima's fallbacks, so nothing else runs.
libraries() {
  local found
  found=$(program minima-info)
  execute "$found" --require-libraries
  cat "$log"
  [ "$outcome" = passed ] || fatal=3
}

driver() {
  local version others before
  before=$(cut -d, -f1 "$state/device.txt" 2>/dev/null || true)
  if [ -d /usr/local/nvidia/bin ]; then PATH=$PATH:/usr/local/nvidia/bin; fi
  if ! timeout -k 5 "$budget" nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader >"$state/device.txt" 2>"$log"; then
    outcome=failed note="no GPU: $(command -v nvidia-smi >/dev/null && echo "nvidia-smi finds none" || echo "no nvidia-smi here, so no driver")" fatal=2
    return
  fi
  cat "$state/device.txt"
  outcome=passed
  if [ -n "$before" ] && [ "$before" != "$(cut -d, -f1 "$state/device.txt")" ]; then
    say "the results so far are of $before: starting anew"
    sed -i '/^libraries\t/!d' "$state/results.tsv"
    : >"$state/figures.tsv"
    rm -f "$state"/started/*
  fi
  version=$(head -n 1 "$state/device.txt" | cut -d, -f2 | tr -dc 0-9.)
  if ! [ "${version%%.*}" -ge 580 ] 2>/dev/null; then outcome=failed note="driver ${version:-unknown}; CUDA 13 needs 580 or newer"; fi
  others=$(timeout -k 5 10 nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | grep -c . || true)
  if [ "$others" -gt 0 ]; then note+="${note:+; }$others other processes use the GPU: figures will vary"; fi
  # What figures depend on. Older drivers lack a field or two.
  timeout -k 5 10 nvidia-smi --query-gpu=pci.bus_id,memory.used,clocks.max.sm,clocks.max.mem,power.limit,pcie.link.gen.max,pcie.link.width.max,ecc.mode.current,persistence_mode,mig.mode.current,temperature.gpu \
    --format=csv >"$log" 2>&1 || true
}

# GoogleTest prints each result as it comes, so a program that is stopped or dies still says what passed, and where it was.
tests() {  # NAME FILTER [VARIABLE=VALUE…]
  local test filter=$2 running
  test=$(program "test_$1")
  shift 2
  if $dry; then
    expect_tests "$test" "$filter"
    return
  fi
  execute env "$@" "$test" --gtest_filter="$filter"
  passed=$(grep -c '^\[       OK \] ' "$log" || true)
  skipped=$(grep -c '^\[  SKIPPED \] .* ms)$' "$log" || true)
  failed=$(grep -c '^\[  FAILED  \] .* ms)$' "$log" || true)
  running=$(awk '/^\[ RUN      \]/ { name = $4 } /^\[       OK \]|^\[  SKIPPED \]|^\[  FAILED  \]/ { name = "" } END { print name }' "$log")
  if [ -n "$running" ]; then note+="${note:+; }in $running"; fi
  if [ "$outcome" = failed ] && [ -n "$running" ]; then failed=$((failed + 1)); fi
  if [ "$outcome" = failed ] && [ "$failed" -gt 0 ]; then
    note+=": $(sed -nE 's/^\[  FAILED  \] ([^ ,]+).* ms\)$/\1/p' "$log" | head -n 5 | paste -sd ' ')"
  fi
  if [ "$outcome" = passed ] && [ "$passed" -eq 0 ]; then outcome=skipped note="no test ran: $(grep -m1 -i 'skip' "$log" | cut -c 1-120)"; fi
  counted=true
}

expect_tests() {
  [ "$("$1" --gtest_list_tests --gtest_filter="$2" 2>/dev/null | grep -c '^  ')" -gt 0 ] || stop "$1 has no test that matches $2"
}

figure() { printf '%s\t%s\t%s\t%s\n' "$@" >>"$state/figures.tsv"; }  # PROGRAM ROW VALUE UNIT

prices() {  # TABLE PROGRAM [OPTION…]
  local table=$1 name value unit found
  found=$(program "$2")
  shift 2
  execute "$found" "$@"
  while IFS=$'\t' read -r name value unit _; do
    if [ -n "$unit" ] && [ "$name" != GPU ]; then figure minima "$table/$name" "$value" "$unit"; fi
  done <"$log"
  cat "$log"
}

# The rows of Google Benchmark's JSON, or a beginning of it, in the log.
collect_rows() {  # PROGRAM
  local name value unit
  while IFS=$'\t' read -r name value unit; do
    figure "$1" "$name" "$value" "$unit"
    say "$name: $value $unit ($1)"
  done < <(awk -F '"' '
    $2 == "name" { name = $4; sub("/real_time$", "", name) }
    $2 == "real_time" { value = $3; gsub(/[ :,]/, "", value) }
    $2 == "time_unit" && value > 0 { printf "%s\t%.6g\t%s\n", name, value, $4; value = 0 }' "$log")
}

rows() {  # PROGRAM
  local name value unit
  while IFS=$'\t' read -r name value unit; do figure "$1" "$name" "$value" "$unit"; done < <(awk -F '"' '
    $2 == "name" { name = $4; sub("/real_time$", "", name) }
    $2 == "real_time" { value = $3; gsub(/[ :,]/, "", value) }
    $2 == "time_unit" && value > 0 { printf "%s\t%.6g\t%s\n", name, value, $4; value = 0 }' "$log" | tee /dev/stderr)
}

rows() {  # LABEL PROGRAM FILTER
  local found
  found=$(program "$2")
  execute "$found" --benchmark_filter="$3" --benchmark_min_time=0.5 --benchmark_format=json
  collect_rows "$1"
  if grep -q '"error_occurred": true' "$log"; then outcome=failed note="a row failed"; fi
}

has_torch() { "${PYTHON:-python3}" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)' 2>/dev/null; }

python() {  # LABEL SCRIPT [OPTION…]
  local label=$1
  shift
  has_torch || { skip "no PyTorch here" && return; }
  execute "${PYTHON:-python3}" "$@"
  collect_rows "$label"
}

# LibTorch's rows are compiled beside the first groups: that takes a minute or two, of the processor only.
start_libtorch() {
  if is_done libtorch || ! is_wanted libtorch || ! command -v g++ >/dev/null || ! has_torch; then return; fi
  local flags=()
  if [ -d "$work/pack/include" ]; then flags=(-I"$work/pack/include" -L"$work/pack/lib" -Wl,-rpath,"$PWD/$work/pack/lib"); fi
  nice -n 10 benchmarks/libtorch/build.sh "${PYTHON:-python3}" "$work/libtorch_rows" benchmarks/libtorch/table.cpp "${flags[@]}" \
    >"$state/logs/libtorch-build.log" 2>&1 &
  libtorch_build=$!
}

libtorch() {
  [ -n "${libtorch_build-}" ] || { skip "no PyTorch or no compiler here" && return; }
  # shellcheck disable=SC2016  # for the inner shell
  execute bash -c 'while [ ! -x "$2" ]; do kill -0 "$1" 2>/dev/null || exit 1; sleep 1; done; shift; exec "$@"' - "$libtorch_build" \
    "$work/libtorch_rows" --benchmark_filter=cuda_table --benchmark_min_time=0.1 --benchmark_format=json
  collect_rows LibTorch
}

example() {  # PROGRAM [OPTION…]
  local found
  found=$(program "$1")
  shift
  execute "$found" "$@"
  tail -n 3 "$log"
  if grep -q DIFFERENT "$log"; then outcome=failed note="gradients differ"; fi
}

ranks() {  # PROGRAM [OPTION…]
  local gpus found
  gpus=$(wc -l <"$state/device.txt")
  [ "$gpus" -gt 1 ] || { skip "one GPU" && return; }
  found=$(program "$1") || { skip "no $1 in the pack" && return; }
  shift
  execute scripts/launch -n "$gpus" "$found" "$@"
}

# One tool of compute-sanitizer. It is slow: running out of time with nothing found is a success. Some virtual machines refuse
# it, which says nothing about the program.
sanitize() {  # TOOL FILTER
  local test tool
  test=$(program test_ops)
  if $dry; then
    expect_tests "$test" "$2"
    return
  fi
  tool=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer) || { outcome="not possible" note="no compute-sanitizer here" && return; }
  execute env MINIMA_TEST_DEVICE=cuda MINIMA_NO_CACHE=1 "$tool" --tool "$1" --error-exitcode 9 "$test" --gtest_filter="$2"
  passed=$(grep -c '^\[       OK \] ' "$log" || true)
  if grep -q 'Device not supported' "$log" || ! grep -q '^\[ RUN      \]' "$log"; then
    outcome="not possible" note="compute-sanitizer: $(grep -m1 'not supported\|rror' "$log" | cut -c 1-120)"
  elif [ "$outcome" = stopped ] && ! grep -qE '^=+ (Invalid|Race|Uninit|Program hit|Error: Race)' "$log"; then
    outcome=passed note="nothing found in $passed tests, $budget s"
  fi
}
