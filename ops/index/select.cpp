#include <minima/ops/index/select.h>

#include <minima/ops/index/common.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>

#include <cstdint>

namespace minima {

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

}  // namespace minima
