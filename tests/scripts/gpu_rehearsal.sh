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
for name in amp data distributed distributions inference ops profiler tensor train; do
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
stand_in minima-prices <<<"MINIMA_SIMULATED_DRY=1 exec $build/simulated/prices/minima-prices_simulated --small \"\$@\""
ln -s "$build/tests/tools/info/minima_info_simulated" "$bin/minima-info"
for name in fashion_mnist resnet gpt; do stand_in "$name" <<<"echo \"$name: 1.0 ms a step, \$*\""; done
stand_in memory_table <<<'echo "| row | MiB |"'
stand_in compute-sanitizer <<<'while [[ $1 == -* ]]; do shift 2; done; exec "$@"'
stand_in nvidia-smi <<'SCRIPT'
case "$*" in
  *name,driver_version*) echo "NVIDIA H200, 580.65.06, 143771 MiB, 9.0" ;;
  *compute-apps*) ;;
  *) echo "no details of a GPU that is not there" ;;
esac
SCRIPT
stand_in benchmarks <<<'printf "\"name\": \"cuda_table/mlp_step/batch:64/real_time\",\n\"real_time\": 6.0e+01,\n\"time_unit\": \"us\"\n"'

export PATH=$bin:$PATH PROGRAMS=$bin OUT=$scratch/report STATE=$scratch/state MINIMA_SIMULATED_GPUS=1xH200 PYTHON=false
scripts/gpu_check.sh >"$scratch/log" 2>&1 || {
  cat "$scratch/log"
  exit 1
}
summary=$scratch/report/summary.md
for line in '| libraries | passed | 1 |' '| driver | passed | 1 |' '| kernels | passed | 1 |' '| memcheck | passed | 1 |' '| tables | passed | 1 |' '| gpt2 | passed | 1 |'; do
  grep -qF "$line" "$summary" || { cat "$summary" && echo "the summary lacks: $line" && exit 1; }
done
grep -qE '^launch\s+[0-9.e-]+\s+us\s+2$' "$summary" || { cat "$summary" && echo "no price of a launch" && exit 1; }
grep -qE '^\| cuda_table/mlp_step/batch:64 \| 0\.06 \| 0\.[0-9]+ \| [0-9.]+ \|' "$summary" ||
  { cat "$summary" && echo "no predicted step beside a measured one" && exit 1; }
grep -qE '^\| kernels/attention \| [0-9.e-]+ \| 0\.[0-9]+ \|' "$summary" || { cat "$summary" && echo "no attention" && exit 1; }
echo "rehearsed $(grep -c ' | passed | ' "$summary") groups"
