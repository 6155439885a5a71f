#include <minima/ops/reduce/sum.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/view/view.h>

namespace minima {

namespace {

struct NanSum {
  static constexpr Traits traits{.name = "nansum"};
  Shape dims;  ///< sorted
  bool keep_dim;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.integer("keep_dim", keep_dim);
  }
  TensorSpec result(const Tensor& x) const {
    return spec_of(reduced_shape(x.shape(), dims, keep_dim), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const { return detail::cost_of_reading(x); }
  void cpu(const Tensor& x, Tensor& y) const { detail::nansum_kernel_cpu(x, dims, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::nansum_kernel_cuda(x, dims, y); }
  Tensor gradient(Grad g, Input<0> x) const {
    return where(isnan(x), 0, expand(reshape(g, reduced_shape(x.shape(), dims, true)), x.shape()));
  }
};

}  // namespace

Tensor nansum(const Tensor& x, const Shape& dims, bool keep_dim) {
  detail::check_defined("nansum", x);
  const Shape along = wrap_dims(dims, x.rank(), "nansum");
  const detail::WithoutAutocast guard;
  return is_floating(x.dtype()) ? apply(NanSum{along, keep_dim}, x) : sum(x, along, keep_dim);
}

Tensor nanmean(const Tensor& x, const Shape& dims, bool keep_dim) {
  detail::check_floating("nanmean", x);
  const Shape along = wrap_dims(dims, x.rank(), "nanmean");
  const detail::WithoutAutocast guard;
  // The sum of a half type may not fit.
  const Tensor missing = isnan(x), sums = sum(where(missing, 0, detail::in_full(x)), along, keep_dim);
  return cast(sums / sum(logical_not(missing), along, keep_dim), x.dtype());
}

}  // namespace minima
