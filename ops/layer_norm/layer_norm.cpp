#include <minima/ops/layer_norm/layer_norm.h>

#include <minima/ops/layer_norm/layer_norm_kernel.h>
#include <minima/ops/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>

namespace minima {

namespace {

struct LayerNorm {
  static constexpr Traits traits{.name = "layer_norm", .autocast = Cast::to_float32, .hidden = 2, .optional = 0b110};
  Shape normalized;
  double eps;

  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    if (!is_floating(x.dtype())) throw DTypeError(str("layer_norm: x must be floating, got ", x, "; convert it with to()"));
    const int outer = x.rank() - normalized.rank();
    bool fits = !normalized.empty() && outer >= 0;
    for (int d = 0; fits && d < normalized.rank(); ++d) fits = x.shape()[outer + d] == normalized[d];
    if (!fits)
      throw ShapeError(str("layer_norm: x ", x, " must end in normalized_shape ", normalized, ", of at least one dimension"));
    check("weight", weight);
    check("bias", bias);
    const TensorSpec statistic = spec_of({rows(x)}, detail::compute_dtype(x.dtype()), x.device());
    return {spec_of(x.shape(), x.dtype(), x.device()), statistic, statistic};
  }
  Cost cost(const Tensor& x, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 8 * count, .bytes = 2 * count * static_cast<double>(x.itemsize())};
  }
  Cost gradient_cost(const Tensor& x, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 16 * count, .bytes = 3 * count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y, Tensor& mean, Tensor& rstd) const {
    detail::layer_norm_kernel_cpu(row_major(x), numel(normalized), weight, bias, eps, y, mean, rstd);
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y, Tensor& mean, Tensor& rstd) const {
    detail::layer_norm_kernel_cuda(row_major(x), numel(normalized), weight, bias, eps, y, mean, rstd);
  }

  Gradients<3> gradient(Grad g, Input<0> x, Input<1> weight, Needs needs) const {
    Shape inner, outer;
    for (int d = 0; d < x.rank(); ++d) (d < x.rank() - normalized.rank() ? outer : inner).push_back(d);
    const Tensor centered = x - mean(x, inner, true);
    const Tensor rstd = rsqrt(mean(square(centered), inner, true) + eps);
    const Tensor unit = centered * rstd;
    const auto over_rows = [&](const Tensor& t) { return outer.empty() ? t : sum(t, outer); };
    Gradients<3> result;
    if (needs[0]) {
      const Tensor scaled = weight.defined() ? g * weight : Tensor(g);
      result[0] = rstd * (scaled - mean(scaled, inner, true) - unit * mean(scaled * unit, inner, true));
    }
    if (needs[1]) result[1] = over_rows(g * unit);
    if (needs[2]) result[2] = over_rows(g);
    return result;
  }

  Gradients<3> fast_gradient(Grad g, Input<0> x, Input<1> weight, Hidden<0> mean, Hidden<1> rstd, Needs needs) const {
    const auto like = [&](bool wanted, const Shape& shape, DType dtype) {
      return wanted ? detail::allocate(spec_of(shape, dtype, x.device())) : Tensor();
    };
    const DType wide = detail::compute_dtype(x.dtype());
    Gradients<3> result{like(needs[0], x.shape(), x.dtype()), like(needs[1], normalized, wide),
                        like(needs[2], normalized, wide)};
    const Tensor gs = row_major(g), xs = row_major(x);
    const std::int64_t n = numel(normalized);
    if constexpr (detail::has_cuda_kernels)
      if (detail::on_cuda(x)) {
        detail::layer_norm_gradient_kernel_cuda(gs, xs, n, weight, mean, rstd, result[0], result[1], result[2]);
        return result;
      }
    detail::layer_norm_gradient_kernel_cpu(gs, xs, n, weight, mean, rstd, result[0], result[1], result[2]);
    return result;
  }

 private:
  static Tensor row_major(const Tensor& x) { return detail::arranged(x, Layout::contiguous(x.shape())); }
  std::int64_t rows(const Tensor& x) const {
    std::int64_t count = 1;
    for (int d = 0; d < x.rank() - normalized.rank(); ++d) count *= x.shape()[d];
    return count;
  }
  void check(const char* what, const Tensor& values) const {
    if (!values.defined()) return;
    if (values.shape() != normalized)
      throw ShapeError(str("layer_norm: ", what, " must have normalized_shape ", normalized, ", got ", values));
    if (!is_floating(values.dtype())) throw DTypeError(str("layer_norm: ", what, " must be floating, got ", values));
  }
};

}  // namespace

Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight, const Tensor& bias, double eps) {
  return apply(LayerNorm{normalized_shape, eps}, x, weight, bias);
}

}  // namespace minima
