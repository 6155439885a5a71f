#include <minima/ops/view/repeat.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/view/split.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstdint>

namespace minima {

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

Tensor tile(const Tensor& x, const Shape& counts) {
  detail::check_defined("tile", x);
  for (const std::int64_t count : counts)
    if (count < 0) throw ValueError(str("tile: counts must not be negative, got ", counts));
  Shape all = Shape::filled(std::max(0, x.rank() - counts.rank()), 1);
  for (const std::int64_t count : counts) all.push_back(count);
  return repeat(x, all);
}

Tensor repeat_interleave(const Tensor& x, std::int64_t count, std::int64_t dim) {
  detail::check_defined("repeat_interleave", x);
  if (x.rank() == 0)
    throw ShapeError(str("repeat_interleave: x has no dimension to repeat along, got ", x, "; reshape it to {1}"));
  if (count < 0) throw ValueError(str("repeat_interleave: count must not be negative, got ", count));
  const int along = wrap_dim(dim, x.rank(), "repeat_interleave");
  const std::int64_t total = detail::fit(detail::Wide{x.shape()[along]} * count, "repeat_interleave");
  const Tensor indices = empty({total}, {.dtype = DType::int64});
  for (std::int64_t i = 0; i < total; ++i) indices.data<std::int64_t>()[i] = i / count;
  return index_select(x, along, indices.to(x.device()));
}

}  // namespace minima
