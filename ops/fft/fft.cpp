#include <minima/ops/fft/fft.h>

#include <minima/ops/complex/complex.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/fft/fourier.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/flip.h>
#include <minima/ops/view/pad.h>

#include <cmath>
#include <cstdint>

namespace minima::fft {

namespace {

/// The dimensions of a transform and its lengths along them, checked.
struct Lengths {
  Shape dims;
  Shape n;
};

double scale_of(const Shape& n, Norm norm, bool inverse) {
  double points = 1;
  for (const std::int64_t length : n) points *= static_cast<double>(length);
  if (norm == Norm::ortho) return 1 / std::sqrt(points);
  return (norm == Norm::backward) == inverse ? 1 / points : 1;
}

void check_dtype(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (is_half(x.dtype()))
    throw DTypeError(str(op, ": needs float32, float64, complex or integers, got ", x, "; convert it with to()"));
}

/// x as float32 or float64.
Tensor as_real(const char* op, const Tensor& x) {
  check_dtype(op, x);
  if (is_complex(x)) throw DTypeError(str(op, ": needs a real x, got ", x, "; take fft or real(x)"));
  return is_floating(x.dtype()) ? x : cast(x, float32);
}

Tensor as_complex(const char* op, const Tensor& x) {
  check_dtype(op, x);
  return cast(x, complex_dtype(x.dtype()));
}

void check_length(const char* op, const Tensor& x, std::int64_t dim, std::int64_t n) {
  if (n < 1)
    throw ShapeError(str(op, ": a transform needs at least 1 point, got n = ", n, " along dimension ", dim, " of ", x));
}

Lengths lengths_of(const char* op, const Tensor& x, const LineOptions& options) {
  if (x.rank() == 0) throw ShapeError(str(op, ": needs at least one dimension, got ", x));
  const int dim = wrap_dim(options.dim, x.rank(), op);
  const std::int64_t n = options.n.value_or(x.shape()[dim]);
  return {{dim}, {n}};
}

Lengths lengths_of(const char* op, const Tensor& x, const ManyOptions& options) {
  Lengths lengths;
  if (options.dims) {
    for (const std::int64_t dim : *options.dims) {
      lengths.dims.push_back(wrap_dim(dim, x.rank(), op));
      for (int i = 0; i + 1 < lengths.dims.rank(); ++i)
        if (lengths.dims[i] == lengths.dims.back())
          throw IndexError(str(op, ": dimension ", dim, " appears twice in dims = ", *options.dims));
    }
  } else {
    const int count = options.s ? options.s->rank() : x.rank();
    if (count > x.rank()) throw ShapeError(str(op, ": s = ", *options.s, " has more sizes than x has dimensions: ", x));
    for (int d = x.rank() - count; d < x.rank(); ++d) lengths.dims.push_back(d);
  }
  if (options.s && options.s->rank() != lengths.dims.rank())
    throw ShapeError(str(op, ": s = ", *options.s, " and dims = ", *options.dims, " must be of equal length"));
  for (int i = 0; i < lengths.dims.rank(); ++i) {
    const std::int64_t own = x.shape()[static_cast<int>(lengths.dims[i])], n = options.s ? (*options.s)[i] : own;
    lengths.n.push_back(n == -1 ? own : n);
  }
  return lengths;
}

/// x cut, or padded with zeros, to these lengths.
Tensor resized(const char* op, const Tensor& x, const Shape& dims, const Shape& n) {
  Shape amounts = Shape::filled(2 * x.rank(), 0);  // from the last dimension to the first
  bool changes = false;
  for (int i = 0; i < dims.rank(); ++i) {
    const int dim = static_cast<int>(dims[i]);
    check_length(op, x, dim, n[i]);
    const std::int64_t more = n[i] - x.shape()[dim];
    amounts[2 * (x.rank() - 1 - dim) + 1] = more;
    changes = changes || more != 0;
  }
  if (!changes) return x;
  if (x.device().is_cpu() || !is_complex(x)) return pad(x, amounts);
  amounts.insert(0, 0);  // GPUs have no loop for elements of 16 bytes: the parts are two more columns
  amounts.insert(0, 0);
  return view_as_complex(pad(view_as_real(x), amounts));
}

Tensor both_ways(const char* op, const Tensor& x, const Lengths& lengths, bool inverse, Norm norm) {
  Tensor line = resized(op, x, lengths.dims, lengths.n);
  if (lengths.dims.rank() == 0) return line;
  return detail::fourier(line, lengths.dims, inverse, scale_of(lengths.n, norm, inverse));
}

void expect_dims(const char* op, const Lengths& lengths) {
  if (lengths.dims.rank() == 0) throw ShapeError(str(op, ": needs at least one dimension to transform"));
}

/// The transform along the last of the dimensions gives half a spectrum; `inverse` is that of the whole.
Tensor to_half(const char* op, const Tensor& x, const Lengths& lengths, bool inverse, Norm norm) {
  expect_dims(op, lengths);
  const Tensor line = resized(op, x, lengths.dims, lengths.n);
  const double scale = scale_of(lengths.n, norm, inverse);
  Shape others = lengths.dims;
  others.resize(others.rank() - 1);
  const Tensor half = detail::real_fourier(line, static_cast<int>(lengths.dims.back()), scale, others);
  return inverse ? conj(half) : half;  // the inverse transform of real x is the conjugate of the forward one
}

/// The reverse. The default length along the last dimension is even.
Tensor from_half(const char* op, const Tensor& x, Lengths lengths, bool known, bool inverse, Norm norm) {
  expect_dims(op, lengths);
  const int last = static_cast<int>(lengths.dims.back());
  if (!known) lengths.n[lengths.n.rank() - 1] = 2 * (x.shape()[last] - 1);
  const std::int64_t n = lengths.n.back();
  check_length(op, x, last, n);
  Shape sizes = lengths.n, others = lengths.dims;
  sizes[sizes.rank() - 1] = n / 2 + 1;
  others.resize(others.rank() - 1);
  const Tensor line = resized(op, x, lengths.dims, sizes);
  return detail::inverse_real_fourier(inverse ? line : conj(line), last, n, scale_of(lengths.n, norm, inverse), others);
}

bool is_last_known(const LineOptions& options) { return options.n.has_value(); }
bool is_last_known(const ManyOptions& options) { return options.s && options.s->rank() > 0 && options.s->back() != -1; }

ManyOptions many(const PlaneOptions& options) { return {.s = options.s, .dims = options.dims, .norm = options.norm}; }

template <class Any>
Tensor any_whole(const char* op, const Tensor& x, const Any& options, bool inverse) {
  const Tensor line = as_complex(op, x);
  return both_ways(op, line, lengths_of(op, x, options), inverse, options.norm);
}

template <class Any>
Tensor any_to_half(const char* op, const Tensor& x, const Any& options, bool inverse) {
  const Tensor line = as_real(op, x);
  return to_half(op, line, lengths_of(op, x, options), inverse, options.norm);
}

template <class Any>
Tensor any_from_half(const char* op, const Tensor& x, const Any& options, bool inverse) {
  const Tensor line = as_complex(op, x);
  return from_half(op, line, lengths_of(op, x, options), is_last_known(options), inverse, options.norm);
}

}  // namespace

Tensor fft(const Tensor& x, const LineOptions& options) { return any_whole("fft", x, options, false); }
Tensor ifft(const Tensor& x, const LineOptions& options) { return any_whole("ifft", x, options, true); }
Tensor rfft(const Tensor& x, const LineOptions& options) { return any_to_half("rfft", x, options, false); }
Tensor irfft(const Tensor& x, const LineOptions& options) { return any_from_half("irfft", x, options, true); }
Tensor hfft(const Tensor& x, const LineOptions& options) { return any_from_half("hfft", x, options, false); }
Tensor ihfft(const Tensor& x, const LineOptions& options) { return any_to_half("ihfft", x, options, true); }

Tensor fftn(const Tensor& x, const ManyOptions& options) { return any_whole("fftn", x, options, false); }
Tensor ifftn(const Tensor& x, const ManyOptions& options) { return any_whole("ifftn", x, options, true); }
Tensor rfftn(const Tensor& x, const ManyOptions& options) { return any_to_half("rfftn", x, options, false); }
Tensor irfftn(const Tensor& x, const ManyOptions& options) { return any_from_half("irfftn", x, options, true); }
Tensor hfftn(const Tensor& x, const ManyOptions& options) { return any_from_half("hfftn", x, options, false); }
Tensor ihfftn(const Tensor& x, const ManyOptions& options) { return any_to_half("ihfftn", x, options, true); }

Tensor fft2(const Tensor& x, const PlaneOptions& options) { return any_whole("fft2", x, many(options), false); }
Tensor ifft2(const Tensor& x, const PlaneOptions& options) { return any_whole("ifft2", x, many(options), true); }
Tensor rfft2(const Tensor& x, const PlaneOptions& options) { return any_to_half("rfft2", x, many(options), false); }
Tensor irfft2(const Tensor& x, const PlaneOptions& options) { return any_from_half("irfft2", x, many(options), true); }
Tensor hfft2(const Tensor& x, const PlaneOptions& options) { return any_from_half("hfft2", x, many(options), false); }
Tensor ihfft2(const Tensor& x, const PlaneOptions& options) { return any_to_half("ihfft2", x, many(options), true); }

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
