#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// Whether float32 products on a GPU may round their factors to TF32 (10-bit mantissa), which is several times faster
/// on GPUs that support it. Off by default; process-wide.
MINIMA_API void allow_tf32(bool on);
/// Whether TF32 is allowed.
MINIMA_API bool allows_tf32();

}  // namespace minima
