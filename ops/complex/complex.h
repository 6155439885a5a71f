#pragma once

#include <minima/tensor/tensor.h>

// Complex tensors: complex64 is two float32, complex128 two float64. Included on its own, not by minima.h.
//
// Copies, views, printing and these operators take complex tensors: add, sub, mul, div, neg, abs, square, reciprocal,
// eq, ne, where, fill_, exp, log, sqrt, sin, cos, tanh, sigmoid, pow, sum, mean, matmul, cat, pad, roll and the
// functions below and in ops/fft/. So does what is made of these. Others throw DTypeError; view_as_real gives them real
// numbers. A real operand of a complex operator is converted to the complex dtype of the result.
//
// Gradients follow PyTorch's convention: that of a real loss L by z = x + i·y is ∂L/∂x + i·∂L/∂y, so gradient descent
// is z - lr · grad. `backward()` without a gradient needs a real loss. A real input gets the real part. Differentiable
// to any order.
//
// On a GPU, copies, casts, sums, products and what is built on them run there; functions such as exp and FFTs copy
// their inputs to the CPU and the result back, which synchronises: such a call cannot be captured. There, pad, roll and
// index_put take complex64 but not complex128.

namespace minima {

/// Whether x is complex64 or complex128.
inline bool is_complex(const Tensor& x) { return is_complex(x.dtype()); }

/// re + i·im. Both have float32 or both float64; shapes broadcast.
///   Tensor z = complex(randn({3}), randn({3}));   // complex64 [3]
MINIMA_API Tensor complex(const Tensor& re, const Tensor& im);
/// abs · (cos(angle) + i·sin(angle)), both float32 or both float64; shapes broadcast.
MINIMA_API Tensor polar(const Tensor& abs, const Tensor& angle);
/// The real part; a real x itself. A view.
MINIMA_API Tensor real(const Tensor& x);
/// The imaginary part of a complex x. A view.
MINIMA_API Tensor imag(const Tensor& x);
/// The complex conjugate; a real x itself.
MINIMA_API Tensor conj(const Tensor& x);
/// The angle in (-π, π], its gradient 0 at 0; of a real x, 0 or π.
MINIMA_API Tensor angle(const Tensor& x);
/// x / |x|, and 0 where x is 0; of a real x its sign.
MINIMA_API Tensor sgn(const Tensor& x);
/// Complex [...] as real [..., 2]: real and imaginary parts. A view.
MINIMA_API Tensor view_as_real(const Tensor& x);
/// The reverse, from float32 or float64. A view, so the pairs must be adjacent and begin at even offsets; throws
/// ValueError where contiguous() would have to move them first.
MINIMA_API Tensor view_as_complex(const Tensor& x);

}  // namespace minima
