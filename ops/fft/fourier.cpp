#include <minima/ops/fft/fourier.h>

#include <minima/ops/complex/host.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/fft/kernels/fourier_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

TensorSpec with_length(const Tensor& x, int dim, std::int64_t length, DType dtype) {
  Shape shape = x.shape();
  shape[dim] = length;
  return spec_of(shape, dtype, x.device());
}

/// The usual count: 5·n·log₂(n) for a complex transform of n points, half of it for a real one.
Cost transform_cost(const Tensor& x, std::int64_t points, double flops_per_point, std::int64_t written_bytes) {
  const auto count = static_cast<double>(x.numel());
  return {.flops = flops_per_point * count * std::log2(static_cast<double>(std::max<std::int64_t>(points, 2))),
          .bytes = count * static_cast<double>(x.itemsize()) + static_cast<double>(written_bytes)};
}

/// Numbers of a transform along a dimension with `points` numbers and `others` of x.
std::int64_t points_along(std::int64_t points, const Tensor& x, const Shape& others) {
  for (const std::int64_t dim : others) points *= x.shape()[static_cast<int>(dim)];
  return points;
}

/// A half spectrum along `dim`, whose numbers that stand for two are multiplied by `inner`.
Tensor weighted(const Tensor& spectrum, int dim, std::int64_t n, double inner) {
  if (inner == 1 || spectrum.numel() == 0) return spectrum;
  Shape shape = Shape::filled(spectrum.rank(), 1);
  shape[dim] = spectrum.shape()[dim];
  std::vector<double> weights(static_cast<std::size_t>(shape[dim]), inner);
  weights.front() = 1;
  if (n % 2 == 0) weights.back() = 1;
  return spectrum * from_vector(weights, shape, spectrum.device()).to(real_dtype(spectrum.dtype()));
}

/// f(x, y, by) for parts of x and y that stay in the cache from one transform to the next, where dimension d is d - by
/// of a part. `lowest` is the first dimension along which there is a transform; the parts are of those before it.
template <class F>
void in_parts(const Tensor& x, Tensor& y, int lowest, const F& f) {
  constexpr std::int64_t bytes_of_part = 256 * 1024, least_parts = 16;
  std::int64_t outer = 1;
  for (int d = 0; d < lowest; ++d) outer *= y.shape()[d];
  const auto bytes = std::max(x.numel() * static_cast<std::int64_t>(x.itemsize()),
                              y.numel() * static_cast<std::int64_t>(y.itemsize()));
  if (bytes == 0) return;
  const std::int64_t size = std::max<std::int64_t>(1, bytes_of_part * outer / bytes);
  if (outer < least_parts * size) return f(x, y, 0);
  const auto merged = [&](const Tensor& t) {
    Shape shape{outer};
    for (int d = lowest; d < t.rank(); ++d) shape.push_back(t.shape()[d]);
    return reshape(t, shape);
  };
  const Tensor from = merged(x), to = merged(y);
  parallel_for(0, (outer + size - 1) / size, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t start = first * size; start < std::min(last * size, outer); start += size) {
      const std::int64_t count = std::min(size, outer - start);
      Tensor part = narrow(to, 0, start, count);
      f(narrow(from, 0, start, count), part, lowest - 1);
    }
  });
}

int lowest_of(const Shape& dims, int dim) {
  std::int64_t lowest = dim;
  for (const std::int64_t other : dims) lowest = std::min(lowest, other);
  return static_cast<int>(lowest);
}

struct Fourier {
  static constexpr Traits traits{.name = "fft"};
  Shape dims;
  bool inverse;
  double scale;
  void list_attributes(AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.integer("inverse", inverse);
    visitor.number("scale", scale);
  }

  TensorSpec result(const Tensor& x) const { return spec_of(x.shape(), x.dtype(), x.device()); }
  Cost cost(const Tensor& x) const {
    return transform_cost(x, points_along(1, x, dims), 5, x.numel() * static_cast<std::int64_t>(x.itemsize()));
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const bool in_order = dims.rank() > 0 && x.is_contiguous();
    if (!in_order) copy_values(x, y);
    const Tensor& rows = in_order ? x : y;
    if (dims.rank() == 1) return fourier_kernel(rows, static_cast<int>(dims[0]), inverse, scale, y);
    in_parts(rows, y, lowest_of(dims, x.rank()), [&](const Tensor& from, Tensor& to, int by) {
      for (int i = 0; i < dims.rank(); ++i)
        fourier_kernel(i == 0 ? from : to, static_cast<int>(dims[i]) - by, inverse, i + 1 == dims.rank() ? scale : 1,
                       to);
    });
  }
  void cuda(const Tensor& x, Tensor& y) const {
    if (!has_cufft()) return run_on_host(*this, y, x);
    fourier_cufft(x, dims, inverse, scale, y);
  }
  Tensor gradient(Grad g) const { return apply(Fourier{dims, !inverse, scale}, g); }
};

void describe_half(int dim, double scale, const Shape& others, double inner, AttributeVisitor& visitor) {
  visitor.integer("dim", dim);
  visitor.number("scale", scale);
  visitor.integers("others", others);
  visitor.number("inner", inner);
}

struct RealFourier {
  static constexpr Traits traits{.name = "rfft"};
  int dim;
  double scale;
  Shape others;  ///< none on a GPU
  double inner;  ///< 1 on a GPU
  void list_attributes(AttributeVisitor& visitor) const { describe_half(dim, scale, others, inner, visitor); }

  TensorSpec result(const Tensor& x) const {
    return with_length(x, dim, x.shape()[dim] / 2 + 1, complex_dtype(x.dtype()));
  }
  Cost cost(const Tensor& x) const {
    return transform_cost(x, points_along(x.shape()[dim], x, others), 2.5,
                          x.numel() * static_cast<std::int64_t>(x.itemsize()));
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const Tensor rows = contiguous(x);
    if (others.rank() == 0) return real_fourier_kernel(rows, dim, scale, inner, y);
    in_parts(rows, y, lowest_of(others, dim), [&](const Tensor& from, Tensor& to, int by) {
      real_fourier_kernel(from, dim - by, scale, inner, to);
      for (const std::int64_t other : others) fourier_kernel(to, static_cast<int>(other) - by, false, 1, to);
    });
  }
  void cuda(const Tensor& x, Tensor& y) const {
    if (!has_cufft()) return run_on_host(*this, y, x);
    real_fourier_cufft(x, dim, scale, y);
  }
  // Re Σ_k g[k]·e^{2πi·jk/n}: an inverse transform in which the inner numbers count once, not twice.
  Tensor gradient(Grad g, Spec<0> x) const {
    return inverse_real_fourier(g, dim, x.shape()[dim], scale, others, inner / 2);
  }
};

struct InverseRealFourier {
  static constexpr Traits traits{.name = "irfft"};
  int dim;
  std::int64_t n;
  double scale;
  Shape others;  ///< none on a GPU
  double inner;  ///< 1 on a GPU
  void list_attributes(AttributeVisitor& visitor) const { describe_half(dim, scale, others, inner, visitor); }

  TensorSpec result(const Tensor& x) const { return with_length(x, dim, n, real_dtype(x.dtype())); }
  Cost cost(const Tensor& x) const {
    return transform_cost(x, points_along(n, x, others), 5, x.numel() * static_cast<std::int64_t>(x.itemsize()));
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const Tensor rows = contiguous(x);
    if (others.rank() == 0) return inverse_real_fourier_kernel(rows, dim, scale, inner, y);
    in_parts(rows, y, lowest_of(others, dim), [&](const Tensor& from, Tensor& to, int by) {
      const Tensor half = empty(from.shape(), {.dtype = from.dtype()});
      for (int i = 0; i < others.rank(); ++i)
        fourier_kernel(i == 0 ? from : half, static_cast<int>(others[i]) - by, true, 1, half);
      inverse_real_fourier_kernel(half, dim - by, scale, inner, to);
    });
  }
  void cuda(const Tensor& x, Tensor& y) const {
    if (!has_cufft()) return run_on_host(*this, y, x);
    inverse_real_fourier_cufft(x, dim, scale, y);
  }
  Tensor gradient(Grad g) const { return real_fourier(g, dim, scale, others, 2 * inner); }
};

}  // namespace

Tensor fourier(const Tensor& x, const Shape& dims, bool inverse, double scale) {
  return apply(Fourier{dims, inverse, scale}, x);
}

Tensor real_fourier(const Tensor& x, int dim, double scale, const Shape& others, double inner) {
  if (x.device().is_cpu()) return apply(RealFourier{dim, scale, others, inner}, x);
  const Tensor half = apply(RealFourier{dim, scale, {}, 1}, x);
  const Tensor y = others.rank() == 0 ? half : fourier(half, others, false, 1);
  return weighted(y, dim, x.shape()[dim], inner);
}

Tensor inverse_real_fourier(const Tensor& x, int dim, std::int64_t n, double scale, const Shape& others, double inner) {
  if (x.device().is_cpu()) return apply(InverseRealFourier{dim, n, scale, others, inner}, x);
  const Tensor whole = weighted(x, dim, n, inner);
  const Tensor half = others.rank() == 0 ? whole : fourier(whole, others, true, 1);
  return apply(InverseRealFourier{dim, n, scale, {}, 1}, half);
}

}  // namespace minima::detail
