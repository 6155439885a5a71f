#include <minima/ops/layer_norm/layer_norm.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>
#include <minima/ops/layer_norm/layer_norm_kernels.h>
#include <minima/ops/layer_norm/layer_norm_rules.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
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

}  // namespace minima
