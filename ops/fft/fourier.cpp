#include <minima/ops/fft/fourier.h>

#include <minima/ops/complex/complex.h>
#include <minima/ops/complex/host.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/fft/kernels/cufft.h>
#include <minima/ops/fft/kernels/fourier_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>

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

/// 1 at the numbers of a half spectrum that stand for themselves, `inner` at those that stand for two, shaped to
/// multiply along `dim`.
Tensor spectrum_weights(const Tensor& spectrum, int dim, std::int64_t n, double inner) {
  if (spectrum.numel() == 0) return ones({}, {.dtype = real_dtype(spectrum.dtype()), .device = spectrum.device()});
  Shape shape = Shape::filled(spectrum.rank(), 1);
  shape[dim] = spectrum.shape()[dim];
  std::vector<double> weights(static_cast<std::size_t>(shape[dim]), inner);
  weights.front() = 1;
  if (n % 2 == 0) weights.back() = 1;
  return from_vector(weights, shape, spectrum.device()).to(real_dtype(spectrum.dtype()));
}

struct Fourier {
  static constexpr Traits traits{.name = "fft"};
  Shape dims;
  bool inverse;
  double scale;

  TensorSpec result(const Tensor& x) const { return spec_of(x.shape(), x.dtype(), x.device()); }
  Cost cost(const Tensor& x) const {
    std::int64_t points = 1;
    for (const std::int64_t dim : dims) points *= x.shape()[static_cast<int>(dim)];
    return transform_cost(x, points, 5, x.numel() * static_cast<std::int64_t>(x.itemsize()));
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const bool in_order = dims.rank() > 0 && x.is_contiguous();
    if (!in_order) copy_values(x, y);
    for (int i = 0; i < dims.rank(); ++i)
      fourier_kernel(i == 0 && in_order ? x : y, static_cast<int>(dims[i]), inverse, i + 1 == dims.rank() ? scale : 1,
                     y);
  }
  void cuda(const Tensor& x, Tensor& y) const {
    if (!has_cufft()) return run_on_host(*this, y, x);
    fourier_cufft(x, dims, inverse, scale, y);
  }
  Tensor gradient(Grad g) const { return apply(Fourier{dims, !inverse, scale}, g); }
};

struct RealFourier {
  static constexpr Traits traits{.name = "rfft"};
  int dim;
  double scale;

  TensorSpec result(const Tensor& x) const {
    return with_length(x, dim, x.shape()[dim] / 2 + 1, complex_dtype(x.dtype()));
  }
  Cost cost(const Tensor& x) const {
    return transform_cost(x, x.shape()[dim], 2.5, x.numel() * static_cast<std::int64_t>(x.itemsize()));
  }
  void cpu(const Tensor& x, Tensor& y) const { real_fourier_kernel(contiguous(x), dim, scale, y); }
  void cuda(const Tensor& x, Tensor& y) const {
    if (!has_cufft()) return run_on_host(*this, y, x);
    real_fourier_cufft(x, dim, scale, y);
  }
  // Re Σ_k g[k]·e^{2πi·jk/n}: an inverse transform in which the inner numbers count once, not twice.
  Tensor gradient(Grad g, Spec<0> x) const {
    const std::int64_t n = x.shape()[dim];
    return inverse_real_fourier(g * spectrum_weights(g, dim, n, 0.5), dim, n, scale);
  }
};

struct InverseRealFourier {
  static constexpr Traits traits{.name = "irfft"};
  int dim;
  std::int64_t n;
  double scale;

  TensorSpec result(const Tensor& x) const { return with_length(x, dim, n, real_dtype(x.dtype())); }
  Cost cost(const Tensor& x) const {
    return transform_cost(x, n, 5, x.numel() * static_cast<std::int64_t>(x.itemsize()));
  }
  void cpu(const Tensor& x, Tensor& y) const { inverse_real_fourier_kernel(contiguous(x), dim, scale, y); }
  void cuda(const Tensor& x, Tensor& y) const {
    if (!has_cufft()) return run_on_host(*this, y, x);
    inverse_real_fourier_cufft(x, dim, scale, y);
  }
  Tensor gradient(Grad g) const {
    const Tensor spectrum = real_fourier(g, dim, scale);
    return spectrum * spectrum_weights(spectrum, dim, n, 2);
  }
};

}  // namespace

Tensor fourier(const Tensor& x, const Shape& dims, bool inverse, double scale) {
  return apply(Fourier{dims, inverse, scale}, x);
}

Tensor real_fourier(const Tensor& x, int dim, double scale) { return apply(RealFourier{dim, scale}, x); }

Tensor inverse_real_fourier(const Tensor& x, int dim, std::int64_t n, double scale) {
  return apply(InverseRealFourier{dim, n, scale}, x);
}

}  // namespace minima::detail
