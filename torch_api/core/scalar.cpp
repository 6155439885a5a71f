#include <c10/core/Scalar.h>

#include <cmath>
#include <limits>

namespace c10 {

namespace {

[[noreturn]] void refuse(const char* type) {
  throw Error(str("value cannot be converted to type ", type, " without overflow"));
}

/// Whether `value` is out of T's range. Negative integers wrap to unsigned types, infinities and NaN go to floating
/// ones.
template <class T, class V>
bool overflows(V value) {
  if constexpr (std::is_same_v<T, bool>) return false;
  else if constexpr (std::is_floating_point_v<T>) {
    return std::is_floating_point_v<V> && std::isfinite(static_cast<double>(value)) &&
           std::abs(static_cast<double>(value)) > static_cast<double>(std::numeric_limits<T>::max());
  } else {
    if constexpr (std::is_floating_point_v<V>) {
      if (std::isnan(value)) return true;
      constexpr auto high = static_cast<double>(std::numeric_limits<T>::max());
      return value < static_cast<double>(std::numeric_limits<T>::lowest()) ||
             (sizeof(T) == 8 ? value >= high : value > high);
    } else {
      if (std::is_unsigned_v<T> && value < 0) return -value > static_cast<V>(std::numeric_limits<T>::max());
      return value > static_cast<V>(std::numeric_limits<T>::max()) ||
             (!std::is_unsigned_v<T> && value < static_cast<V>(std::numeric_limits<T>::lowest()));
    }
  }
}

template <class T> inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<complex<T>> = true;

template <class T, class V>
T checked(V value, const char* type) {
  if constexpr (is_half<T>) {
    const T result(static_cast<float>(value));
    if (std::isinf(static_cast<float>(result)) && std::isfinite(static_cast<double>(value))) refuse(type);
    return result;
  } else {
    if (overflows<T>(value)) refuse(type);
    return static_cast<T>(value);
  }
}

/// `number` is the value unless it is complex, `imag` its imaginary part.
template <class T, class V>
T converted(V number, double imag, const char* type) {
  if constexpr (is_complex<T>) {
    using Part = typename T::value_type;
    return {checked<Part>(number, type), checked<Part>(imag, type)};
  } else {
    if (imag != 0) refuse(type);
    return checked<T>(number, type);
  }
}

}  // namespace

#define MINIMA_TORCH_TO(type, name, number)                                        \
  template <>                                                                      \
  type Scalar::to<type>() const {                                                  \
    return isFloatingPoint() || isComplex() ? converted<type>(real_, imag_, #type) \
                                            : converted<type>(integer_, 0, #type); \
  }                                                                                \
  type Scalar::to##name() const { return to<type>(); }
AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(MINIMA_TORCH_TO)
#undef MINIMA_TORCH_TO

Scalar::Scalar(minima::Scalar value)
    : Scalar(value.is_floating()  ? Scalar(value.to<double>())
             : value.is_boolean() ? Scalar(value.to<bool>())
                                  : Scalar(value.to<std::int64_t>())) {}

ScalarType Scalar::type() const {
  switch (kind_) {
    case Kind::boolean: return ScalarType::Bool;
    case Kind::integer: return ScalarType::Long;
    case Kind::floating: return ScalarType::Double;
    case Kind::complex: return ScalarType::ComplexDouble;
  }
  return ScalarType::Undefined;
}

minima::Scalar Scalar::native() const {
  switch (kind_) {
    case Kind::boolean: return integer_ != 0;
    case Kind::integer: return integer_;
    case Kind::floating: return real_;
    case Kind::complex: break;
  }
  throw Error(str("the complex number ", *this, " is no operand here; make a tensor of it by torch::tensor"));
}

Scalar Scalar::operator-() const {
  TORCH_CHECK(!isBoolean(), "torch boolean negative, the `-` operator, is not supported.");
  if (isComplex()) return -to<complex<double>>();
  return native().negated();
}
Scalar Scalar::conj() const { return isComplex() ? Scalar(std::conj(to<complex<double>>())) : *this; }
Scalar Scalar::log() const {
  if (isComplex()) return std::log(static_cast<std::complex<double>>(to<complex<double>>()));
  return std::log(to<double>());
}

std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
  if (scalar.isComplex()) return out << scalar.to<complex<double>>();
  if (scalar.isFloatingPoint()) return out << scalar.to<double>();
  if (scalar.isBoolean()) return out << (scalar.to<bool>() ? "true" : "false");
  return out << scalar.to<std::int64_t>();
}

}  // namespace c10
