#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// Whether float32 products on a GPU may round their factors to TF32 (10-bit mantissa), which is several times faster
/// on GPUs that support it. Off by default; process-wide. PyTorch: torch.backends.cuda.matmul.allow_tf32.
MINIMA_API void allow_tf32(bool on);
/// Whether products may use TF32.
MINIMA_API bool allows_tf32();

namespace cudnn {

/// The same for float32 convolutions and recurrent networks. PyTorch: torch.backends.cudnn.allow_tf32, which is on by
/// default.
MINIMA_API void allow_tf32(bool on);
/// Whether they may use TF32.
MINIMA_API bool allows_tf32();

}  // namespace cudnn
}  // namespace minima
