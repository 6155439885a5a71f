#include <minima/ops/index/kernels.h>

#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

constexpr std::int64_t block = 1 << 16;

/// The number of true flags of each block.
std::vector<std::int64_t> counts_of(const Tensor& flags) {
  const auto* data = reinterpret_cast<const unsigned char*>(flags.data<bool>());
  std::vector<std::int64_t> counts(static_cast<std::size_t>((flags.numel() + block - 1) / block));
  minima::parallel_for(0, static_cast<std::int64_t>(counts.size()), 2, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      const std::int64_t end = std::min(flags.numel(), (b + 1) * block);
      std::int32_t count = 0;
      for (std::int64_t i = b * block; i < end; ++i) count += data[i];
      counts[static_cast<std::size_t>(b)] = count;
    }
  });
  return counts;
}

/// The coordinates of the block's true flags, one after the other. Flags are as good as random, so their positions in a
/// line are collected without branches.
void write_block(const Tensor& flags, std::int64_t b, std::int64_t* out) {
  const auto* data = reinterpret_cast<const unsigned char*>(flags.data<bool>());
  const Shape& shape = flags.shape();
  const int last = flags.rank() - 1;
  if (last < 0) return;  // rows without coordinates
  const std::int64_t end = std::min(flags.numel(), (b + 1) * block), width = shape[last];
  Shape at = shape;  // coordinates
  std::int64_t rest = b * block;
  for (int d = last; d >= 0; --d) at[d] = rest % shape[d], rest /= shape[d];
  std::array<std::int64_t, 1024> found;
  for (std::int64_t i = b * block; i < end;) {
    const std::int64_t count = std::min({end - i, width - at[last], static_cast<std::int64_t>(found.size())});
    std::size_t hits = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      found[hits] = at[last] + k;
      hits += data[i + k];
    }
    for (std::size_t hit = 0; hit < hits; ++hit) {
      for (int d = 0; d < last; ++d) *out++ = at[d];
      *out++ = found[hit];
    }
    i += count;
    at[last] += count;
    for (int d = last; d > 0 && at[d] == shape[d]; --d) at[d] = 0, ++at[d - 1];
  }
}

}  // namespace

std::int64_t count_true_cpu(const Tensor& flags) {
  std::int64_t total = 0;
  for (const std::int64_t count : counts_of(flags)) total += count;
  return total;
}

void nonzero_kernel_cpu(const Tensor& flags, Tensor& y) {
  std::vector<std::int64_t> starts = counts_of(flags);
  std::int64_t total = 0;
  for (std::int64_t& start : starts) total += std::exchange(start, total);

  minima::parallel_for(0, static_cast<std::int64_t>(starts.size()), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b)
      write_block(flags, b, y.data<std::int64_t>() + starts[static_cast<std::size_t>(b)] * flags.rank());
  });
}

}  // namespace minima::detail
