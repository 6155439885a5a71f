#!/usr/bin/env bash
# Formats all C++ and CUDA sources as .clang-format says; with --check only names those that differ and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

formatter=$(command -v clang-format-19 || true)
if [ -z "$formatter" ]; then
  echo "format: clang-format-19 is missing; scripts/setup.sh --tools installs it" >&2
  exit 1
fi
files=$(git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' '*.inl')
case ${1-} in
  "") xargs -P "$(nproc)" -n 32 "$formatter" -i <<< "$files" ;;
  --check) xargs -P "$(nproc)" -n 32 "$formatter" --dry-run -Werror <<< "$files" ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac
