#!/usr/bin/env bash
# Predicts the rows that scripts/gpu_check.sh measures, before it measures them: lines "KIND <tab> ROW <tab> milliseconds of
# the dry run <tab> milliseconds by hand, with their range". Redirect it to scripts/gpu_check/predictions.tsv.
#
#   scripts/gpu_check/predict.sh BUILD    a build with minima-dryrun and minima-prices_simulated
set -euo pipefail

dryrun=$1/simulated/dryrun/minima-dryrun prices=$1/simulated/prices/minima-prices_simulated

# By hand, for an H200: simulated/README.md has the reasons.
by_hand() {  # KIND ROW
  [ "$1" = H200 ] || return 0
  case $2 in
    cuda_table/gpt2*) echo "112 (102–120)" ;;
    cuda_table/resnet50*bf16*) echo "34 (31–38)" ;;
    kernels/attention) echo "0.41 (0.35–0.49)" ;;
    "kernels/attention gradient") echo "1.05 (0.97–1.15)" ;;
    kernels/product) echo "0.50" ;;
    "kernels/product with gelu") echo "0.55" ;;
    "kernels/weight gradient with bias gradient") echo "0.48" ;;
    kernels/linear_cross_entropy) echo "28 (26–30)" ;;
    "kernels/layer_norm gradient") echo "0.25 (0.22–0.28)" ;;
  esac
}
line() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$(by_hand "$1" "$2")"; }

for kind in H100 H200 A100 B200 L4 RTX4090; do
  export MINIMA_SIMULATED_GPUS=1x$kind
  # The dry clock counts an operand to the end of its allocation, so a row bound by memory gets one for each tensor; its
  # norm is that of the step, where no call of cudaFree waits.
  for cache in cached separate; do
    { [ $cache = cached ] || export MINIMA_NO_CACHE=1; MINIMA_SIMULATED_DRY=1 "$prices" --kernels || true; } |
      while IFS=$'\t' read -r name value unit _; do
        case $cache,$name in
          *,layer_norm*) ;;
          separate,linear_cross_entropy | cached,attention* | cached,product* | cached,weight*) line $kind "kernels/$name" "$value" ;;
        esac
      done
  done
  norm=$("$dryrun" gpt2 --gpu $kind 2>/dev/null | awk '$2 ~ /^add_layer_norm\/layer_norm_g/ && !($1 in seen) { seen[$1] = 1; ms += $(NF - 2) / $(NF - 5) } END { if (ms) printf "%.4g", ms }')
  if [ -n "$norm" ]; then line $kind "kernels/layer_norm gradient" "$norm"; fi
  while read -r row arguments; do
    # shellcheck disable=SC2086
    json=$("$dryrun" $arguments --gpu $kind --json 2>/dev/null) || continue  # it does not fit
    line $kind "cuda_table/$row" "$(awk -F '[:,]' '/"predicted_ms"/ { printf "%.4g", $2; exit }' <<<"$json")"
  done <<'ROWS'
gpt2_124m_step_bf16/batch:64 gpt2
gpt2_124m_step_bf16/batch:64/captured gpt2 --capture
resnet50_step_bf16/batch:256 resnet50
resnet50_step_bf16/batch:256/captured resnet50 --capture
resnet50_step_fp16/batch:256 resnet50 --dtype fp16
resnet50_step_fp16/batch:256/captured resnet50 --dtype fp16 --capture
mlp_step/batch:64 mlp --dtype fp32
mlp_step/batch:64/captured mlp --dtype fp32 --capture
small_cnn_step/batch:64 cnn --dtype fp32
small_cnn_step/batch:64/captured cnn --dtype fp32 --capture
ROWS
done
