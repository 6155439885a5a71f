#include "simulated/machine/gpu_kind.h"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace simulated {

// Not yet compared with the sources number by number. Memory, rates and bandwidths: NVIDIA's data sheets "H100 Tensor
// Core GPU" (SXM5), "H200 Tensor Core GPU" (SXM), "A100 Tensor Core GPU" (SXM4 80 GB), "L4 Tensor Core GPU", and the
// white papers "Ada GPU Architecture" (RTX 4090) and "Blackwell Architecture" (HGX B200). Rates with sparsity are
// halved. Multiprocessors, L2 caches and clocks: the white papers of the architectures. Threads and shared memory of a
// multiprocessor: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". PCIe 4.0 and 5.0 x16
// carry 32 and 64 GB/s one way, NVLink 3, 4 and 5 carry 300, 450 and 900 GB/s.
const std::vector<GpuKind>& gpu_kinds() {
  constexpr std::size_t gib = std::size_t{1} << 30, mib = std::size_t{1} << 20, kib = std::size_t{1} << 10;
  static const std::vector<GpuKind> kinds{
      {"H100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 2048, 80 * gib, 50 * mib, 227 * kib, 1'980'000, 2'619'000, 5120,
       3.35e12, 67e12, 989e12, 64e9, 450e9},
      {"H200", "NVIDIA H200", 9, 0, 132, 2048, 141 * gib, 50 * mib, 227 * kib, 1'980'000, 3'201'000, 6144, 4.8e12,
       67e12, 989e12, 64e9, 450e9},
      {"A100", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 2048, 80 * gib, 40 * mib, 163 * kib, 1'410'000, 1'593'000, 5120,
       2.039e12, 19.5e12, 312e12, 32e9, 300e9},
      {"L4", "NVIDIA L4", 8, 9, 58, 1536, 24 * gib, 48 * mib, 99 * kib, 2'040'000, 6'251'000, 192, 300e9, 30.3e12,
       121e12, 32e9, 32e9},
      {"RTX4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 1536, 24 * gib, 72 * mib, 99 * kib, 2'520'000, 10'501'000, 384,
       1.008e12, 82.6e12, 165.2e12, 32e9, 32e9},
      {"B200", "NVIDIA B200", 10, 0, 148, 2048, 180 * gib, 126 * mib, 227 * kib, 1'965'000, 3'996'000, 8192, 8e12,
       80e12, 2.25e15, 64e9, 900e9},
  };
  return kinds;
}

namespace {

[[noreturn]] void refuse(const std::string& description) {
  std::string kinds;
  for (const GpuKind& kind : gpu_kinds()) kinds += std::string(kinds.empty() ? "" : ", ") + kind.key;
  throw std::invalid_argument("simulated GPUs: \"" + description +
                              "\" is no list like \"4xH200\" or \"H100,2xL4\" of " + kinds);
}

const GpuKind& find_kind(const std::string& key, const std::string& description) {
  for (const GpuKind& kind : gpu_kinds())
    if (key == kind.key) return kind;
  refuse(description);
}

}  // namespace

std::vector<GpuKind> parse_gpus(const std::string& description) {
  std::vector<GpuKind> gpus;
  std::istringstream parts(description);
  for (std::string part; std::getline(parts, part, ',');) {
    int count = 1;
    if (const std::size_t times = part.find('x'); times != std::string::npos) {
      const char* const end = part.data() + times;
      const auto parsed = std::from_chars(part.data(), end, count);
      if (parsed.ec != std::errc() || parsed.ptr != end || count < 1 || count > 16) refuse(description);
      part.erase(0, times + 1);
    }
    gpus.insert(gpus.end(), static_cast<std::size_t>(count), find_kind(part, description));
  }
  return gpus;
}

}  // namespace simulated
