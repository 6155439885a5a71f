#include <minima/ops/norm/layer_norm_rules.h>

#include <minima/ops/core/on_cuda.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/core/spec.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/norm/kernels.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::detail {

namespace {

void check_affine(const char* op, const char* what, const Tensor& values, const Shape& normalized) {
  if (!values.defined()) return;
  if (values.shape() != normalized)
    throw ShapeError(str(op, ": ", what, " must have normalized_shape ", normalized, ", got ", values));
  if (!is_floating(values.dtype()))
    throw DTypeError(str(op, ": ", what, " must be floating, got ", values, "; convert it with to()"));
}

}  // namespace

std::int64_t check_layer_norm(const char* op, const Tensor& x, const Shape& normalized, const Tensor& weight,
                              const Tensor& bias) {
  const int outer = x.rank() - normalized.rank();
  bool fits = !normalized.empty() && outer >= 0;
  for (int d = 0; fits && d < normalized.rank(); ++d) fits = x.shape()[outer + d] == normalized[d];
  if (!fits)
    throw ShapeError(str(op, ": x ", x, " must end in normalized_shape ", normalized, ", of at least one dimension"));
  check_affine(op, "weight", weight, normalized);
  check_affine(op, "bias", bias, normalized);
  std::int64_t rows = 1;
  for (int d = 0; d < outer; ++d) rows *= x.shape()[d];
  return rows;
}

void check_residual(const char* op, const Tensor& x, const Tensor& residual) {
  const bool widens = is_half(x.dtype()) && residual.dtype() == DType::float32;
  if (!is_floating(x.dtype()) || (residual.dtype() != x.dtype() && !widens))
    throw DTypeError(str(op,
                         ": x and residual must have one floating dtype, or x a half type and residual float32, got ",
                         x, " and ", residual));
  if (residual.shape() != x.shape())
    throw ShapeError(str(op, ": x and residual must have the same shape, got ", x, " and ", residual));
}

LayerNormGradients layer_norm_gradient(const Tensor& g, const Tensor& x, const Tensor& weight, int normalized_rank,
                                       const RowNorm& norm, const LayerNormWants& wants) {
  Shape inner, outer;
  for (int d = 0; d < x.rank(); ++d) (d < x.rank() - normalized_rank ? outer : inner).push_back(d);
  const Tensor centered = norm.centered ? x - mean(x, inner, true) : x;
  const Tensor rstd = rsqrt(mean(square(centered), inner, true) + norm.eps);
  const Tensor unit = centered * rstd;
  const auto over_rows = [&](const Tensor& t) { return outer.empty() ? t : sum(t, outer); };
  LayerNormGradients result;
  if (wants.x) {
    const Tensor scaled = weight.defined() ? g * weight : g;
    const Tensor level = norm.centered ? scaled - mean(scaled, inner, true) : scaled;
    result.x = rstd * (level - unit * mean(scaled * unit, inner, true));
  }
  if (wants.weight) result.weight = over_rows(g * unit);
  if (wants.bias) result.bias = over_rows(g);
  return result;
}

LayerNormGradients layer_norm_fast_gradient(const Tensor& g, const Tensor& x, const Tensor& weight, const Tensor& mean,
                                            const Tensor& rstd, const Shape& normalized, const Tensor& also,
                                            const LayerNormWants& wants) {
  const auto like = [&](bool wanted, const Shape& shape, DType dtype) {
    return wanted ? allocate(spec_of(shape, dtype, x.device())) : Tensor();
  };
  const bool in_place =
      has_cuda_kernels && on_cuda(x) && wants.x && also.defined() && is_unshared(also) && also.is_contiguous();
  const auto count = static_cast<double>(x.numel());
  const double wide_tensors = 1 + wants.x + also.defined(), narrow_tensors = 1 + wants.branch;
  const Reported reported("layer_norm_gradient",
                          {.flops = (mean.defined() ? 16 : 10) * count,
                           .bytes = count * (wide_tensors * static_cast<double>(x.itemsize()) +
                                             narrow_tensors * static_cast<double>(g.itemsize()))});
  const DType wide = compute_dtype(x.dtype());
  const LayerNormGradients result{.x = in_place ? also : like(wants.x, x.shape(), x.dtype()),
                                  .weight = like(wants.weight, normalized, wide),
                                  .bias = like(wants.bias, normalized, wide),
                                  .branch = like(wants.branch, x.shape(), g.dtype())};
  const Tensor gs = in_rows(g), xs = in_rows(x), added = also.defined() ? in_rows(also) : Tensor();
  const std::int64_t n = numel(normalized);
  if constexpr (has_cuda_kernels)
    if (on_cuda(x)) {
      layer_norm_gradient_kernel_cuda(gs, xs, n, weight, mean, rstd, result, added);
      return result;
    }
  layer_norm_gradient_kernel_cpu(gs, xs, n, weight, mean, rstd, result, added);
  return result;
}

Tensor in_rows(const Tensor& x) { return arranged(x, Layout::contiguous(x.shape())); }

}  // namespace minima::detail
