#pragma once

#include <minima/io/states/rank_file.h>
#include <minima/tensor/tensor.h>

#include <cstddef>

namespace minima::detail {

/// Memory for a copy of what a rank writes, used again by each save: pinned if any of it is on a GPU.
class SnapshotBlock {
 public:
  /// At least the file's bytes, touched once, so that a copy finds pages; null if there is no memory for them, which is
  /// said on stderr the first time. What was there before is lost.
  std::byte* reserve(const RankFile& file);

 private:
  Tensor memory_;
  bool is_pinned_ = false, has_told_ = false;
};

}  // namespace minima::detail
