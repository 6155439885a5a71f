#include "simulated/cudnn/values.h"

#include "simulated/machine/schedule.h"

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace simulated {

namespace {

/// Calls visit(index in row-major order, offset by the strides).
template <class Visit> void visit_elements(const GraphTensor& t, const Visit& visit) {
  const std::int64_t count = minima::numel(t.shape);
  for (std::int64_t index = 0; index < count; ++index) {
    std::int64_t rest = index, offset = 0;
    for (int d = t.shape.rank() - 1; d >= 0; rest /= t.shape[d--]) offset += rest % t.shape[d] * t.strides[d];
    visit(static_cast<std::size_t>(index), offset);
  }
}

}  // namespace

Values::Values(const GraphTensor& like) : shape(like.shape), data(static_cast<std::size_t>(minima::numel(shape))) {}

Values read(const GraphTensor& tensor, const void* address) {
  Values values(tensor);
  minima::dispatch<minima::floating>(tensor.dtype, "cuDNN", [&]<class T> {
    visit_elements(tensor, [&](std::size_t index, std::int64_t offset) {
      values.data[index] = static_cast<double>(static_cast<const T*>(address)[offset]);
    });
  });
  return values;
}

double rounded(double value, minima::DType dtype) {
  switch (dtype) {
    case minima::DType::float16: return static_cast<float>(minima::Float16(static_cast<float>(value)));
    case minima::DType::bfloat16: return static_cast<float>(minima::BFloat16(static_cast<float>(value)));
    case minima::DType::float32: return static_cast<float>(value);
    default: return value;
  }
}

void write(const Values& values, const GraphTensor& tensor, void* address) {
  minima::dispatch<minima::floating>(tensor.dtype, "cuDNN", [&]<class T> {
    visit_elements(tensor, [&](std::size_t index, std::int64_t offset) {
      using Step = std::conditional_t<std::is_same_v<T, double>, double, float>;  // half types round a float
      static_cast<T*>(address)[offset] = static_cast<T>(static_cast<Step>(values.data[index]));
    });
  });
}

Access extent(const GraphTensor& tensor, const void* address) {
  std::int64_t last = 0;
  for (int d = 0; d < tensor.shape.rank(); ++d) last += (tensor.shape[d] - 1) * tensor.strides[d];
  return {static_cast<const char*>(address), static_cast<std::size_t>(last + 1) * minima::size_of(tensor.dtype)};
}

}  // namespace simulated
