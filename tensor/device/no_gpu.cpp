#include <minima/tensor/device/no_gpu.h>

#include <minima/tensor/base/format.h>

#include <string>

namespace minima::detail {

namespace {

std::string version_text(int version) { return str(version / 1000, ".", version % 1000 / 10); }

/// The first driver that supports any CUDA of this major version, from the release notes of the toolkits.
const char* first_driver(int version) { return version / 1000 == 13 ? "; install driver 580 or newer" : ""; }

}  // namespace

std::string text_of(const NoGpu& why) {
  if (!why.has_driver) return "no NVIDIA driver on this machine (libcuda.so.1 not found)";
  // A driver supports later minor versions than its own, but no later major version.
  if (why.driver_version > 0 && why.driver_version / 1000 < why.needed_version / 1000)
    return str("the NVIDIA driver supports only CUDA ", version_text(why.driver_version), ", but minima needs CUDA ",
               version_text(why.needed_version), first_driver(why.needed_version));
  // CUDA ignores this variable from the first index on that names no GPU, so an empty or mistaken one hides them all.
  const std::string visible = why.visible_devices ? str("CUDA_VISIBLE_DEVICES=\"", *why.visible_devices, '"') : "";
  if (!why.error.empty())
    return str("this process can use no GPU: ", why.error, visible.empty() ? "" : str(" (", visible, ")"));
  if (!visible.empty()) return str(visible, " leaves this process no GPU; unset it or name one");
  return "the NVIDIA driver finds no GPU";
}

}  // namespace minima::detail
