#!/usr/bin/env bash
# Compares decoding of GPT-2 124M with llama.cpp, in turns, on the CPU.
#
#   LLAMA=llama.cpp LLAMA_BUILD=llama.cpp/build PYTHON=/tmp/torch/bin/python benchmarks/language/compare_llama.sh
#
# LLAMA= is a source tree of llama.cpp and LLAMA_BUILD= a static Release build of its target `llama`:
#
#   cmake -B build -D CMAKE_BUILD_TYPE=Release -D BUILD_SHARED_LIBS=OFF -D LLAMA_BUILD_TESTS=OFF -D LLAMA_CURL=OFF
#   cmake --build build --target llama
#
# Needs a Python with torch and safetensors; gguf is taken from the tree. BUILD= is minima's build (build/cpu), THREADS= the
# threads of each (all cores), ROUNDS= how often everything runs (3), TOKENS= decoded tokens (60) of a run and PRESET= gpt2.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
program=${BUILD:-build/cpu}/benchmarks/language/language_models
tokens=${TOKENS:-60}
preset=${PRESET:-gpt2}
stop() {
  echo "compare_llama: $*" >&2
  exit 2
}
[ -f "${LLAMA:-}/include/llama.h" ] || stop "LLAMA=${LLAMA:-} is no source tree of llama.cpp"
[ -f "${LLAMA_BUILD:-}/src/libllama.a" ] || stop "LLAMA_BUILD=${LLAMA_BUILD:-} has no src/libllama.a; build the target llama"
[ -x "$program" ] || stop "$program not found; run cmake --build ${BUILD:-build/cpu} --target language_models"
export MINIMA_THREADS=${THREADS:-$(nproc)}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
libraries=("$LLAMA_BUILD"/src/libllama.a "$LLAMA_BUILD"/ggml/src/libggml.a "$LLAMA_BUILD"/ggml/src/libggml-*.a)
${CXX:-g++} -std=c++20 -O2 -I. -I"$LLAMA/include" -I"$LLAMA/ggml/include" benchmarks/language/llama_cpp.cpp -o "$work/llama_cpp" \
  -Wl,--start-group "${libraries[@]}" -Wl,--end-group -fopenmp -lpthread -ldl
"$program" save "$preset" "$work/$preset"
for dtype in float32 bfloat16; do
  PYTHONPATH=$LLAMA/gguf-py "$python" benchmarks/language/gguf_of_gpt2.py "$work/$preset" "$work/$dtype.gguf" $dtype
done
for ((round = 0; round < ${ROUNDS:-3}; ++round)); do
  for dtype in float32 bfloat16; do
    for rows in 1 8; do
      "$program" decode "$work/$preset" "$rows" $dtype 32 "$tokens"
      "$work/llama_cpp" "$work/$dtype.gguf" "$rows" $dtype 32 "$tokens"
    done
  done
done
