#!/usr/bin/env bash
# Compiles rows against the LibTorch of a PyTorch installation; Python need not import it for that.
#
#   benchmarks/libtorch/build.sh PYTHON PROGRAM SOURCE… [FLAG…]
set -euo pipefail

python=$1 program=$2
shift 2
folder=$("$python" -c 'import importlib.util; print(importlib.util.find_spec("torch").submodule_search_locations[0])')
libraries=(-ltorch -ltorch_cpu -lc10)
# The CUDA library registers itself when loaded, so link it although nothing references it.
if [ -e "$folder/lib/libtorch_cuda.so" ]; then libraries=(-Wl,--no-as-needed -ltorch_cuda -lc10_cuda "${libraries[@]}"); fi
${CXX:-g++} -std=c++20 -O2 -w -D_GLIBCXX_USE_CXX11_ABI=1 -I"$folder/include" -I"$folder/include/torch/csrc/api/include" "$@" \
  -o "$program.new" -L"$folder/lib" -Wl,-rpath,"$folder/lib" "${libraries[@]}" -lbenchmark -lpthread
mv "$program.new" "$program"
