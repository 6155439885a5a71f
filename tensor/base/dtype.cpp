#include <minima/tensor/base/dtype.h>

namespace minima {

const char* name(DType dtype) {
  constexpr const char* names[dtype_count] = {"bool",     "uint8",   "int8",    "int32",     "int64",     "float16",
                                              "bfloat16", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<int>(dtype)];
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  const DType low = a < b ? a : b;
  const DType high = a < b ? b : a;
  if (low == DType::uint8 && high == DType::int8) return DType::int32;
  if (low == DType::float16 && high == DType::bfloat16) return DType::float32;
  if (high == DType::complex64 && low == DType::float64) return DType::complex128;
  return high;
}

}  // namespace minima
