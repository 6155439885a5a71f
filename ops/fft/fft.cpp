#include <minima/ops/fft/fft.h>

#include <minima/ops/arrange/arrange.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/fft/fourier.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

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

Lengths lengths_of(const char* op, const Tensor& x, const Options& options) {
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
  return changes ? pad(x, amounts) : x;
}

Tensor both_ways(const char* op, const Tensor& x, const Lengths& lengths, bool inverse, Norm norm) {
  const Tensor line = resized(op, x, lengths.dims, lengths.n);
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
  const Tensor half = detail::real_fourier(line, static_cast<int>(lengths.dims.back()), scale);
  const Tensor turned = inverse ? conj(half) : half;
  return others.rank() == 0 ? turned : detail::fourier(turned, others, inverse, 1);
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
  Tensor line = resized(op, x, lengths.dims, sizes);
  if (others.rank() > 0) line = detail::fourier(line, others, inverse, 1);
  return detail::inverse_real_fourier(inverse ? line : conj(line), last, n, scale_of(lengths.n, norm, inverse));
}

bool is_last_known(const ManyOptions& options) { return options.s && options.s->rank() > 0 && options.s->back() != -1; }

ManyOptions many(const PlaneOptions& options) { return {.s = options.s, .dims = options.dims, .norm = options.norm}; }

/// fft2 and its like name themselves in errors about shapes.
const Tensor& plane(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (x.rank() < 2) throw ShapeError(str(op, ": needs at least two dimensions, got ", x));
  return x;
}

}  // namespace

Tensor fft(const Tensor& x, const Options& options) {
  const Tensor line = as_complex("fft", x);
  return both_ways("fft", line, lengths_of("fft", x, options), false, options.norm);
}

Tensor ifft(const Tensor& x, const Options& options) {
  const Tensor line = as_complex("ifft", x);
  return both_ways("ifft", line, lengths_of("ifft", x, options), true, options.norm);
}

Tensor rfft(const Tensor& x, const Options& options) {
  const Tensor line = as_real("rfft", x);
  return to_half("rfft", line, lengths_of("rfft", x, options), false, options.norm);
}

Tensor irfft(const Tensor& x, const Options& options) {
  const Tensor line = as_complex("irfft", x);
  return from_half("irfft", line, lengths_of("irfft", x, options), options.n.has_value(), true, options.norm);
}

Tensor hfft(const Tensor& x, const Options& options) {
  const Tensor line = as_complex("hfft", x);
  return from_half("hfft", line, lengths_of("hfft", x, options), options.n.has_value(), false, options.norm);
}

Tensor ihfft(const Tensor& x, const Options& options) {
  const Tensor line = as_real("ihfft", x);
  return to_half("ihfft", line, lengths_of("ihfft", x, options), true, options.norm);
}

Tensor fftn(const Tensor& x, const ManyOptions& options) {
  const Tensor line = as_complex("fftn", x);
  return both_ways("fftn", line, lengths_of("fftn", x, options), false, options.norm);
}

Tensor ifftn(const Tensor& x, const ManyOptions& options) {
  const Tensor line = as_complex("ifftn", x);
  return both_ways("ifftn", line, lengths_of("ifftn", x, options), true, options.norm);
}

Tensor rfftn(const Tensor& x, const ManyOptions& options) {
  const Tensor line = as_real("rfftn", x);
  return to_half("rfftn", line, lengths_of("rfftn", x, options), false, options.norm);
}

Tensor irfftn(const Tensor& x, const ManyOptions& options) {
  const Tensor line = as_complex("irfftn", x);
  return from_half("irfftn", line, lengths_of("irfftn", x, options), is_last_known(options), true, options.norm);
}

Tensor hfftn(const Tensor& x, const ManyOptions& options) {
  const Tensor line = as_complex("hfftn", x);
  return from_half("hfftn", line, lengths_of("hfftn", x, options), is_last_known(options), false, options.norm);
}

Tensor ihfftn(const Tensor& x, const ManyOptions& options) {
  const Tensor line = as_real("ihfftn", x);
  return to_half("ihfftn", line, lengths_of("ihfftn", x, options), true, options.norm);
}

Tensor fft2(const Tensor& x, const PlaneOptions& options) { return fftn(plane("fft2", x), many(options)); }
Tensor ifft2(const Tensor& x, const PlaneOptions& options) { return ifftn(plane("ifft2", x), many(options)); }
Tensor rfft2(const Tensor& x, const PlaneOptions& options) { return rfftn(plane("rfft2", x), many(options)); }
Tensor irfft2(const Tensor& x, const PlaneOptions& options) { return irfftn(plane("irfft2", x), many(options)); }
Tensor hfft2(const Tensor& x, const PlaneOptions& options) { return hfftn(plane("hfft2", x), many(options)); }
Tensor ihfft2(const Tensor& x, const PlaneOptions& options) { return ihfftn(plane("ihfft2", x), many(options)); }

}  // namespace minima::fft
