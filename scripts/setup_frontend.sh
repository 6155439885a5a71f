#!/usr/bin/env bash
# Fetches the headers of cudnn-frontend, through which minima asks cuDNN for convolutions and attention, where there is a
# CUDA toolkit with cuDNN and they are missing. They come from NVIDIA's Python wheel; only its headers are kept, in
# MINIMA_CUDA_HOME or ~/.local/share/minima/cuda, where CMake looks. A failure is no error: minima builds without them.
#
#   scripts/setup_frontend.sh   called by scripts/setup.sh
set -euo pipefail

home=${MINIMA_CUDA_HOME:-$HOME/.local/share/minima/cuda}
version=1.32.0

say() { echo "setup: $*"; }
give_up() {
  say "$*; convolutions on GPUs then go through products of matrices, more slowly. By hand: put the folder include of"
  say "https://github.com/NVIDIA/cudnn-frontend where your CUDA headers are"
  exit 0
}
has_header() {
  local folder
  for folder in "${CUDNN_FRONTEND_PATH:+$CUDNN_FRONTEND_PATH/include}" "${CUDNN_PATH:+$CUDNN_PATH/include}" /usr/include \
    /usr/local/include "/usr/include/$(uname -m)-linux-gnu" /usr/local/cuda/include "$home/include"; do
    if [ -n "$folder" ] && [ -e "$folder/$1" ]; then return 0; fi
  done
  return 1
}

command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || [ -x "$home/bin/nvcc" ] || exit 0
has_header cudnn.h || exit 0
if has_header cudnn_frontend.h; then exit 0; fi

command -v python3 >/dev/null || give_up "the headers of cudnn-frontend are missing and there is no python3 to fetch them with"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
say "fetching the headers of cudnn-frontend $version into $home/include"
if python3 -m pip --version >/dev/null 2>&1; then
  pip=(python3 -m pip)
elif [ -x "$home/python/bin/pip" ]; then
  pip=("$home/python/bin/pip")
elif python3 -m venv "$scratch/python" >/dev/null 2>&1; then
  pip=("$scratch/python/bin/pip")
else
  give_up "python3 has neither pip nor venv (Debian: python3-pip)"
fi
# The headers are the same for every platform, so which wheel it is does not matter.
"${pip[@]}" download -q --no-deps --disable-pip-version-check --only-binary :all: -d "$scratch" \
  "nvidia-cudnn-frontend==$version" || give_up "that failed; its words are above"
python3 -m zipfile -e "$scratch"/nvidia_cudnn_frontend-*.whl "$scratch/wheel" || give_up "the wheel could not be unpacked"
[ -e "$scratch/wheel/include/cudnn_frontend.h" ] || give_up "the wheel has no include/cudnn_frontend.h"
mkdir -p "$home/include"
cp -r "$scratch"/wheel/include/. "$home/include/"
