#include <minima/ops/arrange/arrange.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <cstdint>

namespace minima::fft {

namespace {

Tensor shifted(const char* op, const Tensor& x, const Shape& dims, bool back) {
  detail::check_defined(op, x);
  const bool by_parts = is_complex(x) && !x.device().is_cpu();  // GPUs have no loop for elements of 16 bytes
  Tensor y = by_parts ? view_as_real(x) : x;
  for (const std::int64_t dim : wrap_dims(dims, x.rank(), op)) {
    const std::int64_t size = x.shape()[static_cast<int>(dim)];
    y = roll(y, back ? (size + 1) / 2 : size / 2, dim);
  }
  return by_parts ? view_as_complex(y) : y;
}

Tensor frequencies(const char* op, std::int64_t n, double d, bool half, TensorOptions options) {
  if (n < 1) throw ValueError(str(op, ": n must be at least 1, got ", n));
  if (!is_floating(options.dtype)) throw DTypeError(str(op, ": needs a floating dtype, got ", options.dtype));
  Tensor whole = arange(0, half ? n / 2 + 1 : n, 1, {.dtype = options.dtype, .device = options.device});
  if (!half)
    whole = roll(arange(-(n / 2), n - n / 2, 1, {.dtype = options.dtype, .device = options.device}), (n + 1) / 2, 0);
  return whole * (1 / (d * static_cast<double>(n)));
}

}  // namespace

Tensor fftshift(const Tensor& x, const Shape& dims) { return shifted("fftshift", x, dims, false); }
Tensor ifftshift(const Tensor& x, const Shape& dims) { return shifted("ifftshift", x, dims, true); }

Tensor fftfreq(std::int64_t n, double d, TensorOptions options) { return frequencies("fftfreq", n, d, false, options); }
Tensor rfftfreq(std::int64_t n, double d, TensorOptions options) {
  return frequencies("rfftfreq", n, d, true, options);
}

}  // namespace minima::fft
