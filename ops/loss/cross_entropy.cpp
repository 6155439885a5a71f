#include <minima/ops/loss/cross_entropy.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loss/kernels.h>
#include <minima/ops/loss/reduced.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>

#include <array>
#include <cstdint>

namespace minima {

namespace {

using detail::class_dim;
using detail::CrossEntropyAttributes;

/// The target distribution that the gradient compares p with, a constant; see class_targets_kernel_cpu.
struct ClassTargets {
  static constexpr Traits traits{.name = "cross_entropy_targets", .optional = 0b10};
  CrossEntropyAttributes attributes;
  TensorSpec logits;
  TensorSpec result(const Tensor&, const Tensor&) const { return spec_of(logits.shape(), logits.dtype, logits.device); }
  Cost cost(const Tensor& target, const Tensor&) const {
    const auto size = static_cast<double>(size_of(logits.dtype));
    return {.bytes = size * static_cast<double>(numel(logits.shape())) + 8 * static_cast<double>(target.numel())};
  }
  void cpu(const Tensor& target, const Tensor& weight, Tensor& y) const {
    detail::class_targets_kernel_cpu(attributes, target, weight, y);
  }
  void cuda(const Tensor& target, const Tensor& weight, Tensor& y) const {
    detail::class_targets_kernel_cuda(attributes, target, weight, y);
  }
};

void check_options(const Tensor& logits, std::int64_t classes, const Tensor& weight, double smoothing) {
  if (weight.defined() && weight.shape() != Shape{classes})
    throw ShapeError(str("cross_entropy: weight must have one element per class, [", classes, "] for logits ", logits,
                         ", got ", weight));
  if (weight.defined() && !is_floating(weight.dtype()))
    throw DTypeError(str("cross_entropy: weight must be floating, got ", weight, "; convert it with to()"));
  if (!(smoothing >= 0 && smoothing <= 1))
    throw ValueError(str("cross_entropy: label_smoothing must be from 0 to 1, got ", smoothing));
}

struct CrossEntropy {
  static constexpr Traits traits{.name = "cross_entropy", .autocast = Cast::to_float32, .hidden = 2, .optional = 0b100};
  CrossEntropyAttributes attributes;
  void list_attributes(detail::AttributeVisitor& visitor) const { detail::list_attributes(attributes, visitor); }

  std::array<TensorSpec, 3> result(const Tensor& logits, const Tensor& target, const Tensor& weight) const {
    if (!is_floating(logits.dtype()))
      throw DTypeError(str("cross_entropy: logits must be floating, got ", logits, "; convert them with to()"));
    if (logits.rank() == 0)
      throw ShapeError(str("cross_entropy: logits need a dimension of classes, [C] or [N, C, …], got ", logits));
    Shape expected = logits.shape();
    expected.erase(class_dim(logits.rank()));
    if (target.shape() != expected)
      throw ShapeError(str("cross_entropy: logits ", logits, " need class indices ", expected, " or probabilities ",
                           logits.shape(), " as target, got ", target));
    if (target.dtype() != DType::int64)
      throw DTypeError(str("cross_entropy: class indices must be int64, got ", target, "; convert them with to()"));
    const std::int64_t classes = logits.shape()[class_dim(logits.rank())];
    check_options(logits, classes, weight, attributes.smoothing);

    const Device device = logits.device();
    return {spec_of(attributes.reduction == Reduction::none ? expected : Shape{}, logits.dtype(), device),
            spec_of({2, numel(expected)}, detail::compute_dtype(logits.dtype()), device),
            spec_of({}, DType::float64, device)};
  }
  Cost cost(const Tensor& logits, const Tensor& target, const Tensor&) const {
    return {.flops = 13 * static_cast<double>(logits.numel()),
            .bytes = static_cast<double>(logits.numel()) * static_cast<double>(logits.itemsize()) +
                     static_cast<double>(target.numel()) * 8};
  }
  void cpu(const Tensor& logits, const Tensor& target, const Tensor& weight, Tensor& loss, Tensor& max_sum,
           Tensor& total) const {
    detail::cross_entropy_kernel_cpu(attributes, logits, target, weight, loss, max_sum, total);
  }
  void cuda(const Tensor& logits, const Tensor& target, const Tensor& weight, Tensor& loss, Tensor& max_sum,
            Tensor& total) const {
    detail::cross_entropy_kernel_cuda(attributes, logits, target, weight, loss, max_sum, total);
  }

