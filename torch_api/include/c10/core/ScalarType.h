#pragma once

#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <cstdint>
#include <ostream>

namespace c10 {

// The element types, with LibTorch's names and numbers: X(C++ type, name). minima has no Short, ComplexHalf, quantised
// or 8-bit floating types: they can be named, and creating a tensor of one throws.
#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(X) \
  X(std::uint8_t, Byte, 0)                                \
  X(std::int8_t, Char, 1)                                 \
  X(std::int16_t, Short, 2)                               \
  X(int, Int, 3)                                          \
  X(std::int64_t, Long, 4)                                \
  X(c10::Half, Half, 5)                                   \
  X(float, Float, 6)                                      \
  X(double, Double, 7)                                    \
  X(c10::complex<float>, ComplexFloat, 9)                 \
  X(c10::complex<double>, ComplexDouble, 10)              \
  X(bool, Bool, 11)                                       \
  X(c10::BFloat16, BFloat16, 15)

enum class ScalarType : std::int8_t {
#define MINIMA_TORCH_DTYPE(type, name, number) name = number,
  AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(MINIMA_TORCH_DTYPE)
#undef MINIMA_TORCH_DTYPE
      ComplexHalf = 8,
  QInt8 = 12,
  QUInt8 = 13,
  QInt32 = 14,
  QUInt4x2 = 16,
  QUInt2x4 = 17,
  Bits1x8 = 18,
  Bits2x4 = 19,
  Bits4x2 = 20,
  Bits8 = 21,
  Bits16 = 22,
  Float8_e5m2 = 23,
  Float8_e4m3fn = 24,
  Float8_e5m2fnuz = 25,
  Float8_e4m3fnuz = 26,
  UInt16 = 27,
  UInt32 = 28,
  UInt64 = 29,
  Undefined = 44,
  NumOptions = 45,
};

#define MINIMA_TORCH_DTYPE(type, name, number) inline constexpr ScalarType k##name = ScalarType::name;
AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(MINIMA_TORCH_DTYPE)
#undef MINIMA_TORCH_DTYPE
inline constexpr ScalarType kComplexHalf = ScalarType::ComplexHalf, kQInt8 = ScalarType::QInt8,
                            kQUInt8 = ScalarType::QUInt8, kQInt32 = ScalarType::QInt32, kUInt16 = ScalarType::UInt16,
                            kUInt32 = ScalarType::UInt32, kUInt64 = ScalarType::UInt64,
                            kFloat8_e5m2 = ScalarType::Float8_e5m2, kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;

/// `CppTypeToScalarType<float>::value`, and back. `exists` is false for other types.
template <class T>
struct CppTypeToScalarType {
  static constexpr bool exists = false;
};
namespace impl {
template <ScalarType> struct ScalarTypeToCPPType;
#define MINIMA_TORCH_DTYPE(type_, name, number)  \
  template <>                                    \
  struct ScalarTypeToCPPType<ScalarType::name> { \
    using type = type_;                          \
  };
AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(MINIMA_TORCH_DTYPE)
#undef MINIMA_TORCH_DTYPE
template <ScalarType N> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<N>::type;
}  // namespace impl
#define MINIMA_TORCH_DTYPE(type, name, number)              \
  template <>                                               \
  struct CppTypeToScalarType<type> {                        \
    static constexpr bool exists = true;                    \
    static constexpr ScalarType value = ScalarType::name;   \
    constexpr operator ScalarType() const { return value; } \
  };
AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(MINIMA_TORCH_DTYPE)
#undef MINIMA_TORCH_DTYPE
template <> struct CppTypeToScalarType<long long> : CppTypeToScalarType<std::int64_t> {};
template <> struct CppTypeToScalarType<std::complex<float>> : CppTypeToScalarType<complex<float>> {};
template <> struct CppTypeToScalarType<std::complex<double>> : CppTypeToScalarType<complex<double>> {};
template <> struct CppTypeToScalarType<minima::Float16> : CppTypeToScalarType<Half> {};
template <> struct CppTypeToScalarType<minima::BFloat16> : CppTypeToScalarType<BFloat16> {};

// X(C++ type, name) for parts of the list.
#define AT_FORALL_INT_TYPES(X) \
  X(std::uint8_t, Byte) X(std::int8_t, Char) X(std::int16_t, Short) X(int, Int) X(std::int64_t, Long)
#define AT_FORALL_SCALAR_TYPES(X) AT_FORALL_INT_TYPES(X) X(float, Float) X(double, Double)
#define AT_FORALL_COMPLEX_TYPES(X) X(c10::complex<float>, ComplexFloat) X(c10::complex<double>, ComplexDouble)
#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(X) \
  AT_FORALL_SCALAR_TYPES(X)                    \
  X(c10::Half, Half) X(bool, Bool) X(c10::BFloat16, BFloat16) AT_FORALL_COMPLEX_TYPES(X)
#define AT_FORALL_SCALAR_TYPES_AND(SCALARTYPE, X) \
  AT_FORALL_SCALAR_TYPES(X)                       \
  X(::c10::impl::ScalarTypeToCPPTypeT<::c10::ScalarType::SCALARTYPE>, SCALARTYPE)
#define AT_FORALL_SCALAR_TYPES_AND2(A, B, X) \
  AT_FORALL_SCALAR_TYPES_AND(A, X)           \
  X(::c10::impl::ScalarTypeToCPPTypeT<::c10::ScalarType::B>, B)
#define AT_FORALL_SCALAR_TYPES_AND3(A, B, C, X) \
  AT_FORALL_SCALAR_TYPES_AND2(A, B, X)          \
  X(::c10::impl::ScalarTypeToCPPTypeT<::c10::ScalarType::C>, C)

/// `Float`, `Long`, … as LibTorch prints them.
const char* toString(ScalarType type);
std::size_t elementSize(ScalarType type);
inline std::ostream& operator<<(std::ostream& out, ScalarType type) { return out << toString(type); }

constexpr bool isIntegralType(ScalarType type, bool include_bool) {
  return (type >= ScalarType::Byte && type <= ScalarType::Long) || (include_bool && type == ScalarType::Bool) ||
         (type >= ScalarType::UInt16 && type <= ScalarType::UInt64);
}
[[deprecated("say whether bool counts")]] constexpr bool isIntegralType(ScalarType type) {
  return isIntegralType(type, false);
}
constexpr bool isReducedFloatingType(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::BFloat16 ||
         (type >= ScalarType::Float8_e5m2 && type <= ScalarType::Float8_e4m3fnuz);
}
constexpr bool isFloatingType(ScalarType type) {
  return type == ScalarType::Float || type == ScalarType::Double || isReducedFloatingType(type);
}
constexpr bool isComplexType(ScalarType type) {
  return type >= ScalarType::ComplexHalf && type <= ScalarType::ComplexDouble;
}
constexpr bool isQIntType(ScalarType type) {
  return (type >= ScalarType::QInt8 && type <= ScalarType::QInt32) || type == ScalarType::QUInt4x2 ||
         type == ScalarType::QUInt2x4;
}
constexpr bool isSignedType(ScalarType type) {
  return type != ScalarType::Byte && type != ScalarType::Bool &&
         !(type >= ScalarType::UInt16 && type <= ScalarType::UInt64);
}
constexpr ScalarType toRealValueType(ScalarType type) {
  return type == ScalarType::ComplexFloat    ? ScalarType::Float
         : type == ScalarType::ComplexDouble ? ScalarType::Double
         : type == ScalarType::ComplexHalf   ? ScalarType::Half
                                             : type;
}
constexpr ScalarType toComplexType(ScalarType type) {
  return type == ScalarType::Double || type == ScalarType::ComplexDouble ? ScalarType::ComplexDouble
                                                                         : ScalarType::ComplexFloat;
}
/// Whether a result of type `from` may be stored in place in a tensor of type `to`.
bool canCast(ScalarType from, ScalarType to);
ScalarType promoteTypes(ScalarType a, ScalarType b);

/// minima's dtype. Throws for types that minima does not have.
minima::DType native(ScalarType type);
ScalarType scalar_type(minima::DType dtype);

}  // namespace c10

namespace minima {
// c10's element types are minima's, under LibTorch's names.
template <> struct DTypeOf<c10::Half> : detail::Element<Float16, DType::float16> {};
template <> struct DTypeOf<c10::BFloat16> : detail::Element<BFloat16, DType::bfloat16> {};
template <> struct DTypeOf<c10::complex<float>> : detail::Element<Complex<float>, DType::complex64> {};
template <> struct DTypeOf<c10::complex<double>> : detail::Element<Complex<double>, DType::complex128> {};
}  // namespace minima
