#include <minima/ops/reduce/histogram.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/sort/searchsorted.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <vector>

namespace minima {

namespace {

std::int64_t bins_of(const Tensor& x, std::int64_t min_length) {
  if (x.rank() != 1 || x.dtype() != DType::int64)
    throw DTypeError(str("bincount: x must be an int64 vector, got ", x, "; convert it with to()"));
  if (min_length < 0) throw ValueError(str("bincount: min_length must not be negative, got ", min_length));
  if (min_length == INT64_MAX) throw ValueError(str("bincount: there is no room for ", min_length, " counts"));
  if (x.numel() == 0) return min_length;
  const auto [least, most] = aminmax(x);
  if (const auto smallest = least.item<std::int64_t>(); smallest < 0)
    throw ValueError(str("bincount: x must not have negative elements, got ", smallest));
  const auto largest = most.item<std::int64_t>();
  if (largest == INT64_MAX) throw ValueError(str("bincount: there is no room for element ", largest));
  return std::max(min_length, largest + 1);
}

/// Σ of the weights at each index; those at `bins` are dropped.
Tensor counted(const Tensor& index, const Tensor& weights, std::int64_t bins) {
  const Tensor sums = zeros({bins + 1}, {.dtype = weights.dtype(), .device = weights.device()});
  return narrow(scatter_add(sums, 0, index, weights), 0, 0, bins);
}

/// How often each of `bins` numbers occurs among the `size` that `write(first, n, to)` writes in turn; it may write
/// `bins`, too, which is not counted.
template <class Write>
std::vector<std::int64_t> occurrences(std::int64_t size, std::int64_t bins, const Write& write) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(bins));
  std::mutex mutex;
  parallel_for(0, size, std::max(grain_for(1), bins), [&](std::int64_t first, std::int64_t last) {
    // Equal neighbours would wait for each other's sum, so each of four has its own.
    const std::int64_t together = bins < 4096 ? 4 : 1, stride = bins + 1;
    std::vector<std::int64_t> own(static_cast<std::size_t>(together * stride));
    std::array<std::int32_t, 1024> buffer;
    const std::int32_t* const index = buffer.data();
    std::int64_t* const to = own.data();
    for (std::int64_t start = first; start < last; start += std::ssize(buffer)) {
      const std::int64_t count = std::min(last - start, std::ssize(buffer));
      write(start, count, buffer.data());
      std::int64_t i = 0;
      for (; i + together <= count; i += together)
        for (std::int64_t k = 0; k < together; ++k) ++to[k * stride + index[i + k]];
      for (; i < count; ++i) ++to[index[i]];
    }
    const std::scoped_lock lock(mutex);
    for (std::int64_t k = 0; k < together; ++k)
      for (std::int64_t bin = 0; bin < bins; ++bin) sums[static_cast<std::size_t>(bin)] += to[k * stride + bin];
  });
  return sums;
}

/// Whether `occurrences` counts them: on the CPU, and float32 has each number of a bin.
bool fits_one_pass(const Tensor& x, std::int64_t bins) { return !detail::on_cuda(x) && bins < 1 << 24; }

/// The number of elements of each value of x, int64 [N] and in range. On the CPU.
struct Bincount {
  static constexpr Traits traits{.name = "bincount"};
  std::int64_t bins;
  TensorSpec result(const Tensor& x) const { return spec_of({bins}, DType::int64, x.device()); }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = count, .bytes = 8 * (count + static_cast<double>(bins))};
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const Tensor values = detail::arranged(x, Layout::contiguous(x.shape()));
    const auto* const from = values.data<std::int64_t>();
    const auto sums = occurrences(x.numel(), bins, [&](std::int64_t first, std::int64_t count, std::int32_t* to) {
      for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::int32_t>(from[first + i]);
    });
    std::copy(sums.begin(), sums.end(), y.data<std::int64_t>());
  }
};

/// The number of elements of x, float32 or float64 [N], in each of `bins` equal parts of [low, high]. On the CPU.
struct Histc {
  static constexpr Traits traits{.name = "histc"};
  std::int64_t bins;
  double low, high;
  TensorSpec result(const Tensor& x) const { return spec_of({bins}, x.dtype(), x.device()); }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 4 * count, .bytes = static_cast<double>(size_of(x.dtype())) * (count + static_cast<double>(bins))};
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const Tensor values = detail::arranged(x, Layout::contiguous(x.shape()));
    dispatch<full_floating>(x.dtype(), traits.name, [&]<class T> {
      const T* const from = values.data<T>();
      const auto least = static_cast<T>(low), most = static_cast<T>(high), width = static_cast<T>(high - low);
      const auto parts = static_cast<std::int32_t>(bins);
      const auto sums = occurrences(x.numel(), bins, [&](std::int64_t first, std::int64_t count, std::int32_t* to) {
        MINIMA_IVDEP
        for (std::int64_t i = 0; i < count; ++i) {
          const T value = from[first + i];
          const bool is_inside = value >= least && value <= most;
          const T place = is_inside ? (value - least) / width * static_cast<T>(parts) : T(0);
          to[i] = is_inside ? std::min(static_cast<std::int32_t>(place), parts - 1) : parts;
        }
      });
      std::copy(sums.begin(), sums.end(), y.data<T>());
    });
  }
};

}  // namespace

Tensor bincount(const Tensor& x, std::int64_t min_length) {
  detail::check_defined("bincount", x);
  const std::int64_t bins = bins_of(x, min_length);
  if (fits_one_pass(x, bins)) return apply(Bincount{bins}, x);
  return counted(x, expand(ones({}, {.dtype = DType::int64, .device = x.device()}), x.shape()), bins);
}

Tensor bincount(const Tensor& x, const Tensor& weights, std::int64_t min_length) {
  constexpr const char* op = "bincount";
  detail::check_defined(op, x);
  detail::check_defined(op, weights, 1);
  if (weights.shape() != x.shape())
    throw ShapeError(str(op, ": needs a weight for each element of x, got ", weights, " for ", x));
  if (weights.dtype() == DType::boolean)
    throw DTypeError(str(op, ": weights must not be bool, got ", weights, "; convert them with to()"));
  return counted(x, weights, bins_of(x, min_length));
}

Tensor histc(const Tensor& x, std::int64_t bins, double low, double high) {
  constexpr const char* op = "histc";
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (bins < 1) throw ValueError(str(op, ": bins must be positive, got ", bins));
  if (low == high && x.numel() > 0) {
    const auto [least, most] = aminmax(x.detach());
    low = least.item<double>();
    high = most.item<double>();
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    throw ValueError(str(op, ": the limits must be finite and in order, got ", low, " and ", high));
  detail::expect_room(bins, sizeof(double), op);
  const NoGrad constant;
  const Tensor values = flatten(x.detach().to(is_half(x.dtype()) ? DType::float32 : x.dtype()));
  if (fits_one_pass(x, bins)) return apply(Histc{bins, low, high}, values).to(x.dtype());
  const Tensor is_inside = logical_and(values >= low, values <= high);
  const Tensor bin = floor((where(is_inside, values, low) - low) / (high - low) * static_cast<double>(bins));
  const Tensor index = where(is_inside, minimum(bin.to(DType::int64), bins - 1), bins);
  return counted(index, expand(ones({}, {.dtype = values.dtype(), .device = x.device()}), values.shape()), bins)
      .to(x.dtype());
}

}  // namespace minima
