#pragma once

#include <optional>
#include <string>

namespace minima::detail {

/// Tells what is known when CUDA offers no GPU. Versions are major * 1000 + minor * 10.
struct NoGpu {
  bool has_driver = false;
  int driver_version = 0;                           ///< the CUDA version that the driver supports; 0: unknown
  int needed_version = 0;                           ///< that of the CUDA runtime in minima
  std::string error = {};                           ///< CUDA's text; empty if it just finds no GPU
  std::optional<std::string> visible_devices = {};  ///< CUDA_VISIBLE_DEVICES, if set
};

/// The reason and the way out, in one line.
std::string text_of(const NoGpu& why);

}  // namespace minima::detail
