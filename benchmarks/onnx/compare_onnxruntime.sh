#!/usr/bin/env bash
# Inference of ResNet-50 and BERT-base by minima and by PyPI's onnxruntime, on the same ONNX models and threads:
#   benchmarks/onnx/compare_onnxruntime.sh build/cpu VENV/bin/python [THREADS] [ITERATIONS]
set -euo pipefail
build=$1 python=$2 threads=${3:-2} iterations=${4:-20}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/benchmarks/onnx/onnx_models" "$folder" "$threads" "$iterations"
"$python" "$(dirname "$0")/run_onnxruntime.py" "$folder" "$threads" "$iterations"
