#!/usr/bin/env bash
# A run is not resumed with a text file that has changed since, from which another tokenizer is trained.
#
#   changed_text.sh FOLDER GPT ARGUMENTS…
set -euo pipefail
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
write() { for ((i = 0; i < 400; ++i)); do echo "$1 $((i * i)) $2"; done >text.txt; }

write "the cat sat on" "mats."
"$@" --text text.txt --run state --max-steps 2 >first.log 2>&1
write "a dog runs to" "trees and back."
if "$@" --text text.txt --run state --max-steps 4 >second.log 2>&1; then
  echo "changed_text: the run was resumed with another text" >&2
  exit 1
fi
grep -q "^gpt: Run: .* was saved by a run with other settings: contents: .* tokenizer" second.log ||
  { tail -n 5 second.log >&2; exit 1; }
rm -rf "$folder"
