#include <minima/ops/rms_norm/rms_norm.h>

#include <minima/ops/layer_norm/layer_norm_kernels.h>
#include <minima/ops/layer_norm/layer_norm_rules.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/tensor/base/check_option.h>

#include <array>
#include <cstdint>
#include <utility>

namespace minima {

namespace {

/// Layer norm's kernels without the mean.
struct RmsNorm {
  static constexpr Traits traits{.name = "rms_norm", .hidden = 1, .optional = 0b10};
  Shape normalized;
  double eps;

  detail::RowNorm norm() const { return {.eps = eps, .centered = false}; }

  std::array<TensorSpec, 2> result(const Tensor& x, const Tensor& weight) const {
    if (!is_floating(x.dtype()))
      throw DTypeError(str("rms_norm: x must be floating, got ", x, "; convert it with to()"));
    const std::int64_t rows = detail::check_layer_norm("rms_norm", x, normalized, weight, {});
    return {spec_of(x.shape(), x.dtype(), x.device()), spec_of({rows}, detail::compute_dtype(x.dtype()), x.device())};
  }
  Cost cost(const Tensor& x, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 4 * count, .bytes = 2 * count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& weight, Tensor& y, Tensor& rstd) const {
    detail::layer_norm_kernel_cpu(detail::in_rows(x), numel(normalized), weight, {}, norm(), y, {}, rstd);
  }
  void cuda(const Tensor& x, const Tensor& weight, Tensor& y, Tensor& rstd) const {
    detail::layer_norm_kernel_cuda(detail::in_rows(x), numel(normalized), weight, {}, norm(), y, {}, rstd);
  }

  Gradients<2> gradient(Grad g, Input<0> x, Input<1> weight, Needs needs) const {
    auto result =
        detail::layer_norm_gradient(g, x, weight, normalized.rank(), norm(), {.x = needs[0], .weight = needs[1]});
    return {std::move(result.x), std::move(result.weight)};
  }
  Gradients<2> fast_gradient(Grad g, Input<0> x, Input<1> weight, Hidden<0> rstd, SoFar<0> so_far, Needs needs) const {
    auto result = detail::layer_norm_fast_gradient(g, x, weight, {}, rstd, normalized, so_far,
                                                   {.x = needs[0], .weight = needs[1]});
    return {std::move(result.x), std::move(result.weight)};
  }
};

}  // namespace

Tensor rms_norm(const Tensor& x, const Shape& normalized, const Tensor& weight, double eps) {
  detail::check_number("rms_norm", "eps", eps, detail::not_negative);
  return apply(RmsNorm{normalized, eps}, x, weight);
}

}  // namespace minima
