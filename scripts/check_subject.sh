#!/usr/bin/env bash
# A commit-msg hook: refuses a subject longer than 72 characters. Without a file it checks the last commit.
set -euo pipefail

subject=$(if [ $# -gt 0 ]; then head -1 "$1"; else git log -1 --format=%s; fi)
if [ "${#subject}" -gt 72 ]; then
  echo "commit subject: ${#subject} characters, at most 72: $subject" >&2
  exit 1
fi
