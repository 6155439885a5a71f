#include <minima/ops/add_layer_norm/add_layer_norm.h>

#include <minima/ops/layer_norm/layer_norm.h>
#include <minima/ops/layer_norm/layer_norm_kernel.h>
#include <minima/ops/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>

namespace minima {

namespace {

struct AddLayerNorm {
  static constexpr Traits traits{.name = "add_layer_norm", .autocast = Cast::to_float32, .hidden = 2, .optional = 0b1100};
  Shape normalized;
  double eps;

  std::array<TensorSpec, 4> result(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias) const {
    if (!is_floating(x.dtype()) || residual.dtype() != x.dtype())
      throw DTypeError(str("add_layer_norm: x and residual must have one floating dtype, got ", x, " and ", residual));
    if (residual.shape() != x.shape())
      throw ShapeError(str("add_layer_norm: x and residual must have one shape, got ", x, " and ", residual));
    const int outer = x.rank() - normalized.rank();
    bool fits = !normalized.empty() && outer >= 0;
    for (int d = 0; fits && d < normalized.rank(); ++d) fits = x.shape()[outer + d] == normalized[d];
    if (!fits)
      throw ShapeError(str("add_layer_norm: x ", x, " must end in normalized_shape ", normalized, ", of at least one dimension"));
    check("weight", weight);
    check("bias", bias);
    std::int64_t rows = 1;
    for (int d = 0; d < outer; ++d) rows *= x.shape()[d];
    const TensorSpec row_major = spec_of(x.shape(), x.dtype(), x.device());
    const TensorSpec statistic = spec_of({rows}, detail::compute_dtype(x.dtype()), x.device());
    return {row_major, row_major, statistic, statistic};
  }
  Cost cost(const Tensor& x, const Tensor&, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 9 * count, .bytes = 4 * count * static_cast<double>(x.itemsize())};
  }
  Cost gradient_cost(const Tensor& x, const Tensor&, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 17 * count, .bytes = 4 * count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias, Tensor& sum, Tensor& y,
           Tensor& mean, Tensor& rstd) const {
    detail::add_layer_norm_kernel_cpu(row_major(x), row_major(residual), numel(normalized), weight, bias, eps, sum, y,
                                      mean, rstd);
  }
  void cuda(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias, Tensor& sum, Tensor& y,
            Tensor& mean, Tensor& rstd) const {
    detail::add_layer_norm_kernel_cuda(row_major(x), row_major(residual), numel(normalized), weight, bias, eps, sum, y,
                                       mean, rstd);
  }

  Gradients<4> gradient(GradAt<0> of_sum, GradAt<1> g, OutputAt<0> x, Input<2> weight, Needs needs) const {
    Gradients<4> result;
    Tensor dx = of_sum;
    if (g.defined()) {
      Shape inner, outer;
      for (int d = 0; d < x.rank(); ++d) (d < x.rank() - normalized.rank() ? outer : inner).push_back(d);
      const Tensor centered = x - mean(x, inner, true);
      const Tensor rstd = rsqrt(mean(square(centered), inner, true) + eps);
      const Tensor unit = centered * rstd;
      const auto over_rows = [&](const Tensor& t) { return outer.empty() ? t : sum(t, outer); };
      const Tensor scaled = weight.defined() ? g * weight : Tensor(g);
      const Tensor through = rstd * (scaled - mean(scaled, inner, true) - unit * mean(scaled * unit, inner, true));
      dx = dx.defined() ? dx + through : through;
      if (needs[2]) result[2] = over_rows(g * unit);
      if (needs[3]) result[3] = over_rows(g);
    }
    if (needs[0]) result[0] = dx;
    if (needs[1]) result[1] = dx;
    return result;
  }

  Gradients<4> fast_gradient(GradAt<0> of_sum, GradAt<1> g, OutputAt<0> x, Input<2> weight, Hidden<0> mean,
                             Hidden<1> rstd, Needs needs) const {
    if (!g.defined()) return {of_sum, of_sum, Tensor(), Tensor()};
    const auto like = [&](bool wanted, const Shape& shape, DType dtype) {
      return wanted ? detail::allocate(spec_of(shape, dtype, x.device())) : Tensor();
    };
    const DType wide = detail::compute_dtype(x.dtype());
    const Tensor dx = like(needs[0] || needs[1], x.shape(), x.dtype());
    Gradients<4> result{dx, dx, like(needs[2], normalized, wide), like(needs[3], normalized, wide)};
    const Tensor also = of_sum.defined() ? row_major(of_sum) : Tensor(), gs = row_major(g);
    const std::int64_t n = numel(normalized);
    if constexpr (detail::has_cuda_kernels)
      if (detail::on_cuda(x)) {
        detail::layer_norm_gradient_kernel_cuda(gs, x, n, weight, mean, rstd, dx, result[2], result[3], also);
        return result;
      }
    detail::layer_norm_gradient_kernel_cpu(gs, x, n, weight, mean, rstd, dx, result[2], result[3], also);
    return result;
  }

 private:
  static Tensor row_major(const Tensor& x) { return detail::arranged(x, Layout::contiguous(x.shape())); }
  void check(const char* what, const Tensor& values) const {
    if (!values.defined()) return;
    if (values.shape() != normalized)
      throw ShapeError(str("add_layer_norm: ", what, " must have normalized_shape ", normalized, ", got ", values));
    if (!is_floating(values.dtype())) throw DTypeError(str("add_layer_norm: ", what, " must be floating, got ", values));
  }
};

}  // namespace

SumAndNorm add_layer_norm(const Tensor& x, const Tensor& residual, const Shape& normalized_shape, const Tensor& weight,
                          const Tensor& bias, double eps) {
  auto [sum, normed] = apply(AddLayerNorm{normalized_shape, eps}, x, residual, weight, bias);
  return {std::move(sum), std::move(normed)};
}

}  // namespace minima
