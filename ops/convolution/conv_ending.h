#pragma once

#include <cstdint>

namespace minima::detail {

/// The operations after a convolution, which take parts of its channels_last result while they are in the cache:
/// y · scale + shift in each channel, then the residual is added, then ReLU is taken.
struct ConvEnding {
  const float* scale;     ///< [O]
  const float* shift;     ///< [O]
  const float* residual;  ///< with the result's layout; null if there is none
  bool relu;
};

/// Some positions of a result of `stride` channels, and of them the channels that begin at `channel`.
struct ConvBlock {
  std::int64_t position, channel, positions, channels, stride;
};

/// Finishes a block of the result, which begins at `result`.
void finish(const ConvEnding& ending, const ConvBlock& block, float* result);
/// Finishes the whole result [positions, channels], in parallel.
void finish(const ConvEnding& ending, float* result, std::int64_t positions, std::int64_t channels);

}  // namespace minima::detail
