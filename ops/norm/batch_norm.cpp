#include <minima/ops/norm/batch_norm.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/norm/kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/kernels.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace minima {

namespace {

/// values [C] reshaped to broadcast against x [N, C, …].
Tensor per_channel(const Tensor& values, int rank) {
  Shape shape = Shape::filled(rank, 1);
  shape[1] = values.numel();
  return reshape(values, shape);
}

/// Updates [C] running statistics in place: running += momentum · (now - running).
void update_running(const Tensor& running, const std::vector<double>& now, double momentum) {
  std::vector<double> values(now.size());
  const Tensor view = from_blob(values.data(), Layout::contiguous(running.shape()), {.dtype = DType::float64});
  detail::copy_kernel_cpu(running, view);
  for (std::size_t c = 0; c < now.size(); ++c) values[c] = (1 - momentum) * values[c] + momentum * now[c];
  detail::copy_kernel_cpu(view, running);
  running.impl()->storage->bump_version();
}

std::vector<double> doubles(const Tensor& values) {
  std::vector<double> result(static_cast<std::size_t>(values.numel()));
  detail::copy_kernel_cpu(values,
                          from_blob(result.data(), Layout::contiguous(values.shape()), {.dtype = DType::float64}));
  return result;
}

/// Shared by the variants, which differ in what follows the normalisation.
struct BatchNormBase {
  BatchNormOptions options;
  const char* name = "batch_norm";
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integer("training", options.training);
    visitor.number("eps", options.eps);
  }

  void check(const char* what, const Tensor& values, const Tensor& x) const {
    if (!values.defined()) return;
    if (values.shape() != Shape{x.shape()[1]})
      throw ShapeError(str(name, ": ", what, " must have one element per channel, [", x.shape()[1], "] for x ", x,
                           ", got ", values));
    if (!is_floating(values.dtype()))
      throw DTypeError(str(name, ": ", what, " must be floating, got ", values, "; convert it with to()"));
  }

