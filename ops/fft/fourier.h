#pragma once

#include <minima/tensor/tensor.h>

// The three operators on which all transforms are built; each has one of the others as its gradient. Internal.

namespace minima::detail {

/// scale · Σ x[j]·e^{∓2πi·jk/n} of complex x along `dims`; the sign is + if `inverse`.
Tensor fourier(const Tensor& x, const Shape& dims, bool inverse, double scale);
/// The first n/2 + 1 numbers of the forward transform of real x along `dim`, transformed forward along `others`. Along
/// `dim`, those that stand for two, all but the first and, for an even n, the last, are multiplied by `inner` too.
Tensor real_fourier(const Tensor& x, int dim, double scale, const Shape& others = {}, double inner = 1);
/// The inverse transform along `others`, and along `dim` that of length n, of what real_fourier gives; the numbers that
/// stand for two are multiplied by `inner` first.
Tensor inverse_real_fourier(const Tensor& x, int dim, std::int64_t n, double scale, const Shape& others = {},
                            double inner = 1);

}  // namespace minima::detail
