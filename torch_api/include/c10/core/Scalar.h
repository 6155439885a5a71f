#pragma once

#include <minima/tensor/base/scalar.h>

#include <c10/core/ScalarType.h>

#include <ostream>

namespace c10 {

/// A number as an argument: bool, integer, floating or complex. minima's own Scalar has no complex numbers; operators
/// turn those into tensors of one element.
class Scalar {
 public:
  Scalar() : Scalar(std::int64_t{0}) {}
  template <class T>
  requires std::is_arithmetic_v<T> Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      integer_ = value;
      kind_ = Kind::boolean;
    } else if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t))
        TORCH_CHECK(value <= static_cast<T>(INT64_MAX), "Scalar: ", value, " exceeds int64_t");
      integer_ = static_cast<std::int64_t>(value);
      kind_ = Kind::integer;
    } else {
      real_ = static_cast<double>(value);
      kind_ = Kind::floating;
    }
  }
  Scalar(Half value) : Scalar(static_cast<double>(static_cast<float>(value))) {}
  Scalar(BFloat16 value) : Scalar(static_cast<double>(static_cast<float>(value))) {}
  template <class T>
  Scalar(complex<T> value) : real_(value.real()), imag_(value.imag()), kind_(Kind::complex) {}
  template <class T>
  Scalar(const std::complex<T>& value) : Scalar(complex<T>(value)) {}
  Scalar(minima::Scalar value);

  bool isFloatingPoint() const { return kind_ == Kind::floating; }
  bool isComplex() const { return kind_ == Kind::complex; }
  bool isBoolean() const { return kind_ == Kind::boolean; }
  bool isIntegral(bool include_bool) const {
    return kind_ == Kind::integer || (include_bool && kind_ == Kind::boolean);
  }
  [[deprecated("say whether bool counts")]] bool isIntegral() const { return isIntegral(false); }
  bool isSymbolic() const { return false; }
  ScalarType type() const;

  /// Throws "value cannot be converted to type … without overflow" if T cannot hold the number.
  template <class T>
  T to() const;
#define MINIMA_TORCH_ACCESSOR(type, name, number) type to##name() const;
  AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(MINIMA_TORCH_ACCESSOR)
#undef MINIMA_TORCH_ACCESSOR

  template <class T>
  bool equal(T value) const {
    if (isComplex()) return imag_ == 0 && real_ == static_cast<double>(value);
    return isFloatingPoint() ? real_ == static_cast<double>(value) : integer_ == static_cast<std::int64_t>(value);
  }
  Scalar operator-() const;
  Scalar conj() const;
  Scalar log() const;

  /// Throws if the number is complex.
  minima::Scalar native() const;
  operator minima::Scalar() const { return native(); }

 private:
  enum class Kind : std::uint8_t { boolean, integer, floating, complex };

  union {
    double real_;
    std::int64_t integer_;
  };
  double imag_ = 0;
  Kind kind_;
};
#define MINIMA_TORCH_ACCESSOR(type, name, number) \
  template <>                                     \
  type Scalar::to<type>() const;
AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(MINIMA_TORCH_ACCESSOR)
#undef MINIMA_TORCH_ACCESSOR
template <>
inline long long Scalar::to<long long>() const {
  return to<std::int64_t>();
}
template <>
inline std::size_t Scalar::to<std::size_t>() const {
  return static_cast<std::size_t>(to<std::int64_t>());
}
std::ostream& operator<<(std::ostream& out, const Scalar& scalar);

}  // namespace c10
