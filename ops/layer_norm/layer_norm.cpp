#include <minima/ops/layer_norm/layer_norm.h>

#include <minima/ops/layer_norm/layer_norm_kernels.h>
#include <minima/ops/layer_norm/layer_norm_rules.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>

#include <array>
#include <cstdint>
#include <utility>

namespace minima {

namespace {

struct LayerNorm {
  static constexpr Traits traits{.name = "layer_norm", .autocast = Cast::to_float32, .hidden = 2, .optional = 0b110};
  Shape normalized;
  double eps;

  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    if (!is_floating(x.dtype()))
      throw DTypeError(str("layer_norm: x must be floating, got ", x, "; convert it with to()"));
    const std::int64_t rows = detail::check_layer_norm("layer_norm", x, normalized, weight, bias);
    const TensorSpec statistic = spec_of({rows}, detail::compute_dtype(x.dtype()), x.device());
    return {spec_of(x.shape(), x.dtype(), x.device()), statistic, statistic};
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
    auto [dx, dweight, dbias] =
        detail::layer_norm_gradient(g, x, weight, normalized.rank(), {eps}, needs[0], needs[1], needs[2]);
    return {std::move(dx), std::move(dweight), std::move(dbias)};
  }
  Gradients<3> fast_gradient(Grad g, Input<0> x, Input<1> weight, Hidden<0> mean, Hidden<1> rstd, Needs needs) const {
    auto [dx, dweight, dbias] =
        detail::layer_norm_fast_gradient(g, x, weight, mean, rstd, normalized, {}, needs[0], needs[1], needs[2]);
    return {std::move(dx), std::move(dweight), std::move(dbias)};
  }
};

}  // namespace

Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps) {
  return apply(LayerNorm{normalized_shape, eps}, x, weight, bias);
}

}  // namespace minima
