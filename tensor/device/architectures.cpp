#include <minima/tensor/device/architectures.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace minima::cuda {

namespace {

/// The oldest capability that CUDA 13 compiles for.
constexpr int oldest_capability = 75;

/// One entry of the list: "90", "90-real", "90-virtual", "90a", "100f-real".
bool architecture_runs_on(std::string_view entry, int capability) {
  const std::string_view number = entry.substr(0, entry.find_first_not_of("0123456789"));
  if (number.empty()) return false;
  int built = 0;
  for (const char digit : number) built = 10 * built + (digit - '0');
  std::string_view suffix = entry.substr(number.size());
  const bool of_family = suffix.starts_with('f');
  if (suffix.starts_with('a')) return capability == built;
  if (of_family) suffix.remove_prefix(1);
  const bool is_later = capability >= built, same_major = capability / 10 == built / 10;
  const bool has_machine_code = suffix != "-virtual", has_ptx = suffix != "-real";
  return is_later && ((has_machine_code && same_major) || (has_ptx && (same_major || !of_family)));
}

}  // namespace

bool kernels_run_on(std::string_view architectures, int major, int minor) {
  while (!architectures.empty()) {
    const std::size_t length = architectures.find(' ');
    if (architecture_runs_on(architectures.substr(0, length), 10 * major + minor)) return true;
    architectures.remove_prefix(length == std::string_view::npos ? architectures.size() : length + 1);
  }
  return false;
}

void expect_kernels(Device device, const std::string& name, int major, int minor, const std::string& architectures) {
  if (kernels_run_on(architectures, major, minor)) return;
  const int capability = 10 * major + minor;
  const std::string what = str(device, ": ", name, " has compute capability ", major, ".", minor,
                               ", but minima's kernels are built for architectures ", architectures);
  if (capability < oldest_capability)
    throw DeviceError(
        str(what, "; CUDA 13 supports capability 7.5 and later, so use another GPU or MINIMA_DEVICE=cpu"));
  throw DeviceError(str(what, "; build minima with -D CMAKE_CUDA_ARCHITECTURES=", capability));
}

}  // namespace minima::cuda
