#include <minima/ops/attention/segments.h>

#include <minima/autograd/mode.h>
#include <minima/ops/attention/kernels.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <limits>

namespace minima {

void detail::segment_bounds_cpu(const char* op, const Tensor& segments, Tensor& bounds) {
  const std::int64_t rows = segments.size(0), length = segments.size(1);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t* const numbers = segments.data<std::int64_t>() + row * length;
    std::int32_t* const out = bounds.data<std::int32_t>() + row * length * 2;
    for (std::int64_t first = 0, end = 0; first < length; first = end) {
      for (end = first + 1; end < length && numbers[end] == numbers[first];) ++end;
      if (end < length && numbers[end] < numbers[first])
        throw ValueError(str(op, ": segments must not descend, but ", numbers[end], " follows ", numbers[first],
                             " at position ", end, " of row ", row, "; number a row's documents in their order"));
      for (std::int64_t i = first; i < end; ++i) {
        out[2 * i] = static_cast<std::int32_t>(first);
        out[2 * i + 1] = static_cast<std::int32_t>(end);
      }
    }
  }
}

void detail::check_segments(const char* op, const Tensor& segments) {
  if (segments.dtype() != DType::int64)
    throw DTypeError(str(op, ": segments must be int64, got ", segments, "; convert them with to()"));
  if (const std::int64_t length = segments.size(-1); length > std::numeric_limits<std::int32_t>::max())
    throw ShapeError(str(op, ": segments have rows of ", length, " positions; the limit is 2³¹ - 1"));
}

Tensor detail::segment_bounds(const char* op, const Tensor& segments) {
  const std::int64_t length = segments.size(-1);
  std::int64_t rows = 1;
  for (int d = 0; d < segments.rank() - 1; ++d) rows *= segments.shape()[d];
  const NoGrad constant;
  const Tensor numbers = contiguous(reshape(segments, {rows, length}));
  Tensor bounds = empty({rows, length, 2}, {.dtype = DType::int32, .device = segments.device()});
  if constexpr (has_cuda_kernels) {
    if (on_cuda(numbers)) {
      const DeviceGuard on_its_gpu(numbers.device());
      segment_bounds_cuda(numbers, bounds);
      return bounds;
    }
  }
  segment_bounds_cpu(op, numbers, bounds);
  return bounds;
}

double detail::keys_in_sight(const Tensor& segments, std::int64_t keys) {
  if (!segments.defined() || on_cuda(segments) || segments.numel() == 0) return static_cast<double>(keys);
  const Tensor rows = contiguous(segments);
  const std::int64_t* const numbers = rows.data<std::int64_t>();
  const std::int64_t length = rows.size(-1);
  double pairs = 0;
  for (std::int64_t first = 0, end = 0; first < rows.numel(); first = end) {
    for (end = first + 1; end < rows.numel() && end % length != 0 && numbers[end] == numbers[first];) ++end;
    pairs += static_cast<double>(end - first) * static_cast<double>(end - first);
  }
  return pairs / static_cast<double>(rows.numel());
}

Tensor segment_positions(const Tensor& segments) {
  constexpr const char* name = "segment_positions";
  if (!segments.defined()) throw ValueError(str(name, ": the segments are undefined"));
  if (segments.rank() < 1) throw ShapeError(str(name, ": segments must be [..., L], got ", segments));
  detail::check_segments(name, segments);
  const Tensor first = select(detail::segment_bounds(name, segments), -1, 0).to(DType::int64);
  return reshape(arange(segments.size(-1)).to(segments.device()) - first, segments.shape());
}

}  // namespace minima
