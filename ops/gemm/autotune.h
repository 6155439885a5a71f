#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// While on, the first product with new shapes on a GPU times up to eight of cuBLASLt's algorithms and keeps the
/// fastest: worthwhile if shapes stay the same. A product with GELU, or with the sums of a bias gradient, runs fused
/// only if that is faster than the product and an estimate of the kernels that follow it (cublas::usage() counts them).
/// While off, cuBLASLt's heuristic chooses. Off by default; process-wide.
/// Convolutions have their own switch (cudnn::benchmark).
MINIMA_API void autotune(bool on);
/// Whether autotuning is on.
MINIMA_API bool is_autotune();

}  // namespace minima
