#!/usr/bin/env bash
# Installs CUDA 13 with cuDNN 9, NCCL and the headers of cudnn-frontend for building minima: with apt where NVIDIA's
# repository is set up, else from NVIDIA's Python wheels into a separate folder, which CMake then finds by itself. The
# driver is not part of it: it belongs to the machine.
#
#   scripts/setup_cuda.sh   called by scripts/setup.sh --cuda
#   MINIMA_CUDA_HOME=DIR    another folder than ~/.local/share/minima/cuda
set -euo pipefail

home=${MINIMA_CUDA_HOME:-$HOME/.local/share/minima/cuda}
wheels=(nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-nvrtc
  nvidia-cuda-cupti nvidia-nvtx)

say() { echo "setup: $*"; }
stop() {
  say "$*" >&2
  cat >&2 <<END
setup: by hand: https://developer.nvidia.com/cuda-downloads (CUDA 13.0 or newer) and https://developer.nvidia.com/cudnn (9),
setup: or on Debian 12, as root:
  apt-get install wget ca-certificates
  wget https://developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/cuda-keyring_1.1-1_all.deb
  dpkg -i cuda-keyring_1.1-1_all.deb && apt-get update
  apt-get install cuda-toolkit-13-0 cudnn9-cuda-13 libnccl-dev
END
  exit 1
}

# The version of the nvcc that CMake would find, empty if there is none.
nvcc_version() {
  local nvcc
  for nvcc in "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc "$home/bin/nvcc"; do
    if [ -n "$nvcc" ] && [ -x "$nvcc" ]; then
      "$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'
      return
    fi
  done
}
has_header() {
  local folder
  for folder in /usr/include "/usr/include/$(uname -m)-linux-gnu" /usr/local/cuda/include "$home/include"; do
    if [ -e "$folder/$1" ]; then return 0; fi
  done
  return 1
}
installed_well() {
  local version
  version=$(nvcc_version)
  [ -n "$version" ] && [ "${version%%.*}" -ge 13 ] && has_header cudnn.h
}

if installed_well; then
  say "CUDA $(nvcc_version) with cuDNN is there"
else
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  if [ -n "$(apt-cache madison cuda-toolkit-13-0 2>/dev/null)" ]; then
    say "running ${as_root[*]}${as_root:+ }apt-get install cuda-toolkit-13-0 cudnn9-cuda-13 libnccl-dev"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
      cuda-toolkit-13-0 cudnn9-cuda-13 libnccl-dev >/dev/null || stop "apt-get install failed; its words are above"
  else
    case "$(uname -m)" in x86_64 | aarch64) ;; *) stop "NVIDIA has no wheels for $(uname -m)" ;; esac
    command -v python3 >/dev/null || stop "there is no python3 to fetch NVIDIA's wheels with"
    python3 -c "import venv, ensurepip" 2>/dev/null || {
      say "running ${as_root[*]}${as_root:+ }apt-get install python3-venv"
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3-venv >/dev/null ||
        stop "python3-venv could not be installed"
    }
    say "fetching CUDA 13.0 from NVIDIA's Python wheels into $home (about 3 GB)"
    mkdir -p "$home"
    python3 -m venv "$home/python" || stop "python3 -m venv failed"
    "$home/python/bin/pip" install -q --disable-pip-version-check "${wheels[@]/%/==13.0.*}" \
      "nvidia-cublas==13.*" "nvidia-cudnn-cu13==9.*" "nvidia-nccl-cu13==2.*" || stop "pip install failed; its words are above"
    # One tree like a toolkit's: each wheel has its part of bin, include, lib and nvvm.
    parts=$(echo "$home"/python/lib/python3*/site-packages/nvidia)
    for kind in bin include lib nvvm; do
      rm -rf "${home:?}/$kind"
      for part in "$parts"/*/"$kind"; do
        [ -d "$part" ] && mkdir -p "$home/$kind" && cp -rs "$part/." "$home/$kind/"
      done
    done
    ln -sfn lib "$home/lib64"
    # nvcc finds its parts beside itself, through links too only if it is no link.
    rm -f "$home/bin/nvcc" "$home/bin/nvcc.profile"
    cp "$parts"/*/bin/nvcc "$parts"/*/bin/nvcc.profile "$home/bin/"
    for library in "$home"/lib/*.so.*; do
      [ -e "${library%.so.*}.so" ] || ln -s "$(basename "$library")" "${library%.so.*}.so"
    done
    installed_well || stop "the wheels are in $home, but nvcc or cudnn.h is not where it should be"
    say "CUDA $(nvcc_version) is in $home; CMake finds it there"
  fi
fi

"$(dirname "$0")/setup_frontend.sh"
