#include <minima/ops/product/kernels.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <cstdint>
#include <type_traits>

namespace minima::detail {

void cross_kernel_cpu(const Tensor& a, const Tensor& b, int dim, Tensor& y) {
  const Lines lines = lines_of(y.layout(), dim);
  dispatch<floating>(y.dtype(), "cross", [&]<class T> {
    using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const T* const left = a.data<T>();
    const T* const right = b.data<T>();
    T* const result = y.data<T>();
    minima::parallel_for(0, lines.outer * lines.inner, grain_for(3), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t line = first; line < last; ++line) {
        const std::int64_t start = line / lines.inner * 3 * lines.inner + line % lines.inner;
        const auto at = [&](const T* x, int k) { return static_cast<Compute>(x[start + k * lines.inner]); };
        const Compute a0 = at(left, 0), a1 = at(left, 1), a2 = at(left, 2);
        const Compute b0 = at(right, 0), b1 = at(right, 1), b2 = at(right, 2);
        result[start] = static_cast<T>(a1 * b2 - a2 * b1);
        result[start + lines.inner] = static_cast<T>(a2 * b0 - a0 * b2);
        result[start + 2 * lines.inner] = static_cast<T>(a0 * b1 - a1 * b0);
      }
    });
  });
}

}  // namespace minima::detail
