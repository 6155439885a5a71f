#include <minima/tensor/zero_memory.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/transfer.h>

#include <cstdint>
#include <cstring>

namespace minima::detail {

void zero_memory(const Tensor& x) {
  if (!x.layout().is_dense()) throw ShapeError(str("zero_memory: ", x, " is not dense"));
  const auto bytes = x.numel() * static_cast<std::int64_t>(x.itemsize());
  if (bytes == 0) return;
  char* const data = static_cast<char*>(x.raw_data());
  if (x.device().is_cuda()) {
    gpu_zero(data, x.device(), static_cast<std::size_t>(bytes));
  } else {
    parallel_for(0, bytes, grain_for(0.1), [data](std::int64_t first, std::int64_t last) {
      std::memset(data + first, 0, static_cast<std::size_t>(last - first));
    });
  }
  x.impl()->storage->bump_version();
}

Tensor zeroed(const Shape& shape, TensorOptions options) {
  Tensor result = empty(shape, options);
  zero_memory(result);
  return result;
}

}  // namespace minima::detail
