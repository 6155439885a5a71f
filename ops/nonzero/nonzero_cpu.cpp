#include <minima/ops/nonzero/nonzero_kernels.h>

#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
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

  const auto* data = flags.data<bool>();
  const Shape& shape = flags.shape();
  const int rank = flags.rank();
  minima::parallel_for(0, static_cast<std::int64_t>(starts.size()), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      std::int64_t* out = y.data<std::int64_t>() + starts[static_cast<std::size_t>(b)] * rank;
      const std::int64_t end = std::min(flags.numel(), (b + 1) * block);
      for (std::int64_t i = b * block; i < end; ++i) {
        if (!data[i]) continue;
        std::int64_t rest = i;
        for (int d = rank - 1; d >= 0; --d) {
          out[d] = rest % shape[d];
          rest /= shape[d];
        }
        out += rank;
      }
    }
  });
}

}  // namespace minima::detail
