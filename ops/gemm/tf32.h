#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// Whether products of float32 on a GPU may round their factors to TF32 (10 bits of fraction), which is several times
/// as fast on the GPUs that have it. Off at first; for the whole process.
MINIMA_API void allow_tf32(bool on);
MINIMA_API bool allows_tf32();

}  // namespace minima
