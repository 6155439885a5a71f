#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. The last line counts them, the exit code is 0 only if
# none failed.
#
#   scripts/test.sh [-D NAME=VALUE …]           options of the build, see docs/building.md
#   scripts/test.sh --full [-D NAME=VALUE …]    and then, for hours: the long campaigns, at the end of this file
set -euo pipefail
cd "$(dirname "$0")/.."

full=false
if [ "${1-}" = --full ]; then
  full=true
  shift
fi

fail() {
  echo "test: $1 failed; its output is above" >&2
  exit 1
}

scripts/setup.sh || fail "installing what is missing"
cmake --preset cpu "$@" || fail "configuring"
cmake --build --preset cpu || fail "building"

results=$PWD/build/cpu/results.xml
rm -f "$results"
status=0
ctest --preset cpu --parallel "$(nproc)" --output-on-failure --output-junit "$results" || status=$?
[ -f "$results" ] || fail "running ctest"

# The numbers that ctest notes of the whole run: tests="12" failures="1" disabled="0" skipped="2"
number() { grep -m1 -o "$1=\"[0-9]*\"" "$results" | tr -dc 0-9; }
failed=$(number failures)
skipped=$(($(number skipped) + $(number disabled)))
echo "$(($(number tests) - failed - skipped)) passed, $failed failed, $skipped skipped"
[ "$status" -eq 0 ] && [ "$failed" -eq 0 ] || exit 1
if ! $full; then exit 0; fi

# What takes too long for every change. Each campaign prints its counts; a failure does not keep the others from running.
failures=()
campaign() {
  local name=$1
  shift
  echo "== $name, after $SECONDS s"
  "$@" || failures+=("$name")
}
# README.md promises a test accuracy of 0.916 after five epochs: fails below it.
accuracy() {
  build/cpu/examples/fashion_mnist --device cpu --epochs 5 --out build/cpu/accuracy |
    awk '{ print } /^test accuracy/ { good = $3 >= 0.916 } END { exit !good }'
}
tests=build/cpu/tests
campaign "the accuracy on Fashion-MNIST that README.md names" accuracy
campaign "1,000 random cases for every operator" env MINIMA_RANDOM_CASES=1000 $tests/test_ops --gtest_brief=1 --gtest_filter='*.AgreesWithFloat64OnRandomCases'
campaign "a hundred times as many numbers through every function" env MINIMA_MATH_STRIDE=41 $tests/test_ops --gtest_brief=1 --gtest_filter='Math*'
campaign "failed allocations in larger training steps" env MINIMA_FAULTS=all $tests/faults/training/test_training_faults --gtest_brief=1
campaign "200 failures of ranks" env MINIMA_FAULTS=200 $tests/test_distributed --gtest_also_run_disabled_tests --gtest_filter='RandomFaults.*'
campaign "launchers that blame the right rank" env MINIMA_LAUNCHES=50 $tests/test_distributed --gtest_brief=1 --gtest_filter='Launch.*'
campaign "the loader's memory over many epochs" env MINIMA_LONG=1 $tests/test_data --gtest_brief=1 --gtest_filter='LoaderMemory.*'
simulated=$tests/simulated
campaign "all that the tables check, on simulated GPUs" env MINIMA_TEST_DEVICE=cuda $tests/test_ops_simulated --gtest_brief=1 --gtest_filter='*Cases.*-HalfSquaredDistanceCases.*'
campaign "every call of a training on simulated GPUs fails" env MINIMA_SIMULATED_ALL_FAILURES=1 $simulated/test_simulated_library --gtest_brief=1 --gtest_filter='*Failures*'
campaign "1,000 orders of a training on simulated GPUs" env MINIMA_SIMULATED_SEEDS=1000 $simulated/test_simulated_library --gtest_brief=1 --gtest_filter='*Orders*'
campaign "250 orders of data parallelism over a simulated NCCL" env MINIMA_SIMULATED_SEEDS=250 $simulated/test_simulated_distributed --gtest_brief=1 --gtest_filter='*FollowsTheCpuInEveryOrder'
campaign "the tables from source and from PTX, bit for bit" env MINIMA_TEST_DEVICE=cuda MINIMA_SIMULATED_EXECUTOR=both MINIMA_NO_CACHE=1 MINIMA_LAUNCH_BLOCKING=1 "MINIMA_SIMULATED_PTX=$PWD/build/cpu/libminima.a" "MINIMA_SIMULATED_BOUNDS=$PWD/tests/simulated/ptx/bounds.txt" $tests/test_ops_simulated --gtest_brief=1 --gtest_filter='*Cases.MatchesTheReference-HalfSquaredDistanceCases.*'
campaign "what the tables notice of changed kernels" tests/simulated/tables/mutants.sh $tests/test_ops_simulated build/cpu/libminima.a build/cpu/mutants
campaign "lines of CUDA host sources that run on simulated GPUs" scripts/coverage.sh
campaign "a user's project on simulated GPUs" scripts/try_simulated.sh build/try_simulated
# The CUDA sources as plain C++, and the simulation itself.
simulated_asan() {
  local build=build/asan_simulated
  cmake --preset asan -B $build -D MINIMA_CUDA=SIMULATED -D MINIMA_BUILD_EXAMPLES=OFF -D CMAKE_UNITY_BUILD=ON &&
    cmake --build $build --target tests/simulated/all test_ops &&
    MINIMA_NO_CACHE=0 ctest --test-dir $build/tests/simulated --parallel "$(nproc)" --output-on-failure  # captures need it
}
campaign "the library for simulated GPUs with asan" simulated_asan
for sanitizer in asan tsan; do
  campaign "configuring with $sanitizer" cmake --preset $sanitizer -D MINIMA_BUILD_EXAMPLES=OFF
  campaign "building with $sanitizer" cmake --build --preset $sanitizer
  campaign "all tests with $sanitizer" env MINIMA_TEST_PASSES=2000 ctest --preset $sanitizer --parallel "$(nproc)"
done
campaign "two million inputs for every fuzz target" scripts/fuzz.sh 2000000

echo "== ${#failures[@]} campaigns failed after $SECONDS s${failures[*]+: ${failures[*]}}"
[ ${#failures[@]} -eq 0 ]
