#include <minima/ops/arrange/arrange.h>

#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/gather/gather.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/view.h>

namespace minima {

namespace {

/// Indices of one dimension, made on the CPU and brought to x's device.
template <class F>
Tensor indices(const Tensor& x, std::int64_t count, const F& at) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = at(i);
  return from_vector(values, {count}, x.device());
}

/// column - row of the last two dimensions.
Tensor diagonals(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (x.rank() < 2) throw ShapeError(str(op, ": needs a matrix or a batch of them, got ", x));
  const TensorOptions options{.dtype = DType::int64, .device = x.device()};
  return arange(0, x.size(-1), 1, options) - unsqueeze(arange(0, x.size(-2), 1, options), 1);
}

Tensor zero_like(const Tensor& x) { return zeros({}, {.dtype = x.dtype(), .device = x.device()}); }

/// Where the element at place i beyond the edges of a dimension of `size` comes from.
std::int64_t source(PadMode mode, std::int64_t i, std::int64_t size) {
  switch (mode) {
    case PadMode::reflect: return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    case PadMode::replicate: return i < 0 ? 0 : i >= size ? size - 1 : i;
    default: return i < 0 ? i + size : i >= size ? i - size : i;
  }
}

void check_padding(const Tensor& x, int dim, std::int64_t left, std::int64_t right, PadMode mode) {
  if (left < 0 || right < 0) throw ValueError(str("pad: only mode constant takes elements away, got {", left, ", ", right, "}"));
  const std::int64_t size = x.shape()[dim];
  const std::int64_t most = mode == PadMode::reflect ? size - 1 : mode == PadMode::circular ? size : size > 0 ? INT64_MAX : 0;
  if (left > most || right > most)
    throw ShapeError(str("pad: dimension ", dim, " of x ", x, " has too few elements to add ", left, " and ", right,
                         " in this mode; at most ", most));
}

Tensor pad_dim(const Tensor& x, int dim, std::int64_t left, std::int64_t right, PadMode mode, Scalar value) {
  const std::int64_t size = x.shape()[dim];
  if (mode != PadMode::constant) {
    check_padding(x, dim, left, right, mode);
    return index_select(x, dim, indices(x, left + size + right, [&](std::int64_t i) { return source(mode, i - left, size); }));
  }
  const std::int64_t first = std::max<std::int64_t>(-left, 0), end = size - std::max<std::int64_t>(-right, 0);
  if (first > end) throw ShapeError(str("pad: {", left, ", ", right, "} takes away more than dimension ", dim, " of x ", x, " has"));
  const auto block = [&](std::int64_t count) {
    Shape shape = x.shape();
    shape[dim] = count;
    return full(shape, value, {.dtype = x.dtype(), .device = x.device()});
  };
  std::vector<Tensor> parts;
  if (left > 0) parts.push_back(block(left));
  parts.push_back(narrow(x, dim, first, end - first));
  if (right > 0) parts.push_back(block(right));
  return cat(parts, dim);
}

}  // namespace

Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& index) {
  detail::check_defined("index_select", x);
  detail::check_defined("index_select", index);
  const int along = wrap_dim(dim, x.rank(), "index_select");
  if (index.rank() > 1 || index.dtype() != DType::int64)
    throw ShapeError(str("index_select: index must be an int64 vector, got ", index));
  Shape flat, wanted = x.shape();
  for (int d = 0; d < x.rank(); ++d) flat.push_back(d == along ? index.numel() : 1);
  wanted[along] = index.numel();
  return gather(x, along, expand(reshape(index, flat), wanted));
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
  detail::check_defined("masked_fill", x);
  detail::check_defined("masked_fill", mask);
  if (mask.dtype() != DType::boolean) throw DTypeError(str("masked_fill: mask must be bool, got ", mask));
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

Tensor roll(const Tensor& x, std::int64_t shift, std::int64_t dim) {
  detail::check_defined("roll", x);
  const int along = wrap_dim(dim, x.rank(), "roll");
  const std::int64_t size = x.shape()[along];
  if (size == 0) return clone(x);
  const std::int64_t by = ((shift % size) + size) % size;
  return cat({narrow(x, along, size - by, by), narrow(x, along, 0, size - by)}, along);
}

Tensor repeat(const Tensor& x, const Shape& counts) {
  detail::check_defined("repeat", x);
  const int added = counts.rank() - x.rank();
  if (added < 0) throw ShapeError(str("repeat: needs a count for each dimension of x ", x, ", got ", counts));
  // Each dimension of size n becomes [count, n], of which the first is repeated without a copy, then both are merged.
  Shape apart, repeated, merged;
  for (int d = 0; d < counts.rank(); ++d) {
    if (counts[d] < 0) throw ValueError(str("repeat: counts must not be negative, got ", counts));
    const std::int64_t size = d < added ? 1 : x.shape()[d - added];
    apart.push_back(1), apart.push_back(size);
    repeated.push_back(counts[d]), repeated.push_back(size);
    merged.push_back(counts[d] * size);
  }
  const bool once = repeated == apart;
  const Tensor blocks = expand(reshape(x, apart), repeated);
  return reshape(once ? clone(blocks) : contiguous(blocks), merged);
}

Tensor repeat_interleave(const Tensor& x, std::int64_t count, std::int64_t dim) {
  detail::check_defined("repeat_interleave", x);
  if (count < 0) throw ValueError(str("repeat_interleave: count must not be negative, got ", count));
  const int along = wrap_dim(dim, x.rank(), "repeat_interleave");
  return index_select(x, along, indices(x, x.shape()[along] * count, [&](std::int64_t i) { return i / count; }));
}

Tensor tril(const Tensor& x, std::int64_t diagonal) {
  const Tensor inside = diagonals("tril", x) <= diagonal;
  return where(inside, x, zero_like(x));
}

Tensor triu(const Tensor& x, std::int64_t diagonal) {
  const Tensor inside = diagonals("triu", x) >= diagonal;
  return where(inside, x, zero_like(x));
}

Tensor one_hot(const Tensor& classes, std::int64_t count) {
  detail::check_defined("one_hot", classes);
  if (classes.dtype() != DType::int64) throw DTypeError(str("one_hot: classes must be int64, got ", classes));
  if (count < 1) throw ValueError(str("one_hot: count must be positive, got ", count));
  const Tensor all = arange(0, count, 1, {.dtype = DType::int64, .device = classes.device()});
  return cast(unsqueeze(classes, -1) == all, DType::int64);
}

std::vector<Tensor> unbind(const Tensor& x, std::int64_t dim) {
  detail::check_defined("unbind", x);
  const int along = wrap_dim(dim, x.rank(), "unbind");
  std::vector<Tensor> slices;
  for (std::int64_t i = 0; i < x.shape()[along]; ++i) slices.push_back(select(x, along, i));
  return slices;
}

Tensor pad(const Tensor& x, const Shape& amounts, PadMode mode, Scalar value) {
  detail::check_defined("pad", x);
  if (amounts.rank() % 2 != 0 || amounts.rank() / 2 > x.rank())
    throw ShapeError(str("pad: amounts must be pairs for at most the ", x.rank(), " dimensions of x ", x, ", got ", amounts));
  Tensor y = x;
  for (int pair = 0; pair < amounts.rank() / 2; ++pair) {
    const std::int64_t left = amounts[2 * pair], right = amounts[2 * pair + 1];
    if (left != 0 || right != 0) y = pad_dim(y, x.rank() - 1 - pair, left, right, mode, value);
  }
  return y;
}

}  // namespace minima
