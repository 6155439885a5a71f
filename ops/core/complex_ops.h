#pragma once

#include <minima/tensor/tensor.h>

// The complex forms of public operators. ops/complex/ defines them; the operators' own sources, which that folder
// includes, call them when an input is complex. Real inputs are converted to the complex dtype of the result.

namespace minima {

namespace detail {

inline bool any_complex(const Tensor& x) { return x.defined() && is_complex(x.dtype()); }
inline bool any_complex(const Tensor& a, const Tensor& b) { return any_complex(a) || any_complex(b); }

}  // namespace detail

namespace complex_ops {

Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor add(const Tensor& a, Scalar b);
Tensor mul(const Tensor& a, Scalar b);
Tensor neg(const Tensor& x);
Tensor abs(const Tensor& x);
Tensor reciprocal(const Tensor& x);
Tensor square(const Tensor& x);
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor eq(const Tensor& a, const Tensor& b);
Tensor ne(const Tensor& a, const Tensor& b);

void add_(const Tensor& x, const Tensor& y);
void sub_(const Tensor& x, const Tensor& y);
void mul_(const Tensor& x, const Tensor& y);
void div_(const Tensor& x, const Tensor& y);
void fill_(const Tensor& x, Scalar value);

Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor pow(const Tensor& x, const Tensor& y);

/// `dims` are sorted.
Tensor sum(const Tensor& x, const Shape& dims, bool keep_dim);
Tensor mean(const Tensor& x, const Shape& dims, bool keep_dim);
Tensor matmul(const Tensor& a, const Tensor& b);

/// A number as a complex tensor of rank 0, for an operator on x.
Tensor number(const Tensor& x, Scalar value);

}  // namespace complex_ops

}  // namespace minima