  std::array<TensorSpec, 3> specs(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                                  const Tensor& running_var) const {
    if (x.rank() < 2) throw ShapeError(str(name, ": x must be [N, C, …], got ", x));
    if (!is_floating(x.dtype())) throw DTypeError(str(name, ": x must be floating, got ", x, "; convert it with to()"));
    detail::check_number(name, "eps", options.eps, options.training ? detail::positive : detail::not_negative);
    if (options.training) detail::check_number(name, "momentum", options.momentum, detail::fraction);
    check("weight", weight, x);
    check("bias", bias, x);
    check("running_mean", running_mean, x);
    check("running_var", running_var, x);
    if (running_mean.defined() != running_var.defined())
      throw ValueError(str(name, ": running_mean and running_var must be given together, one is undefined"));
    if (!options.training && !running_mean.defined())
      throw ValueError(str(name, ": evaluation needs running statistics, but none were given"));
    if (options.training && x.numel() > 0 && x.numel() == x.shape()[1])
      throw ValueError(str(name, ": training needs more than one value per channel, got ", x,
                           "; use a larger batch, or evaluation mode"));
    const TensorSpec statistic = spec_of({x.shape()[1]}, detail::compute_dtype(x.dtype()), x.device());
    return {spec_like(x), statistic, statistic};
  }
  void on_cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
              const Tensor& running_var, const detail::Ending& ending, Tensor& y, Tensor& mean, Tensor& rstd) const {
    const detail::ChannelStatistics used = statistics(detail::arranged(x, y.layout()), running_mean, running_var);
    if (mean.defined()) {
      detail::copy_kernel_cpu(used.mean, mean);
      detail::copy_kernel_cpu(used.rstd, rstd);
    }
    if (x.numel() > 0) detail::normalize_channels(detail::arranged(x, y.layout()), used, weight, bias, ending, y);
  }

  void on_cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
               const Tensor& running_var, const detail::Ending& ending, Tensor& y, Tensor& mean, Tensor& rstd) const {
    detail::batch_norm_kernel_cuda(options, detail::arranged(x, y.layout()), weight, bias, running_mean, running_var,
                                   ending, y, mean, rstd);
    if (!options.training || x.numel() == 0 || !running_mean.defined()) return;
    running_mean.impl()->storage->bump_version();
    running_var.impl()->storage->bump_version();
  }

  /// By public operators; g is the gradient before the epilogue (residual and relu).
  Gradients<3> composite_gradient(const Tensor& g, const Tensor& x, const Tensor& weight, const Tensor& mean,
                                  const Tensor& rstd, Needs needs) const {
    Shape others;
    for (int d = 0; d < x.rank(); ++d)
      if (d != 1) others.push_back(d);
    // In training the statistics depend on x, so higher derivatives need them recomputed.
    const Tensor used_mean = options.training ? minima::mean(x, others, true) : per_channel(mean, x.rank());
    const Tensor centered = x - used_mean;
    const Tensor used_rstd = options.training
                                 ? minima::rsqrt(minima::mean(square(centered), others, true) + options.eps)
                                 : per_channel(rstd, x.rank());
    const Tensor normalized = centered * used_rstd;
    Gradients<3> result;
    if (needs[0]) {
      const Tensor scaled = weight.defined() ? g * per_channel(weight, x.rank()) : g;
      const Tensor inner = !options.training ? scaled
                                             : scaled - minima::mean(scaled, others, true) -
                                                   normalized * minima::mean(scaled * normalized, others, true);
      result[0] = inner * used_rstd;
    }
    if (needs[1]) result[1] = sum(g * normalized, others);
    if (needs[2]) result[2] = sum(g, others);
    return result;
  }

  /// `of` and bias are for CUDA alone; elsewhere g is the gradient before the epilogue.
  Gradients<3> fused_gradient(const detail::BatchNormGradient& of, const Tensor& g, const Tensor& x,
                              const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& rstd,
                              Needs needs) const {
    const Layout layout = Layout::dense_like(x.layout());
    const Tensor gradients = detail::arranged(g, layout), values = detail::arranged(x, layout);
    const auto count = static_cast<double>(x.numel());
    const detail::Reported reported("batch_norm_gradient",
                                    {.flops = 9 * count, .bytes = 5 * count * static_cast<double>(x.itemsize())});
    if constexpr (detail::has_cuda_kernels)
      if (detail::on_cuda(x)) {
        const TensorSpec per_channel = describe(mean);
        Gradients<3> result{needs[0] ? detail::allocate({layout, x.dtype(), x.device()}) : Tensor(),
                            needs[1] ? detail::allocate(TensorSpec(per_channel)) : Tensor(),
                            needs[2] ? detail::allocate(TensorSpec(per_channel)) : Tensor()};
        detail::batch_norm_gradient_kernel_cuda(of, gradients, values, weight, bias, mean, rstd, result[0], result[1],
                                                result[2]);
        return result;
      }
    const detail::ChannelStatistics statistics{mean, rstd};
    detail::ChannelGradients sums;
    if (options.training || needs[1] || needs[2]) sums = detail::channel_gradients(gradients, values, statistics);
    Tensor dx;
    if (needs[0]) {
      dx = detail::allocate({layout, x.dtype(), x.device()});
      detail::normalize_channels_gradient(gradients, values, statistics, weight, sums, options.training, dx);
    }
    return {dx, needs[1] ? sums.weight : Tensor(), needs[2] ? sums.bias : Tensor()};
  }

 private:
  detail::ChannelStatistics statistics(const Tensor& x, const Tensor& running_mean, const Tensor& running_var) const {
    const auto channels = static_cast<std::size_t>(x.shape()[1]);
    if (options.training && x.numel() > 0) {
      std::vector<double> unbiased(channels);
      detail::ChannelStatistics now = detail::batch_statistics(x, options.eps, unbiased.data());
      if (running_mean.defined()) {
        update_running(running_mean, doubles(now.mean), options.momentum);
        update_running(running_var, unbiased, options.momentum);
      }
      return now;
    }
    std::vector<double> mean(channels), rstd(channels, 1);
    if (!options.training) {
      mean = doubles(running_mean);
      const std::vector<double> var = doubles(running_var);
      for (std::size_t c = 0; c < channels; ++c) rstd[c] = 1 / std::sqrt(var[c] + options.eps);
    }
    const DType dtype = detail::compute_dtype(x.dtype());
    const Shape shape{x.shape()[1]};
    return {from_vector(mean, shape).to(dtype), from_vector(rstd, shape).to(dtype)};
  }
};

struct BatchNorm : BatchNormBase {
  static constexpr Traits traits{.name = "batch_norm", .hidden = 2, .optional = 0b11110, .mutates = 0b11000};

  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                   const Tensor& running_mean, const Tensor& running_var) const {
    return specs(x, weight, bias, running_mean, running_var);
  }
  Cost cost(const Tensor& x, const Tensor&, const Tensor&, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel()), size = static_cast<double>(x.itemsize());
    return {.flops = (options.training ? 7 : 3) * count, .bytes = (options.training ? 3 : 2) * count * size};
  }

  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
           const Tensor& running_var, Tensor& y, Tensor& mean, Tensor& rstd) const {
    on_cpu(x, weight, bias, running_mean, running_var, {}, y, mean, rstd);
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
            const Tensor& running_var, Tensor& y, Tensor& mean, Tensor& rstd) const {
    on_cuda(x, weight, bias, running_mean, running_var, {}, y, mean, rstd);
  }
  Gradients<3> gradient(Grad g, Input<0> x, Input<1> weight, Hidden<0> mean, Hidden<1> rstd, Needs needs) const {
    return composite_gradient(g, x, weight, mean, rstd, needs);
  }
  Gradients<3> fast_gradient(Grad g, Input<0> x, Input<1> weight, Hidden<0> mean, Hidden<1> rstd, Needs needs) const {
    return fused_gradient({.training = options.training, .y = {}, .before = {}}, g, x, weight, {}, mean, rstd, needs);
  }
};

