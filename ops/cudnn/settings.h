#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <string>

// How minima chooses among cuDNN's ways to compute a convolution on a GPU, and whether it could. Process-wide.

namespace minima::cudnn {

/// While on, the first call with new shapes times up to ten of cuDNN's plans and keeps the fastest: worthwhile if
/// shapes stay the same, as in most training. While off, cuDNN's heuristics choose. Off by default.
MINIMA_API void benchmark(bool on);
/// Whether benchmarking is on.
MINIMA_API bool is_benchmark();

/// The most workspace that a convolution may use, in bytes; 256 MiB by default. Faster plans may need more.
MINIMA_API void workspace_limit(std::size_t bytes);
MINIMA_API std::size_t workspace_limit();

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
