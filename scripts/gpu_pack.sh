#!/usr/bin/env bash
# Packs programs built here for a machine with a GPU that has neither compiler nor libraries nor network, and a slice of
# Fashion-MNIST. Needs CUDA and the headers of cudnn-frontend: cuDNN is part of what is to be checked.
#
#   scripts/gpu_pack.sh FILE   called by scripts/gpu_check.sh --pack; ARCH=90-real names the architectures
set -euo pipefail
cd "$(dirname "$0")/.."

pack=$1
say() { echo "gpu_check: $*"; }
stop() {
  echo "gpu_check: $*" >&2
  exit 2
}

build=build/gpu-pack
folder=.gpu-pack/content
data=/usr/share/datasets/fashion-mnist
[ -e "$data/t10k-images-idx3-ubyte.gz" ] || stop "there is no $data; run scripts/setup.sh (apt install dataset-fashion-mnist)"
# One shared library keeps the programs small; processors with AVX2 run it.
cmake --preset release -B "$build" -D MINIMA_CUDA=ON -D MINIMA_CUDNN_FRONTEND=AUTO -D BUILD_SHARED_LIBS=ON -D CMAKE_CUDA_ARCHITECTURES="${ARCH:-90-real}" \
  -D MINIMA_BUILD_TESTS=ON -D CMAKE_BUILD_RPATH_USE_ORIGIN=ON
# What a GPU runs; the simulated GPU of the harness stays here.
programs=$(ninja -C "$build" -t targets all | sed -nE 's,^((tests/test_|examples/|benchmarks/|tools/)[a-z0-9_/-]+): [A-Z]+_EXECUTABLE_LINKER.*,\1,p' |
  grep -vE '_simulated$|^tools/dryrun/')
# shellcheck disable=SC2086
cmake --build "$build" --target $programs minima-dryrun
rm -rf .gpu-pack
mkdir -p "$folder/bin" "$folder/lib" "$folder/fashion"
# shellcheck disable=SC2086
(cd "$build" && cp -t ../../"$folder/bin" $programs)
cp -a "$build"/libminima.so* "$folder/lib"
# Every library but the C++ runtime's, CUDA's and the driver's, which the other machine has.
for program in "$folder"/bin/*; do LD_LIBRARY_PATH=$folder/lib ldd "$program"; done | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u |
  grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|libpthread|librt|libdl|libcuda|libcudart|libcudnn|libcublas|libcufft|libcusolver|libnccl|libminima)[.a-zA-Z_]*so' |
  while read -r name path; do cp -L "$path" "$folder/lib/$name"; done
# What oneDNN needs is found from there as well.
strip "$folder"/bin/* "$folder"/lib/* 2>/dev/null || true
# The 10,000 test images stand for the training set too: a check that it runs, not a measure of accuracy.
for kind in images-idx3 labels-idx1; do
  cp "$data/t10k-$kind-ubyte.gz" "$folder/fashion/t10k-$kind-ubyte.gz"
  ln "$folder/fashion/t10k-$kind-ubyte.gz" "$folder/fashion/train-$kind-ubyte.gz"
done
# Dry runs need the simulated GPUs, whose libraries have the names of NVIDIA's, so predictions are made here.
for kind in H100 H200 A100 L4 B200 RTX4090; do scripts/gpu_predict.sh "$build/tools/dryrun/minima-dryrun" "$kind"; done >"$folder/predictions.tsv"
{ git rev-parse --short HEAD && pwd && git status --porcelain --untracked-files=no | wc -l; } >"$folder/origin"
tar --create --directory "$folder" . | xz -T0 -6 >"$pack"
rm -rf "$folder"
say "packed $(du -h "$pack" | cut -f1) into $pack (at most 40 MB are meant)"
