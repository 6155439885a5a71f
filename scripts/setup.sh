#!/usr/bin/env bash
# Installs what minima needs and this machine lacks, with apt (Debian 12 and 13, Ubuntu 24.04).
#
#   scripts/setup.sh            all that building, testing and measuring need
#   scripts/setup.sh --minimal  only what scripts/quickstart.sh needs
#   scripts/setup.sh --text     only what scripts/quickstart.sh gpt needs
#   scripts/setup.sh --tools    all, and what formats and checks the sources
#   scripts/setup.sh --cuda     all, and CUDA 13 with cuDNN and NCCL (scripts/setup_cuda.sh)
set -euo pipefail

build=(g++ cmake ninja-build libeigen3-dev zlib1g-dev)
speed=(libdnnl-dev)
algebra=(liblapack-dev libopenblas0-serial)
cache=(ccache lld)
processes=(libgloo-dev python3)
example=(libcli11-dev dataset-fashion-mnist)
data=(bible-kjv-text libjpeg-dev libpng-dev libzstd-dev libutf8proc-dev libprotobuf-dev)
tests=(libgtest-dev protobuf-compiler libonnx-testdata pkgconf)
benchmarks=(libbenchmark-dev)
tools=(doxygen clang-format-19 clang-tidy-19 clang-19 libclang-rt-19-dev)

# What minima gets by without, and how; empty for what it needs.
without() {
  case "$1" in
    python3) echo "scripts/launch then does not run" ;;
    libgloo-dev) echo "several processes on CPUs then cannot train together" ;;
    libdnnl-dev) echo "minima then computes with Eigen alone, more slowly" ;;
    dataset-fashion-mnist) echo "name the folder of the four *-ubyte.gz files to the example with --data DIR" ;;
    bible-kjv-text) echo "name a text to gpt with --text FILE" ;;
    liblapack-dev) echo "minima then finds eigenvalues, singular values and QR factors with Eigen, more slowly" ;;
    libopenblas0-serial) echo "LAPACK then computes with the reference BLAS, several times as slow for large matrices" ;;
    libjpeg-dev) echo "minima then reads no JPEG images" ;;
    libpng-dev) echo "minima then reads no PNG images" ;;
    libzstd-dev) echo "minima then reads no tar shards compressed with zstd" ;;
    libutf8proc-dev) echo "tokenizers for texts then do not work" ;;
    libprotobuf-dev) echo "minima then neither reads nor writes ONNX models" ;;
    libonnx-testdata) echo "the tests against ONNX's data are then skipped" ;;
    protobuf-compiler) echo "minima then neither reads nor writes ONNX models, and two tests are skipped" ;;
    pkgconf) echo "a test of minima.pc is then left out" ;;
    doxygen) echo "scripts/site.sh then does not run" ;;
    clang-format-19) echo "scripts/format.sh then does not run" ;;
    clang-tidy-19) echo "scripts/tidy.sh then does not run" ;;
    clang-19 | libclang-rt-19-dev) echo ".ci/run then stops at the thread sanitizer" ;;
    lld) echo "programs are then linked by GNU's linker, more slowly" ;;
    ccache) echo "a second build then takes as long as the first" ;;
  esac
}

wanted=("${build[@]}" "${speed[@]}" "${example[@]}")
rest=("${cache[@]}" "${algebra[@]}" "${data[@]}" "${processes[@]}" "${tests[@]}" "${benchmarks[@]}")
case "${1-}" in
  --minimal) ;;
  --text) wanted=("${build[@]}" "${speed[@]}" libcli11-dev bible-kjv-text libutf8proc-dev) ;;
  "" | --cuda) wanted+=("${rest[@]}") ;;
  --tools) wanted+=("${rest[@]}" "${tools[@]}") ;;
  *)
    echo "setup.sh: unknown argument $1; it takes --minimal, --text, --tools, --cuda or nothing" >&2
    exit 2
    ;;
esac

say() { echo "setup: $*"; }
stop() {
  say "$*" >&2
  exit 1
}

# What only CUDA's part of minima needs; --minimal is for quickstart.sh, which builds that only where a GPU answers. A
# build without CUDA does not need it, so a failure, which says what it means, is none of this script.
finish() {
  if [[ "$wanted_mode" != --minimal && "$wanted_mode" != --text ]] || nvidia-smi -L >/dev/null 2>&1; then "$(dirname "$0")/setup_frontend.sh" || true; fi
  say "$*"
  exit 0
}
wanted_mode=${1-}

# CUDA comes last: it needs python3 at most, and its failure must not keep the rest away.
if [ "${1-}" = --cuda ]; then
  "$0"
  exec "$(dirname "$0")/setup_cuda.sh"
fi

command -v apt-get >/dev/null ||
  stop "this system has no apt-get; install what these Debian packages hold by hand: ${wanted[*]}"

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
known() { [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]; }

# Sorts what is not installed into what must come and what minima gets by without; `known g++` tells whether apt has its
# lists at all.
needed=() optional=()
for package in "${wanted[@]}"; do
  if installed "$package"; then
    continue
  elif [ -z "$(without "$package")" ]; then
    needed+=("$package")
  elif known g++ && ! known "$package"; then
    say "this distribution has no $package; $(without "$package")"
  else
    optional+=("$package")
  fi
done
missing=("${needed[@]}" "${optional[@]}")
if [ ${#missing[@]} -eq 0 ]; then
  finish "nothing to do, everything to be had is installed"
fi
say "missing: ${missing[*]}"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null; then
    as_root=(sudo)
  elif [ ${#needed[@]} -gt 0 ]; then
    stop "there is no sudo here; run this script as root once, then go on as yourself"
  else
    for package in "${optional[@]}"; do say "going on without $package; $(without "$package")"; done
    finish "done"
  fi
fi

say "running ${as_root[*]}${as_root:+ }apt-get update"
"${as_root[@]}" apt-get update -qq || stop "apt-get update failed; its words are above"

install=()
for package in "${missing[@]}"; do
  if known "$package"; then
    install+=("$package")
  elif [ -n "$(without "$package")" ]; then
    say "this distribution has no $package; $(without "$package")"
  else
    stop "this distribution has no $package, which minima needs"
  fi
done
if [ ${#install[@]} -gt 0 ]; then
  say "running ${as_root[*]}${as_root:+ }apt-get install ${install[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "${install[@]}" >/dev/null ||
    stop "apt-get install failed; its words are above"
fi
finish "done"
