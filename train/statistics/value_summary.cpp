#include <minima/train/statistics/value_summary.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::train::detail {

namespace {

struct Sums {
  double elements = 0, absolute = 0, squares = 0, largest = 0, zeros = 0, non_finite = 0;

  void add(const Sums& other) {
    elements += other.elements, absolute += other.absolute, squares += other.squares;
    largest = std::max(largest, other.largest);
    zeros += other.zeros, non_finite += other.non_finite;
  }
};

template <class T>
Sums sums_of_block(const T* x, std::int64_t count) {
  // Four sums side by side, so that an addition need not wait for the one before.
  constexpr int lanes = 4;
  Sums lane[lanes];
  const auto add = [](Sums& sums, T element) {
    const double value = static_cast<double>(element), size = std::abs(value);
    const bool is_finite = size <= std::numeric_limits<double>::max();
    const double counted = is_finite ? size : 0;
    sums.absolute += counted;
    sums.squares += counted * counted;
    sums.largest = std::max(sums.largest, counted);
    sums.zeros += value == 0 ? 1 : 0;
    sums.non_finite += is_finite ? 0 : 1;
  };
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int k = 0; k < lanes; ++k) add(lane[k], x[i + k]);
  for (; i < count; ++i) add(lane[0], x[i]);
  for (int k = 1; k < lanes; ++k) lane[0].add(lane[k]);
  lane[0].elements = static_cast<double>(count);
  return lane[0];
}

/// Blocks have one size whatever the number of threads, so the sums do not depend on it.
template <class T>
Sums sums_of_array(const T* x, std::int64_t count) {
  constexpr std::int64_t block = 1 << 14;
  std::vector<Sums> blocks(static_cast<std::size_t>((count + block - 1) / block));
  parallel_for(0, static_cast<std::int64_t>(blocks.size()), 2, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b)
      blocks[static_cast<std::size_t>(b)] = sums_of_block(x + b * block, std::min(block, count - b * block));
  });
  Sums all;
  for (const Sums& sums : blocks) all.add(sums);
  return all;
}

}  // namespace

Tensor sums_of(const Tensor& x) {
  if (!x.device().is_cpu()) return sums_by_operators(x);
  const NoGrad guard;
  const Tensor dense = contiguous(is_half(x.dtype()) ? x.detach().to(DType::float32) : x.detach());
  const Sums s = dense.dtype() == DType::float64 ? sums_of_array(dense.data<double>(), dense.numel())
                                                 : sums_of_array(dense.data<float>(), dense.numel());
  return tensor<double>({s.elements, s.absolute, s.squares, s.largest, s.zeros, s.non_finite});
}

Tensor sums_by_operators(const Tensor& x) {
  const NoGrad guard;
  const TensorOptions number{.dtype = DType::float64, .device = x.device()};
  if (x.numel() == 0) return zeros({static_cast<std::int64_t>(sum_count)}, number);
  const Tensor value = is_half(x.dtype()) ? x.detach().to(DType::float32) : x.detach();
  const Tensor finite = isfinite(value), size = where(finite, abs(value), 0);
  const auto wide = [](const Tensor& y) { return y.to(DType::float64); };
  const Tensor count = full({}, Scalar(x.numel()), number), largest = amax(size), factor = wide(largest);
  // Squares and sums may leave the range of float32, so the elements are divided by the largest first.
  const Tensor share = size / where(largest > Scalar(0), largest, 1);
  const Tensor length = wide(norm(share)) * factor;
  return stack({count, wide(sum(share)) * factor, length * length, factor, count - wide(count_nonzero(value)),
                count - wide(count_nonzero(finite))});
}

ValueSummary summary_of(const std::vector<double>& sums, double scale) {
  Sums all;
  for (std::size_t i = 0; i + sum_count <= sums.size(); i += sum_count)
    all.add({sums[i], sums[i + 1], sums[i + 2], sums[i + 3], sums[i + 4], sums[i + 5]});
  const double finite = std::max(all.elements - all.non_finite, 1.0), factor = std::abs(scale);
  return {.elements = static_cast<std::int64_t>(all.elements),
          .zeros = static_cast<std::int64_t>(all.zeros),
          .non_finite = static_cast<std::int64_t>(all.non_finite),
          .mean_abs = factor * all.absolute / finite,
          .rms = factor * std::sqrt(all.squares / finite),
          .max_abs = factor * all.largest};
}

}  // namespace minima::train::detail
