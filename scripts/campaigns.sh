#!/usr/bin/env bash
# The checks that take too long for every change, in parts of at most 40 minutes on two cores. A run leaves out the parts
# that have passed at this commit, so it may be stopped at any time and started again.
#
#   scripts/campaigns.sh nightly          what every change should pass within a day
#   scripts/campaigns.sh full             the nightly parts and the long campaigns
#   scripts/campaigns.sh run PART…        these parts, even if they have passed
#   scripts/campaigns.sh list             all parts, and what their last run found at which commit
#
# build/campaigns/results.tsv records commit, part, result and seconds of every run, build/campaigns/PART.log its output.
# After 40 minutes a part is stopped and recorded as `unfinished`; builds then go on where they stopped.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=${MINIMA_PART_SECONDS:-2400}
folder=build/campaigns
results=$folder/results.tsv
tests=build/cpu/tests
simulated=build/cpu/simulated/tests

built() { cmake --preset cpu -D MINIMA_WERROR=ON -D MINIMA_CUDA=AUTO && cmake --build --preset cpu --target "$@" -- -k 0; }
brief() { "$1" --gtest_brief=1 --gtest_filter="$2" "${@:3}"; }

# -- nightly parts --------------------------------------------------------------------------------------------------------

# Each source includes what it needs, and each header compiles alone. Nothing of it runs, so it is not optimised.
separate() {
  cmake --preset cpu -B build/separate -D MINIMA_UNITY=OFF -D MINIMA_WERROR=ON -D MINIMA_CUDA=OFF -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 &&
    cmake --build build/separate --target "$@" -- -k 0  # all failures at once
}
nightly_separate_library() { separate minima tools/{info,bench,top,plot}/all simulated/all examples/all benchmarks/all minima_headers; }
# What .ci/run leaves out: CUDA's part as nvcc compiles it, and the tests that need its headers.
nightly_cuda_build() { built all; }
nightly_cuda_tests() { built all && ctest --preset cpu --parallel "$(nproc)"; }
nightly_compiled_kernels() { built all && ctest --preset nightly -L ptx; }
nightly_slow_tests() { built all && ctest --preset nightly -LE ptx --parallel "$(nproc)"; }
nightly_threads_with_clang() {
  # clang++ may warn of the instructions that -march=native names on a new machine. Some tests fork.
  cmake --preset tsan -B build/clang-tsan -D CMAKE_CXX_COMPILER=clang++-19 -D MINIMA_NATIVE=OFF -D MINIMA_BUILD_EXAMPLES=OFF &&
    cmake --build build/clang-tsan --target test_threads &&
    TSAN_OPTIONS=second_deadlock_stack=1:history_size=5:die_after_fork=0 MINIMA_NO_CACHE=1 build/clang-tsan/tests/test_threads --gtest_brief=1
}
nightly_tidy() { cmake --preset cpu && scripts/tidy.sh --changed "$(git rev-list -1 --before='2 days ago' HEAD)" 150; }

# -- full parts -----------------------------------------------------------------------------------------------------------

