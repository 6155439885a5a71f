#include <minima/ops/add_layer_norm/add_layer_norm.h>

#include <minima/ops/layer_norm/layer_norm_kernels.h>
#include <minima/ops/layer_norm/layer_norm_rules.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <array>
#include <cstdint>
#include <utility>

namespace minima {

namespace {

struct AddLayerNorm {
  static constexpr Traits traits{
      .name = "add_layer_norm", .autocast = Cast::to_float32, .hidden = 2, .optional = 0b1100};
  Shape normalized;
  double eps;

  std::array<TensorSpec, 4> result(const Tensor& x, const Tensor& residual, const Tensor& weight,
                                   const Tensor& bias) const {
    if (!is_floating(x.dtype()) || residual.dtype() != x.dtype())
      throw DTypeError(
          str("add_layer_norm: x and residual must have the same floating dtype, got ", x, " and ", residual));
    if (residual.shape() != x.shape())
      throw ShapeError(str("add_layer_norm: x and residual must have the same shape, got ", x, " and ", residual));
    const std::int64_t rows = detail::check_layer_norm("add_layer_norm", x, normalized, weight, bias);
    const TensorSpec row_major = spec_of(x.shape(), x.dtype(), x.device());
    const TensorSpec statistic = spec_of({rows}, detail::compute_dtype(x.dtype()), x.device());
    return {row_major, row_major, statistic, statistic};
  }
  Cost cost(const Tensor& x, const Tensor&, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 9 * count, .bytes = 4 * count * static_cast<double>(x.itemsize())};
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

  Gradients<4> gradient(GradAt<0> of_sum, GradAt<1> g, OutputAt<0> x, Input<2> weight, Needs needs) const {
    if (!g.defined()) return {of_sum, of_sum, Tensor(), Tensor()};
    auto [through, dweight, dbias] =
        detail::layer_norm_gradient(g, x, weight, normalized.rank(), {eps}, needs[0] || needs[1], needs[2], needs[3]);
    const Tensor dx = through.defined() && of_sum.defined() ? of_sum + through : through;
    return {dx, dx, std::move(dweight), std::move(dbias)};
  }

  Gradients<4> fast_gradient(GradAt<0> of_sum, GradAt<1> g, OutputAt<0> x, Input<2> weight, Hidden<0> mean,
                             Hidden<1> rstd, Needs needs) const {
    if (!g.defined()) return {of_sum, of_sum, Tensor(), Tensor()};
    auto [dx, dweight, dbias] = detail::layer_norm_fast_gradient(g, x, weight, mean, rstd, normalized, of_sum,
                                                                 needs[0] || needs[1], needs[2], needs[3]);
    return {dx, dx, std::move(dweight), std::move(dbias)};
  }
};

}  // namespace

SumAndNorm add_layer_norm(const Tensor& x, const Tensor& residual, const Shape& normalized_shape, const Tensor& weight,
                          const Tensor& bias, double eps) {
  auto [sum, normed] = apply(AddLayerNorm{normalized_shape, eps}, x, residual, weight, bias);
  return {std::move(sum), std::move(normed)};
}

}  // namespace minima
