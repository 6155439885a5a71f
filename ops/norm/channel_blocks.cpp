#include <minima/ops/norm/channel_blocks.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/layout/layout.h>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

namespace {
constexpr std::int64_t block_elements = 8192;
}

ChannelBlocks::ChannelBlocks(const Layout& dense) : channels_(dense.shape[1]) {
  const Lines lines = channels_ == 1 ? Lines{1, 1, dense.numel()} : lines_of(dense, 1);
  const bool rows = lines.inner == 1 && channels_ > 1;
  period_ = rows ? channels_ : 1;
  matrices_ = rows ? 1 : lines.outer * lines.length;
  channel_step_ = rows ? 1 : std::max<std::int64_t>(channels_, 1);
  matrix_size_ = rows ? lines.outer * lines.length : lines.inner;
  block_ = std::min(std::max<std::int64_t>(block_elements / period_, 1) * period_, matrix_size_);
  per_matrix_ = matrix_size_ == 0 ? 0 : (matrix_size_ + block_ - 1) / block_;
}

ChannelBlocks::Block ChannelBlocks::operator[](std::int64_t i) const {
  const std::int64_t matrix = i / per_matrix_, begin = i % per_matrix_ * block_;
  return {matrix * matrix_size_ + begin, std::min(block_, matrix_size_ - begin), matrix % channel_step_,
          matrix / channel_step_ * per_matrix_ + i % per_matrix_};
}

}  // namespace minima::detail
