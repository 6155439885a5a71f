#!/usr/bin/env bash
# Interrupts a training run with Ctrl-C: the program saves its state, the same command resumes, and the final result equals
# that of an uninterrupted run.
#
#   interrupt.sh FOLDER STARTED FINAL PROGRAM ARGUMENTS…
#
# Sends SIGINT once the program's output or FOLDER/loss.csv matches STARTED, then compares the lines that match FINAL.
set -euo pipefail
folder=$1 started=$2 final=$3
shift 3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

fail() {
  echo "interrupt: $1" >&2
  tail -n 20 ./*.log >&2
  exit 1
}

: >loss.csv
"$@" --run state >interrupted.log 2>&1 &
program=$!
trap 'kill -9 $program 2>/dev/null || true' EXIT
for ((i = 0; i < 600; ++i)); do
  if grep -qE "$started" loss.csv interrupted.log; then break; fi
  if ! kill -0 $program 2>/dev/null; then fail "the program ended before training"; fi
  sleep 0.1
done
kill -INT $program
code=0
wait $program || code=$?
[ $code -eq 130 ] || fail "exit code $code after SIGINT instead of 130"

steps=$(sed -nE 's/.*stopped after step ([0-9]+) by SIGINT; the state is saved.*/\1/p' interrupted.log)
[ -n "$steps" ] || fail "the program does not say that it has saved its state"

# Without --steps, end a few steps after the interruption.
limit="--max-steps $((steps + 3))"
if [[ " $* " == *" --steps "* ]]; then limit=; fi
"$@" --run state $limit >resumed.log 2>&1 || fail "resuming failed"
grep -q "resumed from step $steps" resumed.log || fail "the program does not say where it resumes"
cp loss.csv resumed.csv
"$@" $limit >whole.log 2>&1 || fail "the whole run failed"
if [ -s loss.csv ]; then
  cmp loss.csv resumed.csv || fail "the resumed run's log is not that of the whole run"
  tail -n 3 loss.csv >>whole.log
  tail -n 3 resumed.csv >>resumed.log
fi
[ -n "$(grep -oE "$final" whole.log)" ] || fail "the whole run printed nothing that matches $final"
diff <(grep -oE "$final" whole.log) <(grep -oE "$final" resumed.log) || fail "the resumed run ended with another result"
echo "resumed from step $steps"
