#pragma once

#include <minima/tensor/tensor.h>

// Elementwise bitwise operations on integers and bool, with broadcasting and type promotion. On bool, which comparisons
// return, they are the logical operations. No gradients.
//
//   Tensor inside = (x > 0) & (x < 1);
//   mask &= ~padding;

namespace minima {

/// a and b
MINIMA_API Tensor bitwise_and(const Tensor& a, const Tensor& b);
/// a or b
MINIMA_API Tensor bitwise_or(const Tensor& a, const Tensor& b);
/// a xor b; for bool a ≠ b.
MINIMA_API Tensor bitwise_xor(const Tensor& a, const Tensor& b);
/// Inverts every bit: -x - 1 for signed integers, the logical not for bool.
MINIMA_API Tensor bitwise_not(const Tensor& x);

/// a·2ᵇ without what overflows, for integers; 0 unless 0 ≤ b < the number of bits.
MINIMA_API Tensor bitwise_left_shift(const Tensor& a, const Tensor& b);
/// ⌊a / 2ᵇ⌋ for integers; unless 0 ≤ b < the number of bits, -1 for a negative a and else 0.
MINIMA_API Tensor bitwise_right_shift(const Tensor& a, const Tensor& b);

MINIMA_API Tensor bitwise_and(const Tensor& a, Scalar b);
MINIMA_API Tensor bitwise_or(const Tensor& a, Scalar b);
MINIMA_API Tensor bitwise_xor(const Tensor& a, Scalar b);

// In place; also as x &= y and so on. The result must have x's shape and dtype.
MINIMA_API const Tensor& bitwise_and_(const Tensor& x, const Tensor& y);
MINIMA_API const Tensor& bitwise_or_(const Tensor& x, const Tensor& y);
MINIMA_API const Tensor& bitwise_xor_(const Tensor& x, const Tensor& y);
MINIMA_API const Tensor& bitwise_and_(const Tensor& x, Scalar y);
MINIMA_API const Tensor& bitwise_or_(const Tensor& x, Scalar y);
MINIMA_API const Tensor& bitwise_xor_(const Tensor& x, Scalar y);

inline Tensor operator&(const Tensor& a, const Tensor& b) { return bitwise_and(a, b); }
inline Tensor operator|(const Tensor& a, const Tensor& b) { return bitwise_or(a, b); }
inline Tensor operator^(const Tensor& a, const Tensor& b) { return bitwise_xor(a, b); }
inline Tensor operator~(const Tensor& x) { return bitwise_not(x); }
inline Tensor operator&(const Tensor& a, Scalar b) { return bitwise_and(a, b); }
inline Tensor operator|(const Tensor& a, Scalar b) { return bitwise_or(a, b); }
inline Tensor operator^(const Tensor& a, Scalar b) { return bitwise_xor(a, b); }
inline Tensor operator&(Scalar a, const Tensor& b) { return bitwise_and(b, a); }
inline Tensor operator|(Scalar a, const Tensor& b) { return bitwise_or(b, a); }
inline Tensor operator^(Scalar a, const Tensor& b) { return bitwise_xor(b, a); }
inline const Tensor& operator&=(const Tensor& x, const Tensor& y) { return bitwise_and_(x, y), x; }
inline const Tensor& operator|=(const Tensor& x, const Tensor& y) { return bitwise_or_(x, y), x; }
inline const Tensor& operator^=(const Tensor& x, const Tensor& y) { return bitwise_xor_(x, y), x; }
inline const Tensor& operator&=(const Tensor& x, Scalar y) { return bitwise_and_(x, y), x; }
inline const Tensor& operator|=(const Tensor& x, Scalar y) { return bitwise_or_(x, y), x; }
inline const Tensor& operator^=(const Tensor& x, Scalar y) { return bitwise_xor_(x, y), x; }

}  // namespace minima
