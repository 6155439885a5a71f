#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

// How often cuDNN computed what it was asked for. Its settings are in tensor/settings.h.

namespace minima::cudnn {

/// Convolutions, attentions and recurrent networks that cuDNN was asked for, each counted once per shapes, strides,
/// dtypes and modes.
struct Usage {
  std::int64_t planned = 0;  ///< computed by cuDNN
  std::int64_t refused = 0;  ///< computed by minima's own kernels, which are slower
  std::string refusal;       ///< why the last of these was refused
};
/// Returns how many calls cuDNN has computed and refused so far in this process.
MINIMA_API Usage usage();

}  // namespace minima::cudnn
