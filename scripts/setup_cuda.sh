#!/usr/bin/env bash
# Installs what is missing of CUDA 13, cuDNN 9, NCCL and the headers of cudnn-frontend: with apt where NVIDIA's
# repository is set up, else from NVIDIA's Python wheels into a separate folder, which CMake then finds by itself. The
# driver is not part of it: it belongs to the machine.
#
#   scripts/setup_cuda.sh   called by scripts/setup.sh --cuda
#   MINIMA_CUDA_HOME=DIR    another folder than ~/.local/share/minima/cuda
set -euo pipefail

home=${MINIMA_CUDA_HOME:-$HOME/.local/share/minima/cuda}

say() { echo "setup: $*"; }
stop() {
  say "$*" >&2
  say "by hand: docs/building.md, \"CUDA by hand\"" >&2
  exit 1
}

# The version of the nvcc that CMake finds, empty if there is none.
nvcc_version() {
  local nvcc
  for nvcc in "$home/bin/nvcc" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
    if [ -n "$nvcc" ] && [ -x "$nvcc" ]; then
      "$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'
      return
    fi
  done
}
has_header() {
  local folder
  for folder in "${CUDNN_PATH:+$CUDNN_PATH/include}" "${NCCL_PATH:+$NCCL_PATH/include}" "$home/include" /usr/include \
    "/usr/include/$(uname -m)-linux-gnu" /usr/local/include /usr/local/cuda/include; do
    if [ -n "$folder" ] && [ -e "$folder/$1" ]; then return 0; fi
  done
  return 1
}
# Prints the parts that are not there.
lacking() {
  local version
  version=$(nvcc_version)
  if [ -z "$version" ] || [ "${version%%.*}" -lt 13 ]; then echo toolkit; fi
  has_header cudnn.h || echo cudnn
  has_header nccl.h || echo nccl
}
known() { [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]; }
apt_package() {
  case "$1" in
    toolkit) if known cuda-toolkit-13-0; then echo cuda-toolkit-13-0; else echo cuda-toolkit-13; fi ;;
    cudnn) echo cudnn9-cuda-13 ;;
    nccl) echo libnccl-dev ;;
  esac
}
wheels() {
  case "$1" in
    toolkit)
      printf '%s==13.0.*\n' nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl \
        nvidia-cuda-nvrtc nvidia-cuda-cupti nvidia-nvtx
      printf '%s\n' "nvidia-cublas==13.*" "nvidia-cufft==12.*" "nvidia-cusolver==12.*" "nvidia-cusparse==12.*" \
        "nvidia-nvjitlink==13.*"
      ;;
    cudnn) echo "nvidia-cudnn-cu13==9.*" ;;
    nccl) echo "nvidia-nccl-cu13==2.*" ;;
  esac
}

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
apt_install() {
  say "running ${as_root[*]}${as_root:+ }apt-get install $*"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

from_wheels() {
  case "$(uname -m)" in x86_64 | aarch64) ;; *) stop "NVIDIA has no wheels for $(uname -m)" ;; esac
  command -v python3 >/dev/null || stop "there is no python3 to fetch NVIDIA's wheels with"
  python3 -c "import venv, ensurepip" 2>/dev/null || apt_install python3-venv || stop "python3-venv could not be installed"
  local list=() part kind parts library
  for part in "$@"; do mapfile -t -O ${#list[@]} list < <(wheels "$part"); done
  say "fetching $* from NVIDIA's Python wheels into $home (up to 3 GB)"
  mkdir -p "$home"
  python3 -m venv "$home/python" || stop "python3 -m venv failed"
  "$home/python/bin/pip" install -q --disable-pip-version-check "${list[@]}" || stop "pip install failed; its words are above"
  # One tree like a toolkit's: each wheel has its part of bin, include, lib and nvvm.
  parts=$(echo "$home"/python/lib/python3*/site-packages/nvidia)
  for kind in bin include lib nvvm; do
    for part in "$parts"/*/"$kind"; do
      [ -d "$part" ] && mkdir -p "$home/$kind" && cp -rfs "$part/." "$home/$kind/"
    done
  done
  ln -sfn lib "$home/lib64"
  # nvcc finds its parts next to itself, through links too only if it is no link.
  if [ -e "$home/bin/nvcc" ]; then
    rm -f "$home/bin/nvcc" "$home/bin/nvcc.profile"
    cp "$parts"/*/bin/nvcc "$parts"/*/bin/nvcc.profile "$home/bin/"
  fi
  for library in "$home"/lib/*.so.*; do
    [ -e "${library%.so.*}.so" ] || ln -s "$(basename "$library")" "${library%.so.*}.so"
  done
}

mapfile -t missing < <(lacking)
if [ ${#missing[@]} -gt 0 ]; then
  packages=() from_pip=()
  for part in "${missing[@]}"; do
    package=$(apt_package "$part")
    if known "$package"; then packages+=("$package"); else from_pip+=("$part"); fi
  done
  if [ ${#packages[@]} -gt 0 ]; then apt_install "${packages[@]}" || stop "apt-get install failed; its words are above"; fi
  if [ ${#from_pip[@]} -gt 0 ]; then from_wheels "${from_pip[@]}"; fi
  mapfile -t missing < <(lacking)
  [ ${#missing[@]} -eq 0 ] || stop "installed, but still not where CMake looks: ${missing[*]}"
fi
say "CUDA $(nvcc_version) with cuDNN and NCCL is there"

"$(dirname "$0")/setup_frontend.sh" || stop "without cudnn-frontend cuDNN is not used"
