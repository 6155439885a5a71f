#!/usr/bin/env bash
# Packs the programs that scripts/gpu_check.sh starts, built here, for a machine with a GPU that has neither libraries nor
# network, and a slice of Fashion-MNIST. Needs CUDA, cuDNN's headers and those of cudnn-frontend, but no GPU. Started again, it
# goes on where it was stopped.
#
#   scripts/gpu_check/pack.sh FILE   called by scripts/gpu_check.sh --pack. Variables: BUILD=DIR (build/gpu-pack), JOBS=N (one
#                                    per core), ARCH=90-real, the architectures
set -euo pipefail
cd "$(dirname "$0")/../.."

pack=$1 build=${BUILD:-build/gpu-pack}
content=$build/pack
data=/usr/share/datasets/fashion-mnist
say() { echo "gpu_check: $*"; }
stop() {
  echo "gpu_check: $*" >&2
  exit 2
}
[ -e "$data/t10k-images-idx3-ubyte.gz" ] || stop "there is no $data; run scripts/setup.sh (apt install dataset-fashion-mnist)"

# shellcheck source=scripts/gpu_check/groups.sh
. scripts/gpu_check/groups.sh
# shellcheck disable=SC2034  # plan reads them
work='' fashion_data=''
mapfile -t programs < <(plan_programs)

# One shared library keeps the programs small; processors with AVX2 run it. Without oneDNN and LAPACK, which are larger than
# all of this and compute only what results are compared with. DT_RPATH, unlike LD_LIBRARY_PATH, is followed by these
# programs alone, and by their libraries.
# shellcheck disable=SC2016  # the loader's $ORIGIN
cmake --preset release -B "$build" -D MINIMA_CUDA=ON -D MINIMA_CUDNN_FRONTEND=AUTO -D MINIMA_ONEDNN=OFF \
  -D CMAKE_DISABLE_FIND_PACKAGE_LAPACK=ON -D BUILD_SHARED_LIBS=ON -D CMAKE_CUDA_ARCHITECTURES="${ARCH:-90-real}" \
  -D MINIMA_BUILD_TESTS=ON -D CMAKE_BUILD_RPATH='$ORIGIN/../lib' \
  -D CMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags -D CMAKE_SHARED_LINKER_FLAGS=-Wl,--disable-new-dtags
# First what says which libraries the other machine has.
cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target minima-info
cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target "${programs[@]}"

rm -rf "$content"
mkdir -p "$content/bin" "$content/lib" "$content/fashion" "$content/include"
for program in "${programs[@]}"; do
  cp "$(find "$build" -path "$content" -prune -o -name "$program" -type f -perm -u+x -print -quit)" "$content/bin"
done
cp -a "$build"/libminima.so* "$content/lib"
# Every library but the C++ runtime's, CUDA's and the driver's, which the other machine has.
for program in "$content"/bin/*; do ldd "$program"; done | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u |
  grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|libpthread|librt|libdl|libcuda|libcudart|libcudnn|libcublas|libcufft|libcusolver|libnccl|libminima)[.a-zA-Z_]*so' |
  while read -r name path; do cp -L "$path" "$content/lib/$name"; done
strip "$content"/bin/* "$content"/lib/*
# LibTorch's rows are compiled over there.
cp -r /usr/include/benchmark "$content/include"
ln -s libbenchmark.so.1 "$content/lib/libbenchmark.so"
# The 10,000 test images stand for the training set too: a check that it runs, not a measure of accuracy.
for kind in images-idx3 labels-idx1; do
  cp "$data/t10k-$kind-ubyte.gz" "$content/fashion/t10k-$kind-ubyte.gz"
  ln "$content/fashion/t10k-$kind-ubyte.gz" "$content/fashion/train-$kind-ubyte.gz"
done
{ git rev-parse --short HEAD && pwd && git status --porcelain --untracked-files=no | wc -l; } >"$content/origin"
mkdir -p "$(dirname "$pack")"
tar --create --directory "$content" . | gzip -9 >"$pack.new"
mv "$pack.new" "$pack"
mib=$(($(stat -c %s "$pack") >> 20))
say "packed ${#programs[@]} programs into $pack, $mib MiB"
[ "$mib" -le 45 ] || stop "at most 45 MiB travel beside the checkout"
