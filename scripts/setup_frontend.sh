#!/usr/bin/env bash
# Fetches the headers of cudnn-frontend, through which minima asks cuDNN for convolutions and attention, where there is a
# CUDA toolkit with cuDNN and they are missing or too old. They come from NVIDIA's Python wheel, by its hash, and need
# CMake but no Python; only the headers are kept, in MINIMA_CUDA_HOME or ~/.local/share/minima/cuda, where CMake looks.
#
#   scripts/setup_frontend.sh   called by scripts/setup.sh; fails if there is a toolkit and they cannot be had
set -euo pipefail

home=${MINIMA_CUDA_HOME:-$HOME/.local/share/minima/cuda}
version=1.32.0
oldest=1.23
# The headers are the same in all of its wheels, so which platform's it is does not matter.
wheel=https://files.pythonhosted.org/packages/c6/1d/d30c756cfbb9bef18d99face13fd1af5629f56e2a477a6648d95c6c45141/nvidia_cudnn_frontend-$version-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl
sha256=8b354a8e550c083eb247f1eb39a7d69a4a269075f5a01e4fcbd2531680b17239

say() { echo "setup: $*"; }
give_up() {
  say "$*" >&2
  say "a build with MINIMA_CUDA=ON fails without them. By hand: put the folder include of" >&2
  say "https://github.com/NVIDIA/cudnn-frontend into $home" >&2
  exit 1
}
# The first folder with this header, in the order of CMake's search.
folder_of() {
  local folder
  for folder in "${CUDNN_FRONTEND_PATH:+$CUDNN_FRONTEND_PATH/include}" "${CUDNN_PATH:+$CUDNN_PATH/include}" "$home/include" \
    /usr/local/cuda/include "/usr/include/$(uname -m)-linux-gnu" /usr/local/include /usr/include; do
    if [ -n "$folder" ] && [ -e "$folder/$1" ]; then
      echo "$folder"
      return
    fi
  done
}
is_new_enough() {
  local found
  found=$(sed -nE 's/#define CUDNN_FRONTEND_(MAJOR|MINOR)_VERSION ([0-9]+).*/\2/p' "$1/cudnn_frontend_version.h" | paste -sd .)
  [ "$(printf '%s\n' "$oldest" "$found" | sort -V | head -n 1)" = "$oldest" ]
}

command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || [ -x "$home/bin/nvcc" ] || exit 0
[ -n "$(folder_of cudnn.h)" ] || exit 0
present=$(folder_of cudnn_frontend.h)
if [ -n "$present" ] && is_new_enough "$present"; then exit 0; fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
say "fetching the headers of cudnn-frontend $version into $home/include"
# The hash is the check; a bare system has no certificates.
cat >"$scratch/fetch.cmake" <<END
file(DOWNLOAD $wheel $scratch/wheel.zip TLS_VERIFY OFF STATUS status)
file(SHA256 $scratch/wheel.zip hash)
if(NOT hash STREQUAL $sha256)
  message(FATAL_ERROR "\${status}")
endif()
END
if ! cmake -P "$scratch/fetch.cmake" 2>"$scratch/log"; then
  # A network with a mirror of PyPI's packages: pip knows the way.
  python3 -m pip download -q --no-deps --disable-pip-version-check --only-binary :all: -d "$scratch" \
    "nvidia-cudnn-frontend==$version" 2>>"$scratch/log" || give_up "the headers of cudnn-frontend cannot be fetched: $(cat "$scratch/log")"
  mv "$scratch"/nvidia_cudnn_frontend-*.whl "$scratch/wheel.zip"
fi
(cd "$scratch" && cmake -E tar xf wheel.zip) || give_up "the wheel cannot be unpacked"
[ -e "$scratch/include/cudnn_frontend.h" ] || give_up "the wheel has no include/cudnn_frontend.h"
mkdir -p "$home/include"
cp -r "$scratch"/include/. "$home/include/"
