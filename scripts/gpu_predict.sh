#!/usr/bin/env bash
# Predicts the steps of the benchmarks' rows for a kind of GPU: a line each, "KIND <tab> ROW of cuda_table <tab> milliseconds".
#
#   scripts/gpu_predict.sh MINIMA-DRYRUN KIND
set -euo pipefail

program=$1 kind=$2
while read -r row arguments; do
  # shellcheck disable=SC2086
  json=$("$program" $arguments --gpu "$kind" --json) || continue  # it does not fit
  printf '%s\t%s\t%s\n' "$kind" "$row" "$(awk -F '[:,]' '/"predicted_ms"/ { print $2 + 0; exit }' <<<"$json")"
done <<'ROWS'
mlp_step/batch:64 mlp --dtype fp32
mlp_step/batch:64/captured mlp --dtype fp32 --capture
small_cnn_step/batch:64 cnn --dtype fp32
small_cnn_step/batch:64/captured cnn --dtype fp32 --capture
resnet50_step_bf16/batch:256 resnet50
resnet50_step_bf16/batch:256/captured resnet50 --capture
resnet50_step_fp16/batch:256 resnet50 --dtype fp16
resnet50_step_fp16/batch:256/captured resnet50 --dtype fp16 --capture
gpt2_124m_step_bf16/batch:64 gpt2
gpt2_124m_step_bf16/batch:64/captured gpt2 --capture
ROWS
