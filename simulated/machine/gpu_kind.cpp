#include "simulated/machine/gpu_kind.h"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace simulated {

const std::vector<GpuKind>& gpu_kinds() {
  static const std::vector<GpuKind> kinds{h100, h200, a100, l4, rtx4090, b200};
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
