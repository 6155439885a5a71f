#include <minima/ops/index/select.h>

#include <minima/ops/index/common.h>
#include <minima/ops/index/index.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/view.h>

#include <cstdint>

namespace minima {

Tensor take(const Tensor& x, const Tensor& index) {
  constexpr const char* op = "take";
  detail::check_defined(op, x);
  detail::check_index(op, index);
  detail::check_range(op, index, x.numel());
  return reshape(minima::index(reshape(x, {-1}), {reshape(index, {-1})}), index.shape());
}

Tensor take_along_dim(const Tensor& x, const Tensor& index, std::int64_t dim) {
  constexpr const char* op = "take_along_dim";
  detail::check_defined(op, x);
  detail::check_index(op, index);
  const int along = wrap_dim(dim, x.rank(), op);
  if (index.rank() != x.rank()) throw ShapeError(str(op, ": the index must have the rank of x ", x, ", got ", index));
  if (x.rank() == 0) return gather(x, 0, index);
  Shape common = x.shape(), places = index.shape();
  common[along] = places[along] = 1;
  Shape all = broadcast(common, places, op), wanted = all;
  all[along] = x.shape()[along];
  wanted[along] = index.shape()[along];
  detail::check_range(op, index, x.shape()[along]);
  const bool from_start = !detail::on_cuda(index) && detail::indices_within(index, 0, x.shape()[along]);
  const Tensor position = from_start ? index : where(index < 0, index + x.shape()[along], index);
  return gather(expand(x, all), along, expand(position, wanted));
}

}  // namespace minima