full_separate_tests() { separate all; }
# README.md promises a test accuracy of 0.916 after five epochs: fails below it.
full_accuracy() {
  built fashion_mnist && build/cpu/examples/fashion_mnist --device cpu --epochs 5 --out build/cpu/accuracy |
    awk '{ print } /^test accuracy/ { good = $3 >= 0.916 } END { exit !good }'
}
full_random_cases() { built test_ops && MINIMA_RANDOM_CASES=1000 brief $tests/test_ops '*.AgreesWithFloat64OnRandomCases'; }
full_mathematics() { built test_ops && MINIMA_MATH_STRIDE=41 brief $tests/test_ops 'Math*'; }
full_failed_allocations() { built test_training_faults && MINIMA_FAULTS=all brief $tests/faults/training/test_training_faults '*'; }
full_failed_ranks() {
  built test_distributed test_simulated_distributed &&
    MINIMA_FAULTS=200 brief $tests/test_distributed 'RandomFaults.*' --gtest_also_run_disabled_tests &&
    MINIMA_FAULTS=100 brief $simulated/test_simulated_distributed 'SimulatedShardingFaults.*'
}
full_sharded_networks() { built test_distributed && MINIMA_SHARDING_STEPS=100 brief $tests/test_distributed 'ShardingNetworks.*'; }
full_launchers() { built test_distributed && MINIMA_LAUNCHES=50 brief $tests/test_distributed 'Launch.*'; }
full_killed_runs() { built run_campaign test_train && MINIMA_RUN_PLANS=200 brief $tests/test_train 'ResumeAtAnotherSize.*' && tests/scripts/kill_runs.py scripts/launch $tests/scripts/run_campaign --kills 300 --ranks 2,4,1,2; }
full_faults_of_runs() { built run_campaign && tests/scripts/fault_runs.py scripts/launch $tests/scripts/run_campaign --faults 300 && tests/scripts/host_runs.py scripts/launch $tests/scripts/run_campaign --epochs 60; }
full_goodput() { built run_campaign && tests/scripts/goodput_runs.py scripts/launch $tests/scripts/run_campaign --seconds 600; }
full_loader_memory() { built test_data && MINIMA_LONG=1 brief $tests/test_data 'LoaderMemory.*'; }
full_simulated_tables() { built test_ops_simulated && MINIMA_TEST_DEVICE=cuda brief $tests/test_ops_simulated '*Cases.*-HalfSquaredDistanceCases.*'; }
full_simulated_failures() { built test_simulated_library && MINIMA_SIMULATED_ALL_FAILURES=1 brief $simulated/test_simulated_library '*Failures*'; }
full_simulated_orders() { built test_simulated_library && MINIMA_SIMULATED_SEEDS=1000 brief $simulated/test_simulated_library '*Orders*'; }
full_simulated_ranks() { built test_simulated_distributed && MINIMA_SIMULATED_SEEDS=250 brief $simulated/test_simulated_distributed '*FollowsTheCpuInEveryOrder'; }
full_source_and_ptx() {
  built test_ops_simulated minima &&
    MINIMA_TEST_DEVICE=cuda MINIMA_SIMULATED_EXECUTOR=both MINIMA_NO_CACHE=1 MINIMA_LAUNCH_BLOCKING=1 MINIMA_SIMULATED_PTX=$PWD/build/cpu/libminima.a \
      MINIMA_SIMULATED_BOUNDS=$PWD/simulated/tests/ptx/bounds.txt brief $tests/test_ops_simulated '*Cases.MatchesTheReference-HalfSquaredDistanceCases.*'
}
full_onnx_models() { built test_onnx && MINIMA_ONNX_ZOO=new brief $tests/test_onnx 'OnnxZoo.*'; }  # MINIMA_ONNX_PYTHON has torch
full_mutants() { built test_ops_simulated minima && simulated/tests/tables/mutants.sh $tests/test_ops_simulated build/cpu/libminima.a build/cpu/mutants; }
full_coverage() { scripts/coverage.sh; }
full_user_project() { scripts/try_simulated.sh build/try_simulated; }
# The CUDA sources as plain C++, and the simulation itself.
full_simulated_asan() {
  local build=build/asan_simulated
  cmake --preset asan -B $build -D MINIMA_CUDA=SIMULATED -D MINIMA_BUILD_EXAMPLES=OFF &&
    cmake --build $build --target simulated/tests/all test_ops &&
    MINIMA_NO_CACHE=0 ctest --test-dir $build/simulated/tests --parallel "$(nproc)" --output-on-failure  # captures need it
}
sanitized_build() { cmake --preset "$1" -D MINIMA_BUILD_EXAMPLES=OFF && cmake --build --preset "$1"; }
sanitized_tests() { MINIMA_TEST_PASSES=2000 ctest --preset "$1" --parallel "$(nproc)" -I "$2,,3"; }
full_asan_build() { sanitized_build asan; }
full_asan_tests_1() { sanitized_tests asan 1; }
full_asan_tests_2() { sanitized_tests asan 2; }
full_asan_tests_3() { sanitized_tests asan 3; }
full_tsan_build() { sanitized_build tsan; }
full_tsan_tests_1() { sanitized_tests tsan 1; }
full_tsan_tests_2() { sanitized_tests tsan 2; }
full_tsan_tests_3() { sanitized_tests tsan 3; }
# Two million inputs for every target.
fuzz() { find tests/fuzz -name '*_fuzz.cpp' -printf '%f\n' | sort | sed 's/_fuzz.cpp//' | awk -v part="$1" 'NR % 4 == part' | xargs scripts/fuzz.sh 2000000; }
full_fuzz_0() { fuzz 0; }
full_fuzz_1() { fuzz 1; }
full_fuzz_2() { fuzz 2; }
full_fuzz_3() { fuzz 3; }

