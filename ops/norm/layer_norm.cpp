#include <minima/ops/norm/layer_norm.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/norm/kernels.h>
#include <minima/ops/norm/layer_norm_rules.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/check_option.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace minima {

namespace {

struct LayerNorm {
  static constexpr Traits traits{.name = "layer_norm", .autocast = Cast::to_float32, .hidden = 2, .optional = 0b110};
  Shape normalized;
  double eps;
  std::optional<DType> lower = {};  ///< y's dtype, a half type, where x is float32
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("normalized", normalized);
    visitor.number("eps", eps);
  }

  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    if (!is_floating(x.dtype()))
      throw DTypeError(str("layer_norm: x must be floating, got ", x, "; convert it with to()"));
    const std::int64_t rows = detail::check_layer_norm("layer_norm", x, normalized, weight, bias);
    const TensorSpec statistic = spec_of({rows}, detail::compute_dtype(x.dtype()), x.device());
    return {spec_of(x.shape(), lower && x.dtype() == DType::float32 ? *lower : x.dtype(), x.device()), statistic,
            statistic};
  }
  Cost cost(const Tensor& x, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 8 * count, .bytes = 2 * count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y, Tensor& mean, Tensor& rstd) const {
    detail::layer_norm_kernel_cpu(detail::in_rows(x), numel(normalized), weight, bias, {eps}, y, mean, rstd);
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y, Tensor& mean, Tensor& rstd) const {
    detail::layer_norm_kernel_cuda(detail::in_rows(x), numel(normalized), weight, bias, {eps}, y, mean, rstd);
  }

  Gradients<3> gradient(Grad g, Input<0> x, Input<1> weight, Needs needs) const {
    auto result = detail::layer_norm_gradient(g, x, weight, normalized.rank(), {eps},
                                              {.x = needs[0], .weight = needs[1], .bias = needs[2]});
    return {std::move(result.x), std::move(result.weight), std::move(result.bias)};
  }
  Gradients<3> fast_gradient(Grad g, Input<0> x, Input<1> weight, Hidden<0> mean, Hidden<1> rstd, SoFar<0> so_far,
                             Needs needs) const {
    auto result = detail::layer_norm_fast_gradient(g, x, weight, mean, rstd, normalized, so_far,
                                                   {.x = needs[0], .weight = needs[1], .bias = needs[2]});
    return {std::move(result.x), std::move(result.weight), std::move(result.bias)};
  }
};

}  // namespace

Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight, const Tensor& bias, double eps,
                  bool lower) {
  detail::check_number("layer_norm", "eps", eps, detail::not_negative);
  std::optional<DType> dtype;
  if (const detail::AutocastState* const state = detail::mode().autocast;
      lower && x.defined() && detail::autocasts(state, x.device().type))
    dtype = state->of(x.device().type).dtype;
  return apply(LayerNorm{normalized_shape, eps, dtype}, x, weight, bias);
}

namespace {

struct AddLayerNorm {
  static constexpr Traits traits{.name = "add_layer_norm", .hidden = 2, .optional = 0b1100};
  Shape normalized;
  double eps;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("normalized", normalized);
    visitor.number("eps", eps);
  }

  std::array<TensorSpec, 4> result(const Tensor& x, const Tensor& residual, const Tensor& weight,
                                   const Tensor& bias) const {
    detail::check_residual("add_layer_norm", x, residual);
    const std::int64_t rows = detail::check_layer_norm("add_layer_norm", x, normalized, weight, bias);
    const TensorSpec statistic = spec_of({rows}, detail::compute_dtype(x.dtype()), x.device());
    return {spec_of(x.shape(), residual.dtype(), x.device()), spec_of(x.shape(), x.dtype(), x.device()), statistic,
            statistic};
  }
  Cost cost(const Tensor& x, const Tensor& residual, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 9 * count, .bytes = 2 * count * static_cast<double>(x.itemsize() + residual.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias, Tensor& sum, Tensor& y,
           Tensor& mean, Tensor& rstd) const {
    detail::add_layer_norm_kernel_cpu(detail::in_rows(x), detail::in_rows(residual), numel(normalized), weight, bias,
                                      {eps}, sum, y, mean, rstd);
  }
  void cuda(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias, Tensor& sum, Tensor& y,
            Tensor& mean, Tensor& rstd) const {
    detail::add_layer_norm_kernel_cuda(detail::in_rows(x), detail::in_rows(residual), numel(normalized), weight, bias,
                                       {eps}, sum, y, mean, rstd);
  }

  Gradients<4> gradient(GradAt<0> of_sum, GradAt<1> g, OutputAt<0> sum, Input<2> weight, Needs needs) const {
    if (!g.defined()) return {of_sum, of_sum, Tensor(), Tensor()};
    auto [through, dweight, dbias, branch] = detail::layer_norm_gradient(
        g, sum, weight, normalized.rank(), {eps}, {.x = needs[0] || needs[1], .weight = needs[2], .bias = needs[3]});
    const Tensor dx = through.defined() && of_sum.defined() ? of_sum + through : through;
    return {dx, dx, std::move(dweight), std::move(dbias)};
  }

  Gradients<4> fast_gradient(GradAt<0> of_sum, GradAt<1> g, OutputAt<0> sum, Input<2> weight, Hidden<0> mean,
                             Hidden<1> rstd, Needs needs) const {
    if (!g.defined()) return {of_sum, of_sum, Tensor(), Tensor()};
    const bool widens = g.dtype() != sum.dtype();
    auto result = detail::layer_norm_fast_gradient(
        g, sum, weight, mean, rstd, normalized, of_sum,
        {.x = needs[1] || (needs[0] && !widens), .weight = needs[2], .bias = needs[3], .branch = needs[0] && widens});
    return {widens ? std::move(result.branch) : result.x, result.x, std::move(result.weight), std::move(result.bias)};
  }
};

}  // namespace

SumAndNorm add_layer_norm(const Tensor& x, const Tensor& residual, const Shape& normalized_shape, const Tensor& weight,
                          const Tensor& bias, double eps) {
  const Tensor stream = detail::autocast(Cast::to_float32, residual);
  auto [sum, normed] = apply(AddLayerNorm{normalized_shape, eps}, x, stream, weight, bias);
  return {std::move(sum), std::move(normed)};
}

}  // namespace minima
