#include <minima/ops/norm/rms_norm.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/norm/kernels.h>
#include <minima/ops/norm/layer_norm_rules.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
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
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("normalized", normalized);
    visitor.number("eps", eps);
  }

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

namespace {

/// add_layer_norm's kernels without the mean.
struct AddRmsNorm {
  static constexpr Traits traits{.name = "add_rms_norm", .hidden = 1, .optional = 0b100};
  Shape normalized;
  double eps;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("normalized", normalized);
    visitor.number("eps", eps);
  }

  detail::RowNorm norm() const { return {.eps = eps, .centered = false}; }

  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor& residual, const Tensor& weight) const {
    detail::check_residual("add_rms_norm", x, residual);
    const std::int64_t rows = detail::check_layer_norm("add_rms_norm", x, normalized, weight, {});
    return {spec_of(x.shape(), residual.dtype(), x.device()), spec_of(x.shape(), x.dtype(), x.device()),
            spec_of({rows}, detail::compute_dtype(x.dtype()), x.device())};
  }
  Cost cost(const Tensor& x, const Tensor& residual, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 5 * count, .bytes = 2 * count * static_cast<double>(x.itemsize() + residual.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& residual, const Tensor& weight, Tensor& sum, Tensor& y, Tensor& rstd) const {
    detail::add_layer_norm_kernel_cpu(detail::in_rows(x), detail::in_rows(residual), numel(normalized), weight, {},
                                      norm(), sum, y, {}, rstd);
  }
  void cuda(const Tensor& x, const Tensor& residual, const Tensor& weight, Tensor& sum, Tensor& y, Tensor& rstd) const {
    detail::add_layer_norm_kernel_cuda(detail::in_rows(x), detail::in_rows(residual), numel(normalized), weight, {},
                                       norm(), sum, y, {}, rstd);
  }

  Gradients<3> gradient(GradAt<0> of_sum, GradAt<1> g, OutputAt<0> sum, Input<2> weight, Needs needs) const {
    if (!g.defined()) return {of_sum, of_sum, Tensor()};
    auto result = detail::layer_norm_gradient(g, sum, weight, normalized.rank(), norm(),
                                              {.x = needs[0] || needs[1], .weight = needs[2]});
    const Tensor dx = result.x.defined() && of_sum.defined() ? of_sum + result.x : result.x;
    return {dx, dx, std::move(result.weight)};
  }

  Gradients<3> fast_gradient(GradAt<0> of_sum, GradAt<1> g, OutputAt<0> sum, Input<2> weight, Hidden<0> rstd,
                             Needs needs) const {
    if (!g.defined()) return {of_sum, of_sum, Tensor()};
    const bool widens = g.dtype() != sum.dtype();
    auto result = detail::layer_norm_fast_gradient(
        g, sum, weight, {}, rstd, normalized, of_sum,
        {.x = needs[1] || (needs[0] && !widens), .weight = needs[2], .branch = needs[0] && widens});
    return {widens ? std::move(result.branch) : result.x, result.x, std::move(result.weight)};
  }
};

}  // namespace

SumAndNorm add_rms_norm(const Tensor& x, const Tensor& residual, const Shape& normalized_shape, const Tensor& weight,
                        double eps) {
  const Tensor stream = detail::autocast(Cast::to_float32, residual);
  auto [sum, normed] = apply(AddRmsNorm{normalized_shape, eps}, x, stream, weight);
  return {std::move(sum), std::move(normed)};
}

}  // namespace minima
