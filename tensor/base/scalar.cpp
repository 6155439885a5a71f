#include <minima/tensor/base/scalar.h>

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace minima::detail {

void refuse_unsigned(std::uint64_t value) {
  throw ValueError(str("Scalar: ", value, " is beyond int64; write it as a floating number"));
}

IntegerRange integer_range(DType dtype) {
  switch (dtype) {
    case DType::boolean: return {0, 1};
    case DType::uint8: return {0, UINT8_MAX};
    case DType::int8: return {INT8_MIN, INT8_MAX};
    case DType::int32: return {INT32_MIN, INT32_MAX};
    default: return {INT64_MIN, INT64_MAX};
  }
}

bool is_element(Scalar value, DType dtype) {
  const auto number = value.to<double>();
  switch (dtype) {
    case DType::uint8: return number < 256 && number > (value.is_floating() ? -1 : -256);
    case DType::int8: return number > -129 && number < 128;
    case DType::int32: return number > -0x1p31 - 1 && number < 0x1p31;
    case DType::int64: return !value.is_floating() || (number >= -0x1p63 && number < 0x1p63);
    case DType::float16: return !std::isfinite(number) || std::abs(number) < 65520;
    case DType::bfloat16: return !std::isfinite(number) || std::abs(number) < 0x1.ffp127;
    case DType::float32:
    case DType::complex64: return !std::isfinite(number) || std::abs(number) <= std::numeric_limits<float>::max();
    case DType::boolean:
    case DType::float64:
    case DType::complex128: break;
  }
  return true;
}

void check_number(const char* op, Scalar value, DType dtype) {
  if (is_element(value, dtype)) return;
  const std::string number = value.is_floating() ? str(value.to<double>()) : str(value.to<std::int64_t>());
  throw ValueError(str(op, ": ", dtype, " cannot hold ", number, "; choose another value or dtype"));
}

}  // namespace minima::detail
