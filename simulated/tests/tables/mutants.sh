#!/usr/bin/env bash
# How sharp are the tables? Changes instructions of every kernel that they launch, removes its barriers, and counts what
# the tables' inputs and random cases notice (simulated/ptx/mutants.h).
#
#   mutants.sh PROGRAM PTX OUT [SHARDS]   PROGRAM: test_ops_simulated; PTX: libminima.a of a build with CUDA
#
# OUT gets fates.*, log.* and table.md; the exit code is 0 only if at least 95 % die of the mutants and of the removed
# barriers that ran and are not known to be equivalent, and no test failed.
#
#   MINIMA_SIMULATED_MUTANTS=6   mutants of each kernel
#   MINIMA_RANDOM_CASES=3        random cases of each operator
set -euo pipefail
program=$(realpath "$1")
export MINIMA_SIMULATED_PTX=$2
out=$3
shards=${4:-60}
export MINIMA_SIMULATED_MUTANTS=${MINIMA_SIMULATED_MUTANTS:-6} MINIMA_RANDOM_CASES=${MINIMA_RANDOM_CASES:-3}
export MINIMA_SIMULATED_EXECUTOR=ptx MINIMA_SIMULATED_NO_GLOBAL_RACES=1 MINIMA_TEST_DEVICE=cuda
export MINIMA_NO_CACHE=1 MINIMA_LAUNCH_BLOCKING=1  # each tensor an allocation, each launch before the next
here=$(dirname "$0")
mkdir -p "$out"
rm -f "$out"/fates.* "$out"/killed.* "$out"/log.* "$out"/failed
entries='*KernelEntries*'
tables='*Cases.MatchesTheReference:*Cases.Gradient*:*Cases.AgreesWithFloat64OnRandomCases:SimulatedKernels*-HalfSquaredDistanceCases.*'
shard() {
  local name=$1.$2.$3
  # What others have killed until now is not tried again.
  find "$out" -name 'fates.*' -exec grep -h '^killed' {} + | sort -u >"$out/killed.$name" || true
  MINIMA_SIMULATED_KILLED=$out/killed.$name MINIMA_SIMULATED_FATES=$out/fates.$name MINIMA_TEST_OFFSET=$2 \
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$1 \
    nice "$program" --gtest_brief=1 --gtest_filter="${!3}" >"$out/log.$name" 2>&1 || echo "shard $name" >>"$out/failed"
  rm "$out/killed.$name"
}
export -f shard
export out shards program entries tables
# Entries also with inputs that start at an odd element, as CTest runs them.
for run in '0 entries' '1 entries' '0 tables'; do
  for ((i = 0; i < shards; ++i)); do echo "$i $run"; done
done | xargs -P "${JOBS:-$(nproc)}" -L1 bash -c 'shard "$@"' shard
if [ -e "$out/failed" ]; then
  cat "$out/failed" "$out"/log.* | grep -E '^shard|FAILED' >&2
  exit 1
fi
cat "$out"/fates.* | awk -F '\t' -f "$here/mutants.awk" >"$out/table.md" || { tail -3 "$out/table.md" >&2; exit 1; }
tail -3 "$out/table.md"
