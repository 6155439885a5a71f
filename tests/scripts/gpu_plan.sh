#!/usr/bin/env bash
# The whole plan of scripts/gpu_check.sh with a clock of its own: programs that only say how long they take, that fail, hang,
# ignore signals, find no memory; a call that is killed after 9:30; and a second call that goes on from what came back. It
# needs no build.
set -euo pipefail
cd "$(dirname "$0")/../.."
checkout=$PWD

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bin=$scratch/bin clock=$scratch/clock
mkdir -p "$bin"

fail() {
  echo "gpu_plan: $*" >&2
  cat "$scratch/log" >&2
  exit 1
}
stand_in() {  # NAME, with the script as input
  { echo '#!/usr/bin/env bash' && cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

# --- the clock: `date` reads it, `timeout` moves it on by what the command says that it takes ---

real_date=$(command -v date)
export real_date clock
stand_in date <<'E2'
case "$*" in +%s) cat "$clock" ;; *) exec "$real_date" "$@" ;; esac
E2
# timeout -k 5 LIMIT COMMAND…: the command leaves its seconds in $clock.takes. With $KILLED_AT the whole check dies then.
stand_in timeout <<'E2'
limit=$3
shift 3
rm -f "$clock.takes" "$clock.ignores"
"$@"
code=$?
takes=$(cat "$clock.takes" 2>/dev/null || echo 1)
if [ "$takes" -gt "$limit" ]; then
  code=124 takes=$limit
  if [ -e "$clock.ignores" ]; then code=137 takes=$((limit + 5)); fi
fi
time=$(($(cat "$clock") + takes))
if [ -n "${KILLED_AT-}" ] && [ "$time" -ge "$KILLED_AT" ]; then
  echo "$KILLED_AT" >"$clock"
  kill -KILL "$CHECK_PID"
  exit 1
fi
echo "$time" >"$clock"
exit $code
E2

# --- a machine with a GPU: what takes how long is in $scratch/takes, a line "PATTERN SECONDS [RESULT]" for a command's text ---

cat >"$scratch/speak" <<'E2'
#!/usr/bin/env bash
# speak NAME ARGUMENT…: what a program of that name prints, and how long it takes.
text="$*"
name=$1
line=$(while read -r pattern rest; do if [[ $text == *$pattern* ]]; then echo "$rest" && break; fi; done <"$takes")
read -r seconds outcome <<<"${line:-10 ok}"
case $text in *--gtest_list_tests*) seconds=0 ;; esac
echo "${seconds:-10}" >"$clock.takes"
case $text in
  *--require-libraries*)
    if [ "${outcome-}" = fails ]; then echo "minima-info: not found: cuDNN, NCCL" && exit 3; fi
    echo "cuDNN 9.19.0 /somewhere/libcudnn.so.9"
    exit
    ;;
  *--gtest_list_tests*) printf 'Cases.\n  One\n' && exit ;;
  test_* | *compute-sanitizer*)
    echo "[ RUN      ] Cases.One"
    echo "[       OK ] Cases.One (3 ms)"
    case ${outcome-} in
      fails) printf '[ RUN      ] Cases.Two\n[  FAILED  ] Cases.Two (1 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Cases.Two\n' && exit 1 ;;
      hangs | ignores) echo "[ RUN      ] Cases.Three" ;;
      dies) echo "[ RUN      ] Cases.Four" && kill -SEGV $$ ;;
    esac
    ;;
  minima-prices*) printf 'GPU\tNVIDIA H200\t\tH200\nattention\t0.40\tms\t-\nlarge product\t700\tTFLOP/s\t720\n' ;;
  benchmarks* | *torch_*)
    case $text in *libtorch*) row=matmul/n:256 ;; *resnet*) row=resnet50_step_bf16/batch:256 ;; *) row=gpt2_124m_step_bf16/batch:64 ;; esac
    printf '{"benchmarks": [\n{\n"name": "cuda_table/%s",\n"real_time": 1.1e+02,\n"time_unit": "ms"\n}\n]}\n' "$row"
    ;;
esac
if [ "${outcome-}" = ignores ]; then touch "$clock.ignores"; fi
case ${outcome-} in
  memory) echo "OutOfMemoryError: cuda:0" && exit 1 ;;
  fails) echo "it failed" && exit 1 ;;
