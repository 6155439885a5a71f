#!/usr/bin/env bash
# scripts/gpu_check.sh from end to end without a GPU: what it runs are simulated GPUs' programs and, where those would take
# long or do not exist, stand-ins that print what the real ones print. Argument: the build folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(cd "$1" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bin=$scratch/bin
mkdir -p "$bin"

stand_in() {  # NAME, with the script as input
  { echo '#!/usr/bin/env bash' && cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

# Of the tests that a filter selects, the first.
for name in amp data distributed ops profiler tensor train; do
  stand_in "test_$name" <<SCRIPT
program=$build/tests/test_${name}_simulated
arguments=() filter='*'
for argument in "\$@"; do
  case \$argument in
    --gtest_filter=*) filter=\${argument#*=} ;;
    --gtest_list_tests) exec "\$program" "\$@" ;;
    *) arguments+=("\$argument") ;;
  esac
done
first=\$("\$program" --gtest_list_tests --gtest_filter="\$filter" 2>/dev/null |
  awk '/^[^ ]+[.]\$/ { suite = \$1 } /^  / { print suite \$1; exit }')
exec "\$program" --gtest_filter="\$first" "\${arguments[@]}"
SCRIPT
done
stand_in minima-prices <<<"exec $build/tools/prices/minima-prices_simulated --small"
ln -s "$build/tools/dryrun/minima-dryrun" "$bin/minima-dryrun"
ln -s "$build/tools/info/minima-info" "$bin/minima-info"
for name in fashion_mnist resnet tiny_gpt; do stand_in "$name" <<<"echo \"$name: 1.0 ms a step, \$*\""; done
stand_in memory_table <<<'echo "| row | MiB |"'
stand_in compute-sanitizer <<<'while [[ $1 == -* ]]; do shift 2; done; exec "$@"'
stand_in nvidia-smi <<'SCRIPT'
case "$*" in
  *name,driver_version*) echo "NVIDIA H200, 580.65.06, 143771 MiB, 9.0" ;;
  *compute-apps*) ;;
  *) echo "no details of a GPU that is not there" ;;
esac
SCRIPT
stand_in benchmarks <<'SCRIPT'
row=cuda_table/mlp_step/batch:64/real_time
case "$*" in
  *--benchmark_list_tests*) echo "$row" ;;
  *) echo "$row 60.0 us 59.0 us 1000" ;;
esac
SCRIPT

export PATH=$bin:$PATH PROGRAMS=$bin OUT=$scratch/report STATE=$scratch/state MINIMA_SIMULATED_GPUS=1xH200 PYTHON=false
scripts/gpu_check.sh >"$scratch/log" 2>&1 || {
  cat "$scratch/log"
  exit 1
}
summary=$scratch/report/summary.md
for line in '| first-driver | 1 | 0 | 0 |' '| first-prices | 1 | 0 | 0 |' '| first-memcheck | 1 | 0 | 0 |' '| benchmarks | 1 | 0 | 0 |'; do
  grep -qF "$line" "$summary" || { cat "$summary" && echo "the summary lacks: $line" && exit 1; }
done
grep -qE '^\| launch \| [0-9.e-]+ \| us \| 2 \|' "$summary" || { cat "$summary" && echo "no price of a launch" && exit 1; }
grep -qE '^\| mlp_step/batch:64 \| 0\.[0-9]+ \| 0\.060 \| [0-9.]+ \|' "$summary" ||
  { cat "$summary" && echo "no predicted step beside a measured one" && exit 1; }
echo "rehearsed $(grep -c ' | 0 | ' "$summary") groups"
