#pragma once

#include <minima/tensor/tensor.h>

// FFTs along one dimension of row-major tensors on the CPU, in parallel over lines. A sum is multiplied by `scale`.

namespace minima::detail {

/// y = Σ_j x[j]·e^{∓2πi·jk/n} along `dim`; the sign is + if `inverse`. y may be x.
void fourier_kernel(const Tensor& x, int dim, bool inverse, double scale, const Tensor& y);
/// The first n/2 + 1 numbers of the transform of real lines of length n. Those that stand for two, all but the first
/// and, for an even n, the last, are multiplied by `inner` too.
void real_fourier_kernel(const Tensor& x, int dim, double scale, double inner, Tensor& y);
/// Real lines of y's length n from the first n/2 + 1 numbers of their transforms. The imaginary parts of those that
/// are real, the first and, for an even n, the last, are ignored; the other numbers are multiplied by `inner` first.
void inverse_real_fourier_kernel(const Tensor& x, int dim, double scale, double inner, Tensor& y);

}  // namespace minima::detail