/// Saves its output, whose sign tells where relu passed the gradient, and bias, by which CUDA computes that sign again
/// unless there is a residual. The residual comes before the running statistics, so that the differentiable inputs come
/// first.
struct BatchNormRelu : BatchNormBase {
  static constexpr Traits traits{.name = "batch_norm_relu", .hidden = 2, .optional = 0b111110, .mutates = 0b110000};
  bool adds = false;  ///< a residual

  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& residual,
                                   const Tensor& running_mean, const Tensor& running_var) const {
    const auto all = specs(x, weight, bias, running_mean, running_var);
    if (residual.defined() && residual.shape() != x.shape())
      throw ShapeError(str(name, ": residual must have the shape of x ", x, ", got ", residual));
    if (residual.defined() && residual.dtype() != x.dtype())
      throw DTypeError(
          str(name, ": residual must have the dtype of x ", x, ", got ", residual, "; convert it with to()"));
    return all;
  }
  Cost cost(const Tensor& x, const Tensor&, const Tensor&, const Tensor& residual, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel()), size = static_cast<double>(x.itemsize());
    const double added = residual.defined();
    return {.flops = ((options.training ? 8 : 4) + added) * count,
            .bytes = ((options.training ? 3 : 2) + added) * count * size};
  }

  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& residual,
           const Tensor& running_mean, const Tensor& running_var, Tensor& y, Tensor& mean, Tensor& rstd) const {
    on_cpu(x, weight, bias, running_mean, running_var, ending(residual, y), y, mean, rstd);
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& residual,
            const Tensor& running_mean, const Tensor& running_var, Tensor& y, Tensor& mean, Tensor& rstd) const {
    on_cuda(x, weight, bias, running_mean, running_var, ending(residual, y), y, mean, rstd);
  }
  /// bias is for fast_gradient.
  Gradients<4> gradient(Grad g, Input<0> x, Input<1> weight, Input<2>, Output y, Hidden<0> mean, Hidden<1> rstd,
                        Needs needs) const {
    const Tensor before = where(y <= 0, detail::zero_of(g), g);
    return joined(composite_gradient(before, x, weight, mean, rstd, needs), needs[3] ? before : Tensor());
  }
  Gradients<4> fast_gradient(Grad g, Input<0> x, Input<1> weight, Input<2> bias, Output y, Hidden<0> mean,
                             Hidden<1> rstd, Needs needs) const {
    const bool fuses = detail::has_cuda_kernels && detail::on_cuda(x) && (needs[0] || needs[1] || needs[2]);
    detail::BatchNormGradient of{.training = options.training, .relu = true, .y = {}, .before = {}};
    if (fuses && !adds) return joined(fused_gradient(of, g, x, weight, bias, mean, rstd, needs), Tensor());
    const Layout layout = Layout::dense_like(x.layout());
    const bool is_sole_owner = detail::is_unshared(g);  // checked before a second handle exists
    const Tensor gradients = detail::arranged(g, layout);
    const bool reuse = is_sole_owner || gradients.impl() != g.impl();
    of.before = reuse ? gradients : detail::allocate({layout, x.dtype(), x.device()});
    of.y = detail::arranged(y, layout);
    if (!fuses) detail::activation_gradient(gradients, of.y, Activation::relu, of.before);
    const Tensor residual = needs[3] ? of.before : Tensor();
    if (!needs[0] && !needs[1] && !needs[2]) return {Tensor(), Tensor(), Tensor(), residual};
    const Tensor& from = fuses ? gradients : of.before;
    return joined(fused_gradient(of, from, x, weight, bias, mean, rstd, needs), residual);
  }

 private:
  static detail::Ending ending(const Tensor& residual, const Tensor& y) {
    return {.residual = residual.defined() ? detail::arranged(residual, y.layout()) : Tensor(), .relu = true};
  }
  static Gradients<4> joined(Gradients<3> first, const Tensor& residual) {
    return {std::move(first[0]), std::move(first[1]), std::move(first[2]), residual};
  }
};

}  // namespace

Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, const BatchNormOptions& options) {
  return apply(BatchNorm{{options}}, x, weight, bias, running_mean, running_var);
}

Tensor batch_norm_relu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                       const Tensor& running_var, const Tensor& residual, const BatchNormOptions& options) {
  return apply(BatchNormRelu{{options, "batch_norm_relu"}, residual.defined()}, x, weight, bias, residual, running_mean,
               running_var);
}

}  // namespace minima
