#pragma once

#include <minima/ops/loops/geometry.h>
#include <minima/tensor/layout/layout.h>

#include <cstdint>
#include <vector>

// How CUDA kernels share a dense tensor [N, C, …] among their threads.

namespace minima::detail {

/// The memory of a dense tensor: [outer, channels, inner].
struct ChannelOrder {
  std::int64_t outer, channels, inner;
  explicit ChannelOrder(const Layout& dense);

  std::int64_t numel() const { return outer * channels * inner; }
  /// Whether the channels are neighbours in memory.
  bool has_rows() const { return inner == 1 && channels > 1; }
};

/// A thread has one column: neighbouring channels of a channels_last tensor, as many as a pack has elements, or one
/// channel of a row-major one. So it loads what belongs to its channels once. It visits every `lanes`-th pack of the
/// column, in a part of the tensor small enough for 32-bit indices. Blocks: columns along x, shares of them along y.
struct ChannelWalk {
  static constexpr std::uint32_t threads = 256;

  std::int64_t start;         ///< of the part, in elements
  std::int64_t row;           ///< elements from one plane of a channel to its next
  std::int64_t step;          ///< elements from one column to the next
  pointwise::Divider plane;   ///< packs of a column that are neighbours in memory
  std::uint32_t columns;      ///< of the tensor
  std::uint32_t count;        ///< packs of a column
  std::uint32_t lanes;        ///< threads of a block that share a column, a power of two
  std::uint32_t split;        ///< packs of a column that a block visits
  std::uint32_t splits;       ///< blocks that share a column
  std::uint32_t first_split;  ///< in the parts before this one

  std::uint32_t columns_of_a_block() const { return threads / lanes; }
  std::uint32_t blocks() const { return (columns + columns_of_a_block() - 1) / columns_of_a_block(); }
};

/// `width` divides the channels, if has_rows(), else `inner`. About `wanted` blocks, or fewer where threads would have
/// fewer than `least` packs, of which they have a multiple. Parts have at most `most` packs per column.
std::vector<ChannelWalk> channel_walks(const ChannelOrder& order, std::int64_t width, std::int64_t wanted,
                                       std::int64_t least, std::int64_t most = INT32_MAX);

}  // namespace minima::detail