esac
E2
chmod +x "$scratch/speak"
export takes=$scratch/takes speak=$scratch/speak
for name in $(. scripts/gpu_check/groups.sh && fashion_data='' work='' && plan_programs); do
  stand_in "$name" <<E2
exec "\$speak" $name "\$@"
E2
done
stand_in python <<'E2'
case "$*" in *find_spec*) echo /nowhere ;; *) exec "$speak" python "$@" ;; esac
E2
stand_in nvidia-smi <<'E2'
case "$*" in *name,driver_version*) echo "${GPU:-NVIDIA H200}, 580.65.06, 143771 MiB, 9.0" ;; esac
E2
stand_in compute-sanitizer <<'E2'
if [[ "$*" == *racecheck* ]]; then echo "========= Error: Device not supported" && exit 1; fi
while [[ $1 == --* || $1 == [a-z0-9]* ]] && [[ $1 != /* ]]; do shift; done
exec "$@"
E2
stand_in g++ <<'E2'
while [ "$1" != -o ]; do shift; done
printf '#!/usr/bin/env bash\nexec "$speak" benchmarks libtorch\n' >"$2" && chmod +x "$2"
E2

# A call on a machine of its own: what came back from the one before is all that is there.
call() {  # REPORT OPTION…
  local report=$1
  shift
  rm -rf "$scratch/tree" && mkdir -p "$scratch/tree/.gpu-pack" "$report"
  cp -r "$checkout/scripts" "$checkout/docs" "$checkout/benchmarks" "$scratch/tree/"
  if [ -e "$scratch/state.tar.gz" ]; then cp "$scratch/state.tar.gz" "$scratch/tree/.gpu-pack/"; fi
  echo 1000000 >"$clock"
  (
    cd "$scratch/tree"
    export CHECK_PID=$BASHPID
    PATH=$bin:$PATH OUT=$report PROGRAMS=$bin PYTHON=$bin/python exec scripts/gpu_check.sh "$@"
  ) >"$scratch/log" 2>&1
}
seconds() { echo $(($(cat "$clock") - 1000000)); }
outcome() { sed -nE "s/.*\"group\": \"$2\".*\"outcome\": \"([^\"]*)\".*/\1/p" "$1/figures.json"; }
expect() {  # REPORT GROUP OUTCOME
  [ "$(outcome "$1" "$2")" = "$3" ] || fail "$2 is '$(outcome "$1" "$2")' in $(basename "$1"), not '$3'"
}
show() {
  echo "$1: $(seconds) s, $(grep -c '"group"' "$2/figures.json") groups, $(grep -c '"program"' "$2/figures.json") figures, $(find "$2" -type f ! -name '.*' | wc -l) files of $(du -cb "$2"/* | tail -n 1 | cut -f1) bytes came back"
}

# --- without a library nothing is measured ---

echo '--require-libraries 2 fails' >"$takes"
if call "$scratch/none"; then fail "went on without libraries"; else code=$?; fi
[ $code -eq 3 ] || fail "exit code $code without libraries"
[ "$(grep -c '"group"' "$scratch/none/figures.json")" -eq 1 ] || fail "ran groups without libraries"
grep -q 'cuDNN, NCCL' "$scratch/log" || fail "does not name the libraries"

# --- the first command: one group fails, one hangs, one ignores signals, one dies, one finds no memory ---

cat >"$takes" <<'E2'
--require-libraries 2
Gpu*.test_tensor 20
test_tensor 200 hangs
test_train 30 fails
test_amp 100 ignores
test_profiler 10 dies
resnet50_step_bf16 40 memory
torch_gpt2 25
E2
if call "$scratch/first" --seconds 480; then fail "passed with failures"; fi
show "first command" "$scratch/first"
[ "$(seconds)" -le 480 ] || fail "the first command took $(seconds) s"
for row in tensor:stopped train:failed amp:stopped profiler:failed resnet50:skipped torch-gpt2:passed tables:passed libtorch:passed; do
  expect "$scratch/first" "${row%:*}" "${row#*:}"
done
grep -q '"tensor", "passed": 1, .*in Cases.Three' "$scratch/first/figures.json" || fail "a stopped program's results are lost"
grep -q '"profiler", "passed": 1, "failed": 1.*in Cases.Four' "$scratch/first/figures.json" || fail "a dead program's results are lost"
grep -qF '| kernels/attention | 0.4 | ' "$scratch/first/summary.md" || fail "no figure of attention"
grep -q '110 (PyTorch)' "$scratch/first/summary.md" || fail "no step of PyTorch's"
[ "$(find "$scratch/first" -type f | wc -l)" -le 8 ] || fail "too many files come back"

# Everything hangs: the figures and the training steps still have their turn.
printf ' 1000 hangs\n' | sed 's/^ /e /' >"$takes"
sed -i '1i --require-libraries 2' "$takes"
call "$scratch/hanging" --seconds 480 || true
[ "$(seconds)" -le 480 ] || fail "took $(seconds) s where everything hangs"
[ -n "$(outcome "$scratch/hanging" torch-resnet)" ] || fail "hanging groups kept the training steps from their turn"
show "everything hangs" "$scratch/hanging"

# --- killed at 9:30, then the second command on another machine ---

cat >"$takes" <<'E2'
--require-libraries 2
gtest_filter 28
torch 28
E2
rm -f "$scratch/state.tar.gz"
KILLED_AT=1000570 call "$scratch/killed" && fail "was not killed" || true
show "killed at 9:30" "$scratch/killed"
[ "$(seconds)" -eq 570 ] || fail "was not killed at 9:30"
done_before=$(grep -c '"passed"' "$scratch/killed/figures.json")
[ "$done_before" -ge 10 ] || fail "only $done_before groups came back"
killed=$(sed -nE 's/^\| ([a-z0-9_-]+) \| running, or killed.*/\1/p' "$scratch/killed/summary.md")
[ -n "$killed" ] || fail "does not say what ran when it was killed"
cp "$scratch/killed/state.tar.gz" "$scratch/state.tar.gz"
call "$scratch/second" --seconds 240 || true
show "second command" "$scratch/second"
[ "$(seconds)" -le 240 ] || fail "the second command took $(seconds) s"
[ "$(grep -c '"passed"' "$scratch/second/figures.json")" -gt "$done_before" ] || fail "the second command did not go on"
grep -q '^gpu_check: tables' "$scratch/log" && fail "the second command repeated a group"
grep -q '"program": "minima", "name": "kernels/attention"' "$scratch/second/figures.json" || fail "the first command's figures are lost"

# On another kind of GPU nothing of it counts.
GPU="NVIDIA H100" call "$scratch/other" --seconds 240 || true
grep -q 'the results so far are of NVIDIA H200' "$scratch/log" || fail "mixed two GPUs"
[ "$(outcome "$scratch/other" kernels)" = passed ] && grep -q '^gpu_check: kernels' "$scratch/log" || fail "took another GPU's figures"

# --- to the end: what the machine refuses is no failure, and the page takes the results ---

echo '--require-libraries 2' >"$takes"
rm -f "$scratch/state.tar.gz"
call "$scratch/whole" || fail "the whole plan failed"
show "whole plan" "$scratch/whole"
expect "$scratch/whole" racecheck "not possible"
expect "$scratch/whole" nccl-resnet skipped
(cd "$scratch/tree" && scripts/gpu_check.sh --record "$scratch/whole/figures.json") >/dev/null
grep -qE '^\| `tables` \|.*\| 1 \| [^|]+ \| NVIDIA H200 \|' "$scratch/tree/docs/gpu-status.md" || fail "docs/gpu-status.md did not take the results"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$scratch/whole/figures.json" 2>"$scratch/log" ||
  ! command -v python3 >/dev/null || fail "figures.json is no JSON"

# --- the real timeout: what ignores signals is killed ---

begin=$SECONDS code=0
(budget=1 log=$scratch/stubborn dry=false && . scripts/gpu_check/kinds.sh && : >"$log" && execute bash -c 'trap "" TERM; sleep 60 & wait; sleep 60' && [ "$outcome" = stopped ]) || fail "a stubborn program was not stopped"
[ $((SECONDS - begin)) -le 15 ] || fail "stopping took $((SECONDS - begin)) s"
echo "gpu_plan: all is well"
