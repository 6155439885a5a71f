#include <minima/ops/sort/kernels.h>

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace minima::detail {

namespace {

/// Half types compare as float.
template <class T>
using Compared = std::conditional_t<std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float, T>;

/// Searches for `count` values at once: their steps do not depend on each other, and none branches on an outcome.
template <bool right, std::int64_t count, class T>
void places(const T* sorted, std::int64_t size, const T* values, std::int64_t* y) {
  Compared<T> wanted[count];
  const T* from[count];
  for (std::int64_t j = 0; j < count; ++j) {
    wanted[j] = static_cast<Compared<T>>(values[j]);
    from[j] = sorted;
  }
  const auto is_before = [](T element, Compared<T> value) {  // NaN, last in the order, is before no number
    return right ? static_cast<Compared<T>>(element) <= value : static_cast<Compared<T>>(element) < value;
  };
  for (std::int64_t rest = size; rest > 1; rest -= rest / 2)
    for (std::int64_t j = 0; j < count; ++j) from[j] += is_before(from[j][rest / 2 - 1], wanted[j]) ? rest / 2 : 0;
  for (std::int64_t j = 0; j < count; ++j) {
    const bool is_number = wanted[j] == wanted[j];
    y[j] = !is_number ? place_of(sorted, size, values[j], right)
           : size > 0 ? from[j] - sorted + (is_before(*from[j], wanted[j]) ? 1 : 0)
                      : 0;
  }
}

template <bool right, class T>
void search(const T* sorted, std::int64_t size, const T* values, std::int64_t count, std::int64_t* y) {
  constexpr std::int64_t together = 8;
  for (; count >= together; count -= together, values += together, y += together)
    places<right, together>(sorted, size, values, y);
  for (; count > 0; --count) places<right, 1>(sorted, size, values++, y++);
}

}  // namespace

void searchsorted_kernel_cpu(const Tensor& sorted, const Tensor& values, bool right, Tensor& y) {
  if (y.numel() == 0) return;
  const std::int64_t size = sorted.shape().back(), per_line = sorted.rank() == 1 ? y.numel() : y.shape().back();
  constexpr std::int64_t block = 1024;
  const std::int64_t blocks = (per_line + block - 1) / block;
  const double cost = static_cast<double>(std::min(block, per_line)) * (2 + std::log2(2 + static_cast<double>(size)));
  dispatch<all_types>(values.dtype(), "searchsorted", [&]<class T> {
    minima::parallel_for(0, y.numel() / per_line * blocks, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t n = first; n < last; ++n) {
        const std::int64_t line = n / blocks, at = n % blocks * block, start = line * per_line + at;
        const auto run = right ? search<true, T> : search<false, T>;
        run(sorted.data<T>() + line * size, size, values.data<T>() + start, std::min(block, per_line - at),
            y.data<std::int64_t>() + start);
      }
    });
  });
}

}  // namespace minima::detail
