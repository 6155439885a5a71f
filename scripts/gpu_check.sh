#!/usr/bin/env bash
# Everything that needs a GPU, on a machine that has one: the figures that matter most first, then whether results are right,
# training steps beside PyTorch's, and the rest.
#
#   scripts/gpu_check.sh [GROUP…]       runs the groups of scripts/gpu_check/groups.sh in its order, except those that this commit
#                                       has a result of, so a second call goes on; or those that are named
#     --seconds N                       starts no group that might end later than that
#     --again                           begins anew
#   scripts/gpu_check.sh --list         the groups and their budgets in seconds
#   scripts/gpu_check.sh --dry-run      fails if a program is missing or a filter selects no test
#   scripts/gpu_check.sh --pack         prepares .gpu-pack/ for a machine without compiler, libraries and network (docs/gpu-check.md):
#                                       there the first form unpacks and runs it instead of building
#   scripts/gpu_check.sh --record FILE  folds a figures.json into docs/gpu-status.md
#   scripts/gpu_check.sh --status       how many groups have never passed on a GPU
#
# After each group $OUT (gpu-report) holds figures.json, summary.md, and state.tar.gz with the logs. As .gpu-pack/state.tar.gz that
# file tells a later call, also on another machine, what is done. Exit codes: 0 nothing failed; 1 something did, or no test ran;
# 2 the check cannot run here; 3 a library of NVIDIA's is missing. Variables: OUT; BUILD=DIR, the build (build/gpu); PYTHON;
# PROGRAMS=DIR, programs to run instead of building.
set -euo pipefail
cd "$(dirname "$0")/.."

work=gpu-report
out=${OUT:-$work}
state=${STATE:-$work/state}  # results.tsv, figures.tsv, device.txt, started/ and logs/
build=${BUILD:-build/gpu}
pack=.gpu-pack/pack.tar.gz
fashion_data=/usr/share/datasets/fashion-mnist
dry=false again=false seconds=0 fatal=0

say() { echo "gpu_check: $*"; }
stop() {
  echo "gpu_check: $*" >&2
  exit 2
}
# The time by which budgets are kept; not the shell's own, so that a test can set it.
now() { date +%s; }

for part in groups kinds report; do
  # shellcheck source=/dev/null
  . "scripts/gpu_check/$part.sh"
done

# --- what a run needs ---

prepare_programs() {
  programs=$build
  if [ -n "${PROGRAMS-}" ]; then
    say "the programs are in $PROGRAMS"
  elif [ -e "$pack" ]; then
    programs=$work/pack/bin
    fashion_data=$work/pack/fashion
    if [ ! -e "$work/pack/origin" ] || [ "$pack" -nt "$work/pack/origin" ]; then
      rm -rf "$work/pack"
      mkdir -p "$work/pack"
      tar --extract --touch --gzip --file "$pack" --directory "$work/pack"
      # The tests look for their fixtures where they were built.
      local origin
      origin=$(sed -n 2p "$work/pack/origin")
      if [ ! -e "$origin" ]; then mkdir -p "$(dirname "$origin")" && ln -s "$PWD" "$origin"; fi
    fi
    say "programs of commit $(sed -n 1p "$work/pack/origin")"
  elif ! $dry; then
    rm -rf "$work/pack"
    scripts/setup.sh --cuda || stop "installing what is missing failed; its output is above"
    cmake --preset cuda -B "$build" || stop "configuring failed; its output is above"
    # shellcheck disable=SC2046  # names of targets
    cmake --build "$build" --parallel "$(nproc)" --target $(plan_programs) rank_memory || stop "building failed; its output is above"
  fi
  $dry || for name in $(plan_programs); do program "$name" >/dev/null; done
}

# What an earlier call of this commit found out, on this machine or, in the file, on another.
resume() {
  if $again; then rm -rf "$state"; fi
  mkdir -p "$state"
  if [ ! -e "$state/results.tsv" ] && [ -e .gpu-pack/state.tar.gz ] && ! $again; then
    tar --extract --gzip --file .gpu-pack/state.tar.gz --directory "$state"
  fi
  if [ -e "$state/commit" ] && [ "$(cat "$state/commit")" != "$(commit)" ]; then
    say "the results so far are of commit $(cat "$state/commit"), this is $(commit): starting anew"
    rm -rf "$state"
  fi
  mkdir -p "$state/logs" "$state/started" "$out"
  commit >"$state/commit"
  touch "$state/results.tsv" "$state/figures.tsv"
}

