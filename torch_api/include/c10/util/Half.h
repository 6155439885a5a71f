#pragma once

#include <minima/tensor/base/dtype.h>

#include <type_traits>

namespace c10 {

namespace detail {
/// minima's storage type with LibTorch's implicit conversion from float; arithmetic is done in float.
template <class Base>
struct HalfType : Base {
  constexpr HalfType() = default;
  HalfType(float value) : Base(value) {}
  HalfType(Base value) : Base(value) {}
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::is_same_v<N, float>) HalfType(N value) : Base(static_cast<float>(value)) {}

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }
  HalfType(std::uint16_t bits, from_bits_t) { this->bits = bits; }

  HalfType& operator+=(float b) { return *this = static_cast<float>(*this) + b; }
  HalfType& operator-=(float b) { return *this = static_cast<float>(*this) - b; }
  HalfType& operator*=(float b) { return *this = static_cast<float>(*this) * b; }
  HalfType& operator/=(float b) { return *this = static_cast<float>(*this) / b; }
};
}  // namespace detail

using Half = detail::HalfType<minima::Float16>;
using BFloat16 = detail::HalfType<minima::BFloat16>;

}  // namespace c10