# -------------------------------------------------------------------------------------------------------------------------

# Parts in the order in which they are written above.
parts() { sed -nE "s/^(($1)_[a-z0-9_]+)\(\) \{.*/\1/p" scripts/campaigns.sh; }
commit() { git rev-parse --short HEAD; }
is_clean() { [ -z "$(git status --porcelain --untracked-files=no)" ]; }
has_passed() { is_clean && [ -f $results ] && awk -F '\t' -v c="$(commit)" -v p="$1" '$1 == c && $2 == p { r = $3 } END { exit r != "passed" }' $results; }

run_part() {
  local part=$1 start=$SECONDS status=0 result=passed name
  name=$(commit)
  is_clean || name+=+  # with changes of its own: recorded, but not counted as this commit
  echo "campaigns: $part at $name, output in $folder/$part.log"
  # The group of processes ends with the part, and tests that would wait for input get none.
  timeout --kill-after=20 "$limit" "$0" --in-part "$part" >"$folder/$part.log" 2>&1 </dev/null || status=$?
  case $status in
    0) ;;
    124 | 137) result=unfinished ;;
    *) result=failed ;;
  esac
  printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$part" "$result" $((SECONDS - start)) "$(date -u +%FT%TZ)" >>$results
  echo "campaigns: $part $result after $((SECONDS - start)) s"
  [ $result = passed ] && return
  tail -n 20 "$folder/$part.log"
  left+=("$part")
}

left=()
mkdir -p $folder
case "${1-}" in
  --in-part) "$2" && exit 0 || exit 1 ;;
  list)
    for part in $(parts 'nightly|full'); do
      printf '%-32s %s\n' "$part" "$( ([ ! -f $results ] || awk -F '\t' -v p="$part" '$2 == p { r = $3 " at " $1 " in " $4 " s, " $5 } END { print r }' $results) )"
    done
    exit
    ;;
  run) chosen=("${@:2}") ;;
  nightly | full)
    kinds=$1
    [ "$1" = nightly ] || kinds='nightly|full'
    mapfile -t all < <(parts "$kinds")
    chosen=()
    for part in "${all[@]}"; do
      if has_passed "$part"; then echo "campaigns: $part has passed at $(commit)"; else chosen+=("$part"); fi
    done
    ;;
  *)
    sed -n '2,12s/^# \?//p' "$0" >&2
    exit 2
    ;;
esac
for part in "${chosen[@]}"; do
  declare -F "$part" >/dev/null || { echo "campaigns: there is no part $part; scripts/campaigns.sh list names them" >&2; exit 2; }
done
for part in "${chosen[@]}"; do run_part "$part"; done
echo "campaigns: $((${#chosen[@]} - ${#left[@]})) passed, ${#left[@]} failed${left[*]+: ${left[*]}}"
[ ${#left[@]} -eq 0 ]
