#include <minima/nn/module/elements.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::nn::detail {

Tensor elements_of(const Tensor& x, std::int64_t begin, std::int64_t count) {
  const NoGrad guard;
  const Tensor source = x.detach();
  if (count == 0) return empty({0}, {.dtype = x.dtype(), .device = x.device()});
  if (source.is_contiguous() || source.rank() == 0) return narrow(reshape(source, {-1}), 0, begin, count);
  const std::int64_t row = source.numel() / source.size(0), first = begin / row;
  const std::int64_t rows = (begin + count + row - 1) / row - first;
  return narrow(reshape(contiguous(narrow(source, 0, first, rows)), {-1}), 0, begin - first * row, count);
}

}  // namespace minima::nn::detail
