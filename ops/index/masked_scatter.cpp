#include <minima/ops/index/masked.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/index/common.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>

#include <cstdint>

namespace minima {

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  constexpr const char* op = "masked_scatter";
  detail::check_defined(op, x);
  detail::check_defined(op, mask, 1);
  detail::check_source(op, x, source);
  if (mask.dtype() != DType::boolean)
    throw DTypeError(str(op, ": mask must be bool, got ", mask, "; use a comparison, such as x > 0"));
  const Shape shape = broadcast(mask.shape(), x.shape(), op);
  if (shape != x.shape()) throw ShapeError(str(op, ": the mask must broadcast to the shape of x ", x, ", got ", mask));
  const Tensor flags = reshape(expand(mask, shape), {-1});
  if (!detail::on_cuda(x)) {
    const auto wanted = sum(flags).item<std::int64_t>();
    if (wanted > source.numel())
      throw ShapeError(str(op, ": the mask selects ", wanted, " elements, but the source has only ", source.numel()));
  }
  if (source.numel() == 0) return clone(x);
  const Tensor from = gather(reshape(source, {-1}), 0, where(flags, cumsum(flags, 0) - 1, 0));
  return where(reshape(flags, shape), reshape(from, shape), x);
}

}  // namespace minima
