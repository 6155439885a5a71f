#!/bin/sh
# minima-top on a terminal of tmux: it draws on a screen of its own, and Ctrl-C brings the old one back.
#   terminal.sh TMUX PROGRAM
set -eu
tmux=$1 program=$2
folder=$(mktemp -d)
socket=$folder/socket
cleanup() { "$tmux" -S "$socket" kill-server 2>/dev/null || true; rm -rf "$folder"; }
trap cleanup EXIT
"$tmux" -S "$socket" -f /dev/null new-session -d -x 100 -y 20 "echo before; '$program' --folder '$folder'; echo after \$?; sleep 30"
expect() {
  for _ in $(seq 100); do
    "$tmux" -S "$socket" capture-pane -p >"$folder/screen" 2>/dev/null || true
    if grep -q "$1" "$folder/screen"; then return 0; fi
    sleep 0.1
  done
  echo "the screen lacks: $1" >&2
  cat "$folder/screen" >&2
  exit 1
}
expect "no training runs"
if grep -q before "$folder/screen"; then echo "the screen is not its own" >&2; exit 1; fi
"$tmux" -S "$socket" send-keys C-c
expect "after 0"
expect "before"
