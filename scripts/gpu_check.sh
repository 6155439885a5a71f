#!/usr/bin/env bash
# Everything that needs a GPU, on a machine that has one: builds, runs all tests with label gpu or nccl, runs a part of them
# under compute-sanitizer, trains the examples, runs the GPU benchmarks, beside LibTorch where PyTorch is installed.
#
#   scripts/gpu_check.sh                 all of it; the summary is rewritten after every stage
#   scripts/gpu_check.sh STAGE…          these stages: device build tests sanitizer examples benchmarks compare
#   scripts/gpu_check.sh --pack          prepares .gpu-pack/: programs built here for a machine that has neither compiler nor
#                                        libraries nor network, and a slice of Fashion-MNIST. There, with that folder beside
#                                        the checkout's files, the first form unpacks and runs them instead of building
#   scripts/gpu_check.sh --record DIR    folds the report in DIR into docs/gpu-status.md
#   scripts/gpu_check.sh --status        how many groups of tests have never passed on a GPU
#
# The report goes to $OUT, else to gpu-report/. A stage that is done is not repeated: FRESH=1 starts over. ARCH=90 names the
# architectures of a pack. The whole takes under ten minutes, without the build.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${OUT:-gpu-report}
state=gpu-report/state   # what earlier calls found out; logs
pack=.gpu-pack/pack.tar.xz
all_stages=(device build tests sanitizer examples benchmarks compare)

say() { echo "gpu_check: $*"; }
stop() {
  echo "gpu_check: $*" >&2
  exit 2
}

# --- --pack: on the machine with the compilers ---

