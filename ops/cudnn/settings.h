#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>

// How minima chooses among the ways in which cuDNN can compute a convolution on a GPU. For the whole process.

namespace minima::cudnn {

/// While on, the first call with new shapes times what cuDNN offers, ten ways at most, and keeps the fastest: worth it
/// where shapes stay the same, as in most training. Off, cuDNN's heuristics choose. Off at first.
MINIMA_API void benchmark(bool on);
MINIMA_API bool is_benchmark();

/// The most working memory that a convolution may take, in bytes; 256 MiB at first. Faster ways may need more.
MINIMA_API void workspace_limit(std::size_t bytes);
MINIMA_API std::size_t workspace_limit();

}  // namespace minima::cudnn
