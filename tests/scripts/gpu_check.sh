#!/usr/bin/env bash
# scripts/gpu_check.sh as far as it goes without a GPU: every filter selects tests, and its groups are those of
# docs/gpu-status.md, in the same order. Argument: the build folder.
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
BUILD=$1 scripts/gpu_check.sh --dry-run
scripts/gpu_check.sh --list | cut -f1 >"$scratch/run"
# shellcheck disable=SC2016  # the backticks are Markdown's
sed -nE 's/^\| `([a-z0-9_-]+)` \|.*\|.*\|.*\|.*\|.*/\1/p' docs/gpu-status.md >"$scratch/documented"
diff "$scratch/documented" "$scratch/run" || {
  echo "the groups of docs/gpu-status.md (<) are not those of scripts/gpu_check.sh (>)"
  exit 1
}
for argument in --nonsense nonsense; do
  if scripts/gpu_check.sh "$argument" 2>/dev/null; then
    echo "gpu_check.sh took the argument $argument"
    exit 1
  fi
done
scripts/gpu_check.sh --help | grep -q -e --seconds
scripts/gpu_check.sh --status | grep -q "of $(wc -l <"$scratch/run") groups"
echo "$(wc -l <"$scratch/run") groups"