make_pack() {
  local build=build/gpu-pack folder=.gpu-pack/content data=/usr/share/datasets/fashion-mnist
  [ -e "$data/t10k-images-idx3-ubyte.gz" ] || stop "there is no $data; run scripts/setup.sh (apt install dataset-fashion-mnist)"
  # One shared library keeps the programs small; processors with AVX2 run it.
  cmake --preset release -B "$build" -D MINIMA_CUDA=ON -D BUILD_SHARED_LIBS=ON -D CMAKE_CUDA_ARCHITECTURES="${ARCH:-90-real}" \
    -D MINIMA_BUILD_TESTS=ON -D CMAKE_BUILD_RPATH_USE_ORIGIN=ON
  # What a GPU runs; the simulated GPU of the harness stays here.
  local programs
  programs=$(ninja -C "$build" -t targets all | sed -nE 's,^((tests/test_|examples/|benchmarks/)[a-z0-9_]+): [A-Z]+_EXECUTABLE_LINKER.*,\1,p')
  # shellcheck disable=SC2086
  cmake --build "$build" --target $programs
  rm -rf .gpu-pack
  mkdir -p "$folder/bin" "$folder/lib" "$folder/fashion"
  # shellcheck disable=SC2086
  (cd "$build" && cp -t ../../"$folder/bin" $programs)
  cp -a "$build"/libminima.so* "$folder/lib"
  # Every library but the C++ runtime's, CUDA's and the driver's, which the other machine has.
  local program
  for program in "$folder"/bin/*; do LD_LIBRARY_PATH=$folder/lib ldd "$program"; done | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u |
    grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|libpthread|librt|libdl|libcuda|libcudart|libcudnn|libcublas|libnccl|libminima)[.a-zA-Z_]*so' |
    while read -r name path; do cp -L "$path" "$folder/lib/$name"; done
  # What oneDNN needs is found from there as well.
  strip "$folder"/bin/* "$folder"/lib/* 2>/dev/null || true
  local kind
  # The 10,000 test images stand for the training set too: a check that it runs, not a measure of accuracy.
  for kind in images-idx3 labels-idx1; do
    cp "$data/t10k-$kind-ubyte.gz" "$folder/fashion/t10k-$kind-ubyte.gz"
    ln "$folder/fashion/t10k-$kind-ubyte.gz" "$folder/fashion/train-$kind-ubyte.gz"
  done
  { git rev-parse --short HEAD && pwd && git status --porcelain --untracked-files=no | wc -l; } >"$folder/origin"
  tar --create --directory "$folder" . | xz -T0 -6 >"$pack"
  rm -rf "$folder"
  say "packed $(du -h "$pack" | cut -f1) into $pack (at most 40 MB are meant)"
}

# --- the stages; each leaves lines "group <tab> passed <tab> failed <tab> skipped" in $state/STAGE.tsv ---

programs() {  # where the programs are: unpacked, or built here
  if [ -d gpu-report/pack/bin ]; then echo gpu-report/pack/bin; else echo "build/gpu/$1"; fi
}

stage_device() {
  command -v nvidia-smi >/dev/null || stop "no nvidia-smi here, so no NVIDIA driver; see docs/building.md"
  nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader >"$state/device.txt" ||
    stop "nvidia-smi finds no GPU"
  cat "$state/device.txt"
}

stage_build() {
  if [ -e "$pack" ]; then
    rm -rf gpu-report/pack
    mkdir -p gpu-report/pack
    tar --extract --xz --file "$pack" --directory gpu-report/pack
    # The tests look for their fixtures where they were built.
    local origin
    origin=$(sed -n 2p gpu-report/pack/origin)
    if [ ! -e "$origin" ]; then mkdir -p "$(dirname "$origin")" && ln -s "$PWD" "$origin"; fi
    say "unpacked programs of commit $(sed -n 1p gpu-report/pack/origin)"
  else
    cmake --preset cuda -B build/gpu && cmake --build build/gpu --parallel "$(nproc)"
  fi
}

# One group of tests: name, program, filter, then NAME=VALUE of its environment.
run_group() {
  local name=$1 program=$2 filter=$3
  shift 3
  local xml=$state/$name.xml log=$state/$name.log
  rm -f "$xml"
  env "$@" timeout "${LIMIT:-240}" "$program" --gtest_filter="$filter" --gtest_brief=1 --gtest_output="xml:$xml" >"$log" 2>&1 || true
  # The first line of the file has the whole run's numbers. A program that died left none: that is a failure.
  local tests=0 failures=1 skipped=0
  if [ -s "$xml" ]; then
    tests=$(grep -m1 -o ' tests="[0-9]*"' "$xml" | tr -dc 0-9)
    failures=$(grep -m1 -o 'failures="[0-9]*"' "$xml" | tr -dc 0-9)
    skipped=$(grep -c 'result="skipped"' "$xml" || true)
  fi
  [ "$tests" -gt 0 ] || [ "$failures" -gt 0 ] || return 0
  printf '%s\t%d\t%d\t%d\n' "$name" $((tests > 0 ? tests - failures - skipped : 0)) "$failures" "$skipped" >>"$tsv"
  say "$name: $((tests > 0 ? tests - failures - skipped : 0)) passed, $failures failed, $skipped skipped"
  if [ "$failures" -gt 0 ]; then tail -n 15 "$log"; fi
}

stage_tests() {
  local program name
  for program in "$(programs tests)"/test_*; do
    name=$(basename "$program")
    case "$name" in test_simt* | *.*) continue ;; esac
    run_group "${name#test_}" "$program" 'Gpu*:Nccl*'
  done
  # The operators' tables of cases, with their inputs on the GPU.
  run_group operators "$(programs tests)/test_ops" '*Cases.*' MINIMA_TEST_DEVICE=cuda
  run_group operators-blocking "$(programs tests)/test_ops" 'Add*Cases.*:Softmax*Cases.*' MINIMA_TEST_DEVICE=cuda MINIMA_LAUNCH_BLOCKING=1
}

stage_sanitizer() {
  local tool
  tool=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
  if [ -z "$tool" ]; then
    say "no compute-sanitizer here; left out"
    return 0
  fi
  # Without caching every tensor is a separate allocation, so an overrun is detected.
  local log=$state/memcheck.log failed=0
  MINIMA_TEST_DEVICE=cuda MINIMA_NO_CACHE=1 timeout 120 "$tool" --tool memcheck --error-exitcode 9 \
    "$(programs tests)/test_ops" --gtest_brief=1 --gtest_filter='*Cases.Reference*:-*Attention*:*Conv*' >"$log" 2>&1 || failed=$?
  # 124: out of time, with nothing found so far.
  if [ "$failed" -eq 124 ]; then say "memcheck: nothing found in 120 s"; failed=0; fi
  printf 'memcheck\t%d\t%d\t0\n' $((failed == 0)) $((failed != 0)) >>"$tsv"
  if [ "$failed" -ne 0 ]; then tail -n 20 "$log"; fi
}

stage_examples() {
  local data=() log
  if [ -d gpu-report/pack/fashion ]; then data=(--data gpu-report/pack/fashion); fi
  for example in fashion_mnist fashion_mnist-capture resnet resnet-bf16 resnet-fp16; do
    local arguments=()
    log=$state/$example.log
    case "$example" in
      fashion_mnist) arguments=(--device cuda --epochs 2 --out gpu-report/fashion_mnist "${data[@]}") ;;
      fashion_mnist-capture) arguments=(--device cuda --epochs 1 --capture --checkpoint --budget 1GiB --out gpu-report/fashion_mnist-capture "${data[@]}") ;;
      resnet) arguments=(--device cuda --steps 30) ;;
      resnet-bf16) arguments=(--device cuda --steps 30 --amp bf16 --channels-last) ;;
      resnet-fp16) arguments=(--device cuda --steps 30 --amp fp16 --channels-last) ;;
    esac
    local failed=0
    timeout 120 "$(programs examples)/${example%%-*}" "${arguments[@]}" >"$log" 2>&1 || failed=$?
    printf 'example-%s\t%d\t%d\t0\n' "$example" $((failed == 0)) $((failed != 0)) >>"$tsv"
    tail -n 2 "$log"
  done
}

stage_benchmarks() {
  timeout 120 "$(programs benchmarks)/benchmarks" --benchmark_filter=cuda_table --benchmark_min_time=0.2 \
    >"$state/benchmarks.txt" 2>&1 || say "the benchmarks failed"
  grep cuda_table "$state/benchmarks.txt" || true
}

stage_compare() {
  if ! "${PYTHON:-python3}" -c 'import torch' 2>/dev/null; then
    say "no PyTorch here; left out"
    return 0
  fi
  local build=build/gpu
  if [ -d gpu-report/pack/bin ]; then
    build=gpu-report/pack
    mkdir -p "$build/benchmarks" && ln -sf ../bin/benchmarks "$build/benchmarks/benchmarks"
  fi
  BUILD=$build OUT=gpu-report/compare MIN_TIME=0.1 timeout 300 benchmarks/compare_libtorch.sh cuda_table || say "the comparison failed"
  cp gpu-report/compare/table.md "$state/compare.md" 2>/dev/null || true
}

# --- the report ---

commit() {
  if [ -e gpu-report/pack/origin ]; then sed -n 1p gpu-report/pack/origin; else git rev-parse --short HEAD 2>/dev/null || echo unknown; fi
}

write_report() {
  mkdir -p "$out"
  cat "$state"/*.tsv >"$out/results.tsv" 2>/dev/null || true
  {
    echo "commit $(commit)"
    echo "date $(date -u +%F)"
    echo "device $(head -n 1 "$state/device.txt" 2>/dev/null || echo unknown)"
  } >"$out/origin.txt"
  {
    echo "# GPU check of $(commit), $(date -u +%F)"
    echo
    sed 's/^/- /' "$state/device.txt" 2>/dev/null || true
    echo
    echo "| group | passed | failed | skipped |"
    echo "| --- | ---: | ---: | ---: |"
    awk -F'\t' '{ printf "| %s | %d | %d | %d |\n", $1, $2, $3, $4 }' "$out/results.tsv"
    if [ -s "$state/compare.md" ]; then printf '\n## Beside LibTorch\n\n' && cat "$state/compare.md"; fi
    if [ -s "$state/benchmarks.txt" ]; then printf '\n## Benchmarks\n\n```\n' && grep cuda_table "$state/benchmarks.txt" && echo '```'; fi
    if [ -s "$state/resnet.log" ]; then printf '\n## ResNet-50\n\n' && tail -qn 1 "$state"/resnet*.log; fi
    printf '\nStages done: %s\n' "$(cd "$state" && ls ./*.done 2>/dev/null | sed 's|./||; s|.done||' | tr '\n' ' ')"
  } >"$out/summary.md"
  tar --create --gzip --file "$out/logs.tar.gz" --directory "$state" . 2>/dev/null || true
}

# --- --record, --status: docs/gpu-status.md has a table with a row per group ---

status_page=docs/gpu-status.md

record() {
  [ -e "$1/results.tsv" ] && [ -e "$1/origin.txt" ] || stop "$1 holds no report (results.tsv, origin.txt)"
  local commit date device
  commit=$(awk '$1 == "commit" { print $2 }' "$1/origin.txt")
  date=$(awk '$1 == "date" { print $2 }' "$1/origin.txt")
  device=$(sed -n 's/^device \([^,]*\),.*/\1/p' "$1/origin.txt")
  awk -F'\t' -v OFS='|' -v results="$1/results.tsv" -v commit="$commit" -v date="$date" -v device="$device" '
    BEGIN { while ((getline line < results) > 0) { split(line, f, "\t"); passed[f[1]] += f[2]; failed[f[1]] += f[3] } }
    /^\| `/ {
      split($0, cell, "|"); name = cell[2]; gsub(/[ `]/, "", name)
      if (name in passed && passed[name] > 0 && failed[name] == 0) {
        print "| `" name "` |" cell[3] "| " passed[name] " | " commit " | " device " | " date " |"; next
      }
    }
    { print }' "$status_page" >"$status_page.new"
  mv "$status_page.new" "$status_page"
  say "recorded $1 in $status_page"
}

status() {
  awk -F'|' '/^\| `/ && NF == 8 { groups++; if ($4 ~ /never/) never++ }
       END { printf "gpu_check: %d of %d groups of tests have never passed on a GPU\n", never, groups }' "$status_page"
}

case "${1-}" in
  --pack) make_pack; exit ;;
  --record) record "${2:?name the folder of the report}"; exit ;;
  --status) status; exit ;;
  -*) stop "unknown option $1; see the head of this file" ;;
esac

[ "${FRESH:-0}" = 0 ] || rm -rf gpu-report
mkdir -p "$state"
export LD_LIBRARY_PATH=$PWD/gpu-report/pack/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=("${all_stages[@]}")
for stage in "${stages[@]}"; do
  declare -F "stage_$stage" >/dev/null || stop "unknown stage $stage; there are ${all_stages[*]}"
  if [ -e "$state/$stage.done" ]; then
    say "$stage: done before"
    continue
  fi
  say "== $stage, after $SECONDS s"
  tsv=$state/$stage.tsv
  : >"$tsv"
  "stage_$stage"
  touch "$state/$stage.done"
  write_report
done
write_report
cat "$out/summary.md"
awk -F'\t' '$3 > 0 { failed = 1 } END { exit failed }' "$out/results.tsv"
