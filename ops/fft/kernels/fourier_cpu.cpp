#include <minima/ops/fft/kernels/fourier_kernels.h>

#include <minima/ops/fft/kernels/plan.h>
#include <minima/tensor/base/complex.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace minima::detail {

namespace {

using fourier::Lines;
using fourier::Plan;

/// The lines of a row-major tensor [outer, length, inner].
struct LineSet {
  std::int64_t outer = 1, length = 1, inner = 1;

  LineSet(const Tensor& x, int dim) : length(x.shape()[dim]) {
    for (int d = 0; d < x.rank(); ++d) (d < dim ? outer : d > dim ? inner : length) *= d == dim ? 1 : x.shape()[d];
  }
  std::int64_t count() const { return outer * inner; }
  /// Where line `i` begins; its elements are `inner` apart.
  std::int64_t start(std::int64_t i) const { return i / inner * length * inner + i % inner; }
};

/// Calls f(first line, number of lines, buffers) for groups of at most `most` lines side by side.
template <class T, class F>
void for_groups(const Plan<T>& plan, std::int64_t count, F&& f) {
  // The four buffers of a group stay in the L2 cache.
  constexpr std::int64_t bytes = 512 * 1024, widest = 16;
  const std::int64_t room = plan.room();
  const std::int64_t most =
      std::clamp<std::int64_t>(bytes / (4 * room * static_cast<std::int64_t>(sizeof(T))), 1, widest);
  const std::int64_t groups = (count + most - 1) / most;
  const double per_group = 0.5 * static_cast<double>(room * most) * std::log2(static_cast<double>(room) + 1);
  const auto grain = std::max<std::int64_t>(1, static_cast<std::int64_t>(20000 / per_group));
  parallel_for(0, groups, grain, [&](std::int64_t begin, std::int64_t end) {
    const std::unique_ptr<T[]> memory(new T[static_cast<std::size_t>(4 * room * most)]);
    for (std::int64_t group = begin; group < end; ++group) {
      const std::int64_t first = group * most, lanes = std::min(most, count - first), part = room * lanes;
      f(first, Lines<T>{memory.get(), memory.get() + part, memory.get() + 2 * part, memory.get() + 3 * part, lanes});
    }
  });
}

template <class T>
void flip(Lines<T>& lines) {
  std::swap(lines.re, lines.im);
  std::swap(lines.free_re, lines.free_im);
}

template <class T>
void transform(const Tensor& x, int dim, bool inverse, T scale) {
  const LineSet set(x, dim);
  const auto plan = Plan<T>::of(set.length);
  auto* const data = x.data<Complex<T>>();
  for_groups(*plan, set.count(), [&](std::int64_t first, Lines<T> lines) {
    for (std::int64_t l = 0; l < lines.lanes; ++l) {
      const Complex<T>* const line = data + set.start(first + l);
      for (std::int64_t k = 0; k < set.length; ++k) {
        lines.re[k * lines.lanes + l] = line[k * set.inner].re;
        lines.im[k * lines.lanes + l] = line[k * set.inner].im;
      }
    }
    if (inverse) flip(lines);
    plan->run(lines);
    if (inverse) flip(lines);
    for (std::int64_t l = 0; l < lines.lanes; ++l) {
      Complex<T>* const line = data + set.start(first + l);
      for (std::int64_t k = 0; k < set.length; ++k)
        line[k * set.inner] = {lines.re[k * lines.lanes + l] * scale, lines.im[k * lines.lanes + l] * scale};
    }
  });
}

/// Two real lines a and b are one complex line a + ib, whose transform is A + iB.
template <class T>
void transform_real(const Tensor& x, int dim, T scale, const Tensor& y) {
  const LineSet from(x, dim), to(y, dim);
  const auto plan = Plan<T>::of(from.length);
  const T* const in = x.data<T>();
  auto* const out = y.data<Complex<T>>();
  const std::int64_t n = from.length, count = from.count();
  for_groups(*plan, (count + 1) / 2, [&](std::int64_t first, Lines<T> lines) {
    const std::int64_t lanes = lines.lanes;
    for (std::int64_t l = 0; l < lanes; ++l)
      for (const int half : {0, 1}) {
        T* const parts = half == 0 ? lines.re : lines.im;
        const std::int64_t i = 2 * (first + l) + half;
        const T* const line = i < count ? in + from.start(i) : nullptr;
        for (std::int64_t k = 0; k < n; ++k) parts[k * lanes + l] = line ? line[k * from.inner] : T(0);
      }
    plan->run(lines);
    const T factor = scale / 2;
    for (std::int64_t l = 0; l < lanes; ++l) {
      const std::int64_t i = 2 * (first + l);
      Complex<T>* const a = out + to.start(i);
      Complex<T>* const b = i + 1 < count ? out + to.start(i + 1) : nullptr;
      for (std::int64_t k = 0; k < to.length; ++k) {
        const std::int64_t up = k * lanes + l, down = (k == 0 ? 0 : n - k) * lanes + l;
        const T re = lines.re[up], im = lines.im[up], other_re = lines.re[down], other_im = lines.im[down];
        a[k * to.inner] = {(re + other_re) * factor, (im - other_im) * factor};
        if (b) b[k * to.inner] = {(im + other_im) * factor, (other_re - re) * factor};
      }
    }
  });
}

template <class T>
void transform_to_real(const Tensor& x, int dim, T scale, const Tensor& y) {
  const LineSet from(x, dim), to(y, dim);
  const auto plan = Plan<T>::of(to.length);
  const auto* const in = x.data<Complex<T>>();
  T* const out = y.data<T>();
  const std::int64_t n = to.length, count = to.count();
  for_groups(*plan, (count + 1) / 2, [&](std::int64_t first, Lines<T> lines) {
    const std::int64_t lanes = lines.lanes;
    for (std::int64_t l = 0; l < lanes; ++l) {
      const std::int64_t i = 2 * (first + l);
      const Complex<T>* const a = in + from.start(i);
      const Complex<T>* const b = i + 1 < count ? in + from.start(i + 1) : nullptr;
      for (std::int64_t k = 0; k < from.length; ++k) {
        Complex<T> p = a[k * from.inner], q = b ? b[k * from.inner] : Complex<T>();
        if (k == 0 || 2 * k == n) p.im = q.im = 0;
        const std::int64_t up = k * lanes + l, down = (k == 0 ? 0 : n - k) * lanes + l;
        lines.re[down] = p.re + q.im;
        lines.im[down] = q.re - p.im;
        lines.re[up] = p.re - q.im;
        lines.im[up] = q.re + p.im;
      }
    }
    flip(lines);
    plan->run(lines);
    flip(lines);
    for (std::int64_t l = 0; l < lanes; ++l)
      for (const int half : {0, 1}) {
        const std::int64_t i = 2 * (first + l) + half;
        if (i >= count) continue;
        const T* const parts = half == 0 ? lines.re : lines.im;
        T* const line = out + to.start(i);
        for (std::int64_t k = 0; k < n; ++k) line[k * to.inner] = parts[k * lanes + l] * scale;
      }
  });
}

}  // namespace

void fourier_kernel(const Tensor& x, int dim, bool inverse, double scale) {
  if (x.numel() == 0) return;
  if (x.dtype() == complex64) transform<float>(x, dim, inverse, static_cast<float>(scale));
  else transform<double>(x, dim, inverse, scale);
}

void real_fourier_kernel(const Tensor& x, int dim, double scale, Tensor& y) {
  if (y.numel() == 0) return;
  if (x.dtype() == float32) transform_real<float>(x, dim, static_cast<float>(scale), y);
  else transform_real<double>(x, dim, scale, y);
}

void inverse_real_fourier_kernel(const Tensor& x, int dim, double scale, Tensor& y) {
  if (y.numel() == 0) return;
  if (x.dtype() == complex64) transform_to_real<float>(x, dim, static_cast<float>(scale), y);
  else transform_to_real<double>(x, dim, scale, y);
}

}  // namespace minima::detail
