#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/complex.h>
#include <minima/tensor/base/half.h>

#include <cstddef>
#include <cstdint>

namespace minima {

/// The element type of a tensor, ordered by promotion within each category.
enum class DType : std::uint8_t {
  boolean,
  uint8,
  int8,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,   ///< two float32
  complex128,  ///< two float64
};

inline constexpr int dtype_count = 11;
inline constexpr int real_dtype_count = 9;  ///< those before complex64

inline constexpr DType boolean = DType::boolean;
inline constexpr DType uint8 = DType::uint8;
inline constexpr DType int8 = DType::int8;
inline constexpr DType int32 = DType::int32;
inline constexpr DType int64 = DType::int64;
inline constexpr DType float16 = DType::float16;
inline constexpr DType bfloat16 = DType::bfloat16;
inline constexpr DType float32 = DType::float32;
inline constexpr DType float64 = DType::float64;
inline constexpr DType complex64 = DType::complex64;
inline constexpr DType complex128 = DType::complex128;

/// Real floating point: float16 to float64.
constexpr bool is_floating(DType dtype) { return dtype >= DType::float16 && dtype <= DType::float64; }
constexpr bool is_complex(DType dtype) { return dtype >= DType::complex64; }
/// Floating or complex.
constexpr bool is_differentiable(DType dtype) { return dtype >= DType::float16; }
constexpr bool is_integer(DType dtype) { return dtype > DType::boolean && dtype < DType::float16; }
constexpr bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

namespace detail {
inline constexpr std::uint8_t element_sizes[dtype_count] = {1, 1, 1, 4, 8, 2, 2, 4, 8, 8, 16};
}

/// Bytes per element.
constexpr std::size_t size_of(DType dtype) { return detail::element_sizes[static_cast<int>(dtype)]; }

/// The dtype of a complex dtype's parts; any other is returned as it is.
constexpr DType real_dtype(DType dtype) {
  return dtype == DType::complex64 ? DType::float32 : dtype == DType::complex128 ? DType::float64 : dtype;
}
/// complex128 for float64 and complex128, else complex64.
constexpr DType complex_dtype(DType dtype) {
  return real_dtype(dtype) == DType::float64 ? DType::complex128 : DType::complex64;
}

/// `float32`, `bool`, …: the names that PyTorch and NumPy use.
MINIMA_API const char* name(DType dtype);

/// The result dtype of an operation on both. As in PyTorch, the higher category wins (bool < integer < floating <
/// complex), and within a category the wider type; float16 with bfloat16 gives float32, complex64 with float64
/// complex128. Unlike PyTorch, which has int16, uint8 with
/// int8 gives int32.
MINIMA_API DType promote(DType a, DType b);

/// Maps C++ types to DType. For any but the eleven element types compilation fails with a single message: the fallback
/// to float avoids follow-up errors.
template <class T> inline constexpr bool is_element_type = false;
template <class T> struct DTypeOf {
  static_assert(is_element_type<T>,
                "name one of minima's element types, as in x.item<float>(): float, double, "
                "std::int64_t, std::int32_t, std::int8_t, std::uint8_t, bool, Float16, BFloat16, Complex<float> or "
                "Complex<double>");
  using Type = float;
  static constexpr DType value = DType::float32;
};
namespace detail {
template <class T, DType dtype> struct Element {
  using Type = T;
  static constexpr DType value = dtype;
};
}
template <> struct DTypeOf<bool> : detail::Element<bool, DType::boolean> {};
template <> struct DTypeOf<std::uint8_t> : detail::Element<std::uint8_t, DType::uint8> {};
template <> struct DTypeOf<std::int8_t> : detail::Element<std::int8_t, DType::int8> {};
template <> struct DTypeOf<std::int32_t> : detail::Element<std::int32_t, DType::int32> {};
template <> struct DTypeOf<std::int64_t> : detail::Element<std::int64_t, DType::int64> {};
template <> struct DTypeOf<Float16> : detail::Element<Float16, DType::float16> {};
template <> struct DTypeOf<BFloat16> : detail::Element<BFloat16, DType::bfloat16> {};
template <> struct DTypeOf<float> : detail::Element<float, DType::float32> {};
template <> struct DTypeOf<double> : detail::Element<double, DType::float64> {};
template <> struct DTypeOf<Complex<float>> : detail::Element<Complex<float>, DType::complex64> {};
template <> struct DTypeOf<Complex<double>> : detail::Element<Complex<double>, DType::complex128> {};

template <class T> inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace minima
