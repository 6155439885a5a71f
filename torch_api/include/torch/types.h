#pragma once

#include <ATen/ATen.h>
#include <c10/util/Logging.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/detail/TensorDataContainer.h>

#include <memory>
#include <optional>

namespace c10 {
using std::nullopt;
using std::optional;
}  // namespace c10

namespace torch {

using namespace at;  // NOLINT

using std::nullopt;
using std::optional;
using Dtype = at::ScalarType;

// LibTorch's short names for element types.
inline constexpr auto kU8 = kByte, kI8 = kChar, kI16 = kShort, kI32 = kInt, kI64 = kLong, kF16 = kHalf, kF32 = kFloat,
                      kF64 = kDouble;
inline constexpr auto kUInt8 = kU8, kInt8 = kI8, kInt16 = kI16, kInt32 = kI32, kInt64 = kI64, kFloat16 = kF16,
                      kFloat32 = kF32, kFloat64 = kF64;

}  // namespace torch
