#include <minima/ops/dropout/dropout_kernels.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/random/philox.h>
#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace minima::detail {

namespace {

constexpr std::int64_t group = 1024;  // elements whose words and values stay in the L1 cache
constexpr double cost = 1;

template <class T>
void keep_some(const T* x, T* y, const std::uint32_t* words, std::int64_t n, std::uint32_t threshold, T scale) {
  MINIMA_IVDEP
  for (std::int64_t i = 0; i < n; ++i) y[i] = words[i] >> 8 < threshold ? x[i] * scale : T(0);
}

/// The threshold of fill_bernoulli: u < keep for u = (word >> 8) / 2²⁴.
std::uint32_t threshold_of(double keep) { return static_cast<std::uint32_t>(std::ceil(keep * 0x1p24)); }

}  // namespace

void dropout_kernel_cpu(const Tensor& x, double keep, double scale, PhiloxState start, Tensor& y) {
  // Elements are numbered in row-major order, so other layouts go through row-major copies.
  const Layout rows = Layout::contiguous(x.shape());
  const Tensor from = arranged(x, rows);
  const Tensor to = y.is_contiguous() ? y : empty(rows, {.dtype = y.dtype()});
  const std::uint32_t threshold = threshold_of(keep);
  const std::int64_t count = x.numel();
  dispatch<full_floating>(compute_dtype(x.dtype()), "dropout", [&]<class T> {
    const auto load = pointwise::converter(dtype_of<T>, x.dtype()),
               store = pointwise::converter(x.dtype(), dtype_of<T>);
    const auto size = static_cast<std::int64_t>(x.itemsize());
    minima::parallel_for(
        0, (count + group - 1) / group, grain_for(cost * group), [&](std::int64_t first, std::int64_t last) {
          alignas(64) std::uint32_t words[group];
          alignas(64) T values[group];
          for (std::int64_t g = first; g < last; ++g) {
            const std::int64_t begin = g * group, n = std::min(group, count - begin);
            philox_words(start.seed, start.offset + static_cast<std::uint64_t>(begin / 4), words, (n + 3) / 4);
            const char* in = static_cast<const char*>(from.raw_data()) + begin * size;
            char* out = static_cast<char*>(to.raw_data()) + begin * size;
            if (load) {
              load(values, in, n);
              keep_some(values, values, words, n, threshold, static_cast<T>(scale));
              store(out, values, n);
            } else {
              keep_some(reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), words, n, threshold,
                        static_cast<T>(scale));
            }
          }
        });
  });
  if (!to.is_same(y)) copy_kernel_cpu(to, y);
}

}  // namespace minima::detail
