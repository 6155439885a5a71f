#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <type_traits>

namespace minima {

/// Sets of dtypes to compile a kernel for. Those without "complex" in their name have real dtypes only.
struct AllTypes {
  static constexpr bool has(DType d) { return !is_complex(d); }
};
struct ComplexTypes {
  static constexpr bool has(DType d) { return is_complex(d); }
};
struct RealAndComplexTypes {
  static constexpr bool has(DType) { return true; }
};
struct FloatingTypes {
  static constexpr bool has(DType d) { return is_floating(d); }
};
struct FullFloatingTypes {
  static constexpr bool has(DType d) { return d == DType::float32 || d == DType::float64; }
};
struct IntegerTypes {
  static constexpr bool has(DType d) { return is_integer(d); }
};
struct NumericTypes {
  static constexpr bool has(DType d) { return d != DType::boolean && !is_complex(d); }
};
struct BitTypes {
  static constexpr bool has(DType d) { return d < DType::float16; }
};

inline constexpr AllTypes all_types{};
inline constexpr ComplexTypes complex_types{};
inline constexpr RealAndComplexTypes real_and_complex{};
inline constexpr FloatingTypes floating{};
inline constexpr FullFloatingTypes full_floating{};
inline constexpr IntegerTypes integers{};
inline constexpr NumericTypes numeric{};
inline constexpr BitTypes bits{};  // integers and bool

/// Calls `f.template operator()<T>()` with the C++ type of `dtype`. Throws DTypeError naming `op` if it is not in
/// `set`.
///   dispatch<floating>(x.dtype(), "gelu", [&]<class T> { gelu_rows(x.data<T>(), y.data<T>(), n); });
template <auto set, class F>
decltype(auto) dispatch(DType dtype, const char* op, F&& f) {
  using Set = std::remove_cvref_t<decltype(set)>;
  switch (dtype) {
    case DType::boolean:
      if constexpr (Set::has(DType::boolean)) return f.template operator()<bool>();
      else break;
    case DType::uint8:
      if constexpr (Set::has(DType::uint8)) return f.template operator()<std::uint8_t>();
      else break;
    case DType::int8:
      if constexpr (Set::has(DType::int8)) return f.template operator()<std::int8_t>();
      else break;
    case DType::int32:
      if constexpr (Set::has(DType::int32)) return f.template operator()<std::int32_t>();
      else break;
    case DType::int64:
      if constexpr (Set::has(DType::int64)) return f.template operator()<std::int64_t>();
      else break;
    case DType::float16:
      if constexpr (Set::has(DType::float16)) return f.template operator()<Float16>();
      else break;
    case DType::bfloat16:
      if constexpr (Set::has(DType::bfloat16)) return f.template operator()<BFloat16>();
      else break;
    case DType::float32:
      if constexpr (Set::has(DType::float32)) return f.template operator()<float>();
      else break;
    case DType::float64:
      if constexpr (Set::has(DType::float64)) return f.template operator()<double>();
      else break;
    case DType::complex64:
      if constexpr (Set::has(DType::complex64)) return f.template operator()<Complex<float>>();
      else break;
    case DType::complex128:
      if constexpr (Set::has(DType::complex128)) return f.template operator()<Complex<double>>();
      else break;
  }
  throw DTypeError(str(op, ": no kernel for ", name(dtype)));
}

}  // namespace minima
