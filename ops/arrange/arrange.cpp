#include <minima/ops/arrange/arrange.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/gather/gather.h>
#include <minima/ops/gather/gather_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

/// Indices along one dimension, computed on the CPU and copied to x's device.
template <class F>
Tensor indices(const Tensor& x, std::int64_t count, const F& at) {
  const Tensor values = empty({count}, {.dtype = DType::int64});
  for (std::int64_t i = 0; i < count; ++i) values.data<std::int64_t>()[i] = at(i);
  return values.to(x.device());
}

}  // namespace

Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& index) {
  detail::check_defined("index_select", x);
  detail::check_defined("index_select", index, 1);
  const int along = wrap_dim(dim, x.rank(), "index_select");
  if (index.dtype() != DType::int64)
    throw DTypeError(str("index_select: index must be an int64 vector, got ", index, "; convert it with to()"));
  if (index.rank() > 1 || (x.rank() == 0 && index.numel() != 1))
    throw ShapeError(
        str("index_select: index must be a vector, with one element if x is a scalar, got ", index, " for x ", x));
  if (!detail::on_cuda(index))
    detail::check_indices("index_select", index, along, x.rank() == 0 ? 1 : x.shape()[along]);
  if (x.rank() == 0) return gather(x, 0, reshape(index, {}));
  Shape flat, wanted = x.shape();
  for (int d = 0; d < x.rank(); ++d) flat.push_back(d == along ? index.numel() : 1);
  wanted[along] = index.numel();
  return gather(x, along, expand(reshape(index, flat), wanted));
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
  detail::check_defined("masked_fill", x);
  detail::check_defined("masked_fill", mask, 1);
  if (mask.dtype() != DType::boolean)
    throw DTypeError(str("masked_fill: mask must be bool, got ", mask, "; use a comparison, such as x > 0"));
  broadcast(mask.shape(), x.shape(), "masked_fill");
  detail::check_number("masked_fill", value, x.dtype());
  return where(mask, full({}, value, {.dtype = x.dtype(), .device = x.device()}), x);
}

Tensor flip(const Tensor& x, const Shape& dims) {
  detail::check_defined("flip", x);
  Tensor y = x;
  if (dims.empty()) return clone(x);
  for (const std::int64_t dim : wrap_dims(dims, x.rank(), "flip")) {
    const std::int64_t size = x.size(dim);
    y = index_select(y, dim, indices(x, size, [&](std::int64_t i) { return size - 1 - i; }));
  }
  return y;
}

Tensor repeat(const Tensor& x, const Shape& counts) {
  detail::check_defined("repeat", x);
  const int added = counts.rank() - x.rank();
  if (added < 0) throw ShapeError(str("repeat: needs a count for each dimension of x ", x, ", got ", counts));
  // Each dimension of size n becomes [count, n]; the new one is expanded without a copy, then both are merged.
  Shape split, repeated, merged;
  for (int d = 0; d < counts.rank(); ++d) {
    if (counts[d] < 0) throw ValueError(str("repeat: counts must not be negative, got ", counts));
    const std::int64_t size = d < added ? 1 : x.shape()[d - added];
    split.push_back(1), split.push_back(size);
    repeated.push_back(counts[d]), repeated.push_back(size);
    merged.push_back(detail::fit(detail::Wide{counts[d]} * size, "repeat"));
  }
  const bool once = repeated == split;
  const Tensor blocks = expand(reshape(x, split), repeated);
  return reshape(once ? clone(blocks) : contiguous(blocks), merged);
}

Tensor repeat_interleave(const Tensor& x, std::int64_t count, std::int64_t dim) {
  detail::check_defined("repeat_interleave", x);
  if (x.rank() == 0)
    throw ShapeError(str("repeat_interleave: x has no dimension to repeat along, got ", x, "; reshape it to {1}"));
  if (count < 0) throw ValueError(str("repeat_interleave: count must not be negative, got ", count));
  const int along = wrap_dim(dim, x.rank(), "repeat_interleave");
  const std::int64_t total = detail::fit(detail::Wide{x.shape()[along]} * count, "repeat_interleave");
  return index_select(x, along, indices(x, total, [&](std::int64_t i) { return i / count; }));
}

Tensor one_hot(const Tensor& classes, std::int64_t count) {
  detail::check_defined("one_hot", classes);
  if (classes.dtype() != DType::int64)
    throw DTypeError(str("one_hot: classes must be int64, got ", classes, "; convert them with to()"));
  if (count < 1) throw ValueError(str("one_hot: count must be positive, got ", count));
  if (!detail::on_cuda(classes)) detail::check_indices("one_hot", classes, classes.rank(), count);
  const Tensor all = arange(0, count, 1, {.dtype = DType::int64, .device = classes.device()});
  return cast(unsqueeze(classes, -1) == all, DType::int64);
}

std::vector<Tensor> unbind(const Tensor& x, std::int64_t dim) {
  detail::check_defined("unbind", x);
  if (x.rank() == 0) throw ShapeError(str("unbind: x has no dimension to unbind, got ", x));
  const int along = wrap_dim(dim, x.rank(), "unbind");
  detail::expect_room(x.shape()[along], sizeof(Tensor) + sizeof(TensorImpl), "unbind");
  std::vector<Tensor> slices;
  slices.reserve(static_cast<std::size_t>(x.shape()[along]));
  for (std::int64_t i = 0; i < x.shape()[along]; ++i) slices.push_back(select(x, along, i));
  return slices;
}

}  // namespace minima