  /// With loss = Σ_c t_c (log Σ exp x - x_c), the derivative is Σ t · softmax(x) - t.
  Tensor gradient(Grad g, Input<0> logits, Input<1> target, Input<2> weight, Hidden<1> total) const {
    const int dim = class_dim(logits.rank());
    const Tensor t = apply(ClassTargets{attributes, describe(logits)}, target, weight);
    const Tensor slope = attributes.reduction == Reduction::none   ? unsqueeze(g, dim)
                         : attributes.reduction == Reduction::mean ? g / total
                                                                   : g;
    return slope * (sum(t, {dim}, true) * softmax(logits, dim) - t);
  }
  Tensor fast_gradient(Grad g, Input<0> logits, Input<1> target, Input<2> weight, Hidden<0> max_sum,
                       Hidden<1> total) const {
    const auto count = static_cast<double>(logits.numel());
    const detail::Reported reported(
        "cross_entropy_gradient",
        {.flops = 13 * count,
         .bytes = 2 * count * static_cast<double>(logits.itemsize()) + 8 * static_cast<double>(target.numel())});
    Tensor dx = detail::allocate({detail::class_layout(logits.layout()), logits.dtype(), logits.device()});
    if constexpr (detail::has_cuda_kernels)
      if (detail::on_cuda(logits)) {
        detail::cross_entropy_gradient_kernel_cuda(attributes, g, logits, target, weight, max_sum, total, dx);
        return dx;
      }
    detail::cross_entropy_gradient_kernel_cpu(attributes, g, logits, target, weight, max_sum, total, dx);
    return dx;
  }
};

Tensor with_probabilities(const Tensor& logits, const Tensor& target, const CrossEntropyOptions& options) {
  const int dim = class_dim(logits.rank());
  const std::int64_t classes = logits.shape()[dim];
  check_options(logits, classes, options.weight, options.label_smoothing);
  if (options.ignore_index >= 0)
    throw ValueError(str("cross_entropy: ignore_index is for class indices; probabilities ", target, " have none, got ",
                         options.ignore_index));
  const auto loss = [&](const Tensor& x, const Tensor& t, const Tensor& weight = {}) {
    Tensor q = t;
    if (options.label_smoothing > 0)
      q = q * (1 - options.label_smoothing) + options.label_smoothing / static_cast<double>(classes);
    if (weight.defined()) {
      Shape along = Shape::filled(x.rank(), 1);
      along[dim] = classes;
      q = q * reshape(weight, along);
    }
    return detail::reduced(-sum(q * log_softmax(x, dim), {dim}), options.reduction);
  };
  return options.weight.defined() ? detail::in_common(loss, logits, target, options.weight)
                                  : detail::in_common(loss, logits, target);
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const CrossEntropyOptions& options) {
  if (options.weight.defined() && options.weight.requires_grad())
    throw ValueError("cross_entropy: weight is not differentiable; pass weight.detach()");
  const bool both = logits.defined() && target.defined() && logits.rank() > 0;
  if (both && is_floating(target.dtype()) && is_floating(logits.dtype()) && target.shape() == logits.shape())
    return with_probabilities(detail::autocast(Cast::to_float32, logits), target, options);
  return apply(CrossEntropy{{options.ignore_index, options.reduction, options.label_smoothing}}, logits, target,
               options.weight);
}

}  // namespace minima