# --- a group ---

is_wanted() {
  local pattern
  [ ${#wanted[@]} -gt 0 ] || return 0
  for pattern in "${wanted[@]}"; do
    # shellcheck disable=SC2053  # a pattern
    if [[ $1 == $pattern ]]; then return 0; fi
  done
  return 1
}
is_done() { awk -F'\t' -v name="$1" '$1 == name { found = 1 } END { exit !found }' "$state/results.tsv"; }

# A group that was running when an earlier call was killed might be the reason, so it waits until the others are done.
group() {
  # shellcheck disable=SC2034  # the kinds set what they found out
  local name=$1 budget=$2 kind=$3 passed=0 failed=0 skipped=0 outcome="" note="" counted=false code=0 log began left
  shift 3
  log=$state/logs/$name.log
  [[ $kind == libraries || $kind == driver ]] || is_wanted "$name" || return 0
  if $dry; then
    case $kind in tests | sanitize) "$kind" "$@" ;; esac
    return
  fi
  [ "$fatal" = 0 ] || return 0
  if is_done "$name"; then
    # What all others need is looked at in each call, perhaps on another machine; what is named, too.
    if [ "$pass" = again ] || { [ ${#wanted[@]} -eq 0 ] && ! [[ $kind == libraries || $kind == driver ]]; }; then return; fi
  elif [ "$pass" = first ] && [ -e "$state/started/$name" ]; then
    return
  fi
  left=$((seconds == 0 ? budget + 6 : seconds - ($(now) - start)))
  if [ "$left" -lt $((budget + 6)) ]; then  # six to kill it and to save what it left
    waiting+=("$name")
    return
  fi
  : >"$state/started/$name"
  : >"$log"
  save
  began=$(now)
  "$kind" "$@"
  if ! $counted && [ "$outcome" = passed ]; then passed=1; fi
  if ! $counted && [ "$outcome" = failed ]; then failed=1; fi
  result "$name" "$passed" "$failed" "$skipped" "$outcome" $(($(now) - began)) "$note"
  rm -f "$state/started/$name"
  # A program that prints without end must not fill what comes back.
  if [ "$(stat -c %s "$log")" -gt 2000000 ]; then tail -c 2000000 "$log" >"$log.end" && mv "$log.end" "$log"; fi
  save
}

# --- options ---

list() (
  # shellcheck disable=SC2317,SC2329  # called by plan
  group() { printf '%s\t%s\n' "$1" "$2"; }
  plan
)

wanted=()
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) sed -n '2,/^set -euo/{/^set/d;s/^# \{0,1\}//;p}' scripts/gpu_check.sh && exit ;;
    --pack) exec scripts/gpu_check/pack.sh "$pack" ;;
    --record) record "${2:?name the figures.json}" && exit ;;
    --status) status && exit ;;
    --list) list && exit ;;
    --seconds) seconds=${2:?} && shift ;;
    --again) again=true ;;
    --dry-run) dry=true ;;
    -*) stop "unknown option $1; see --help" ;;
    *)
      grep -qE "^${1//\*/.*}"$'\t' <<<"$(list)" || stop "no group is called $1; see --list"
      wanted+=("$1")
      ;;
  esac
  shift
done

# --- the run ---

start=$(now)
if $dry; then
  state=$(mktemp -d)
  trap 'rm -rf "$state"' EXIT
  prepare_programs
  plan
  exit
fi
prepare_programs
resume
start_libtorch
trap 'if [ -n "${libtorch_build-}" ]; then kill "$libtorch_build" 2>/dev/null || true; fi' EXIT
waiting=()
for pass in first again; do
  waiting=()
  plan
done
save
if [ "$fatal" != 0 ]; then exit "$fatal"; fi
cat "$out/summary.md"
if [ ${#waiting[@]} -gt 0 ]; then say "no time for: ${waiting[*]}"; fi
awk -F'\t' '$5 == "failed" || $5 == "stopped" { bad = 1 } $2 > 0 && $1 !~ /^(libraries|driver)$/ { ran = 1 } END { exit bad || !ran }' "$state/results.tsv"
