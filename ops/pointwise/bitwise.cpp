#include <minima/ops/pointwise/bitwise.h>

#include <minima/ops/loops/scalars.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/functors/bitwise.h>

#include <cstdint>

namespace minima {

namespace functor = pointwise::functor;

namespace {

struct BitAnd : Binary<BitAnd, functor::BitAnd, bits> {
  static constexpr Traits traits{.name = "bitwise_and"};
};
struct BitOr : Binary<BitOr, functor::BitOr, bits> {
  static constexpr Traits traits{.name = "bitwise_or"};
};
struct BitXor : Binary<BitXor, functor::BitXor, bits> {
  static constexpr Traits traits{.name = "bitwise_xor"};
};
struct BitNot : Unary<BitNot, functor::BitNot, bits> {
  static constexpr Traits traits{.name = "bitwise_not"};
};
struct ShiftLeft : Binary<ShiftLeft, functor::ShiftLeft, integers> {
  static constexpr Traits traits{.name = "bitwise_left_shift"};
};
struct ShiftRight : Binary<ShiftRight, functor::ShiftRight, integers> {
  static constexpr Traits traits{.name = "bitwise_right_shift"};
};

/// For uint8 tensors, a negative number such as ~1 is reduced to its lowest eight bits.
template <class Op>
Tensor number(Op, Scalar value, const Tensor& x) {
  const bool is_byte = x.defined() && x.dtype() == DType::uint8 && !value.is_floating();
  const auto whole = is_byte ? value.to<std::int64_t>() : 0;
  return detail::scalar_operand(Op::traits.name, whole < 0 && whole >= -256 ? Scalar(whole & 255) : value, x);
}

}  // namespace

Tensor bitwise_and(const Tensor& a, const Tensor& b) { return apply(BitAnd{}, a, b); }
Tensor bitwise_or(const Tensor& a, const Tensor& b) { return apply(BitOr{}, a, b); }
Tensor bitwise_xor(const Tensor& a, const Tensor& b) { return apply(BitXor{}, a, b); }
Tensor bitwise_not(const Tensor& x) { return apply(BitNot{}, x); }
Tensor bitwise_left_shift(const Tensor& a, const Tensor& b) { return apply(ShiftLeft{}, a, b); }
Tensor bitwise_right_shift(const Tensor& a, const Tensor& b) { return apply(ShiftRight{}, a, b); }
Tensor bitwise_and(const Tensor& a, Scalar b) { return bitwise_and(a, number(BitAnd{}, b, a)); }
Tensor bitwise_or(const Tensor& a, Scalar b) { return bitwise_or(a, number(BitOr{}, b, a)); }
Tensor bitwise_xor(const Tensor& a, Scalar b) { return bitwise_xor(a, number(BitXor{}, b, a)); }

const Tensor& bitwise_and_(const Tensor& x, const Tensor& y) { return apply_in_place(BitAnd{}, x, y), x; }
const Tensor& bitwise_or_(const Tensor& x, const Tensor& y) { return apply_in_place(BitOr{}, x, y), x; }
const Tensor& bitwise_xor_(const Tensor& x, const Tensor& y) { return apply_in_place(BitXor{}, x, y), x; }
const Tensor& bitwise_and_(const Tensor& x, Scalar y) { return bitwise_and_(x, number(BitAnd{}, y, x)); }
const Tensor& bitwise_or_(const Tensor& x, Scalar y) { return bitwise_or_(x, number(BitOr{}, y, x)); }
const Tensor& bitwise_xor_(const Tensor& x, Scalar y) { return bitwise_xor_(x, number(BitXor{}, y, x)); }

}  // namespace minima
