#include <minima/io/onnx/onnx_file.h>

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <utility>

namespace minima::onnx {

namespace {

constexpr std::pair<std::int64_t, DType> dtype_codes[] = {
    {1, DType::float32}, {2, DType::uint8},    {3, DType::int8},     {6, DType::int32},    {7, DType::int64},
    {9, DType::boolean}, {10, DType::float16}, {11, DType::float64}, {16, DType::bfloat16}};

}  // namespace

std::int64_t dtype_code(DType dtype) {
  for (const auto& [code, known] : dtype_codes)
    if (known == dtype) return code;
  throw ValueError(str("onnx: files have no tensors of ", dtype, " here; convert them with to()"));
}

DType dtype_of_code(std::int64_t code) {
  for (const auto& [known, dtype] : dtype_codes)
    if (known == code) return dtype;
  throw ValueError(str("onnx: dtype ", code, " is none of minima's"));
}

}  // namespace minima::onnx
