#include <minima/ops/index/common.h>

#include <minima/ops/index/masked.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/comparison.h>

#include <cstdint>

namespace minima::detail {

void check_index(const char* op, const Tensor& index) {
  check_defined(op, index, 1);
  if (index.dtype() != DType::int64)
    throw DTypeError(str(op, ": the index must be int64, got ", index, "; convert it with to()"));
}

void check_source(const char* op, const Tensor& x, const Tensor& source) {
  check_defined(op, source, 2);
  if (source.dtype() != x.dtype())
    throw DTypeError(str(op, ": the source must have the dtype of x ", x, ", got ", source, "; convert it with to()"));
}

void check_range(const char* op, const Tensor& index, std::int64_t size) {
  if (on_cuda(index) || indices_within(index, -size, size)) return;
  const Tensor outside = logical_or(index < -size, index >= size);
  throw IndexError(str(op, ": index ", masked_select(index, outside)[0].item<std::int64_t>(), " is out of range for ",
                       size, " elements"));
}

}  // namespace minima::detail
