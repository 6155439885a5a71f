#include <minima/ops/loss/linear_cross_entropy.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/common.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>

#include <array>
#include <cstdint>

namespace minima {

namespace {

struct LinearCrossEntropy {
  static constexpr Traits traits{.name = "linear_cross_entropy", .hidden = 4, .optional = 0b10100};
  detail::CrossEntropyAttributes attributes;
  bool wide_loss;  ///< float32 for half inputs, as under autocast
  void list_attributes(detail::AttributeVisitor& visitor) const { detail::list_attributes(attributes, visitor); }

  /// x [N, D], weight [C, D], bias [C], target [N], class weight [C] → loss; hidden: the gradients of x, weight and
  /// bias before division by the total, and the total.
  std::array<TensorSpec, 5> result(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor&,
                                   const Tensor&) const {
    const DType wide = detail::compute_dtype(x.dtype());
    const auto room = [&](const Tensor& input) {
      return spec_of(input.defined() && input.requires_grad() ? input.shape() : Shape{0}, wide, x.device());
    };
    return {spec_of({}, wide_loss ? wide : x.dtype(), x.device()), room(x), room(weight), room(bias),
            spec_of({}, DType::float64, x.device())};
  }
  Cost cost(const Tensor& x, const Tensor& weight, const Tensor&, const Tensor&, const Tensor&) const {
    const double wanted =
        1.0 + (detail::mode().grad && x.requires_grad()) + (detail::mode().grad && weight.requires_grad());
    return {.flops = wanted * 2 * static_cast<double>(x.numel()) * static_cast<double>(weight.size(0)),
            .bytes = static_cast<double>(x.itemsize()) *
                     (static_cast<double>(x.numel()) + static_cast<double>(weight.numel()))};
  }
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target, const Tensor& class_weight,
           Tensor& loss, Tensor& dx, Tensor& dweight, Tensor& dbias, Tensor& total) const {
    double divisor = 0;
    detail::linear_cross_entropy_kernel_cpu(attributes, x, weight, bias, target, class_weight, loss,
                                            {wanted(x, dx), wanted(weight, dweight), wanted(bias, dbias)}, divisor);
    if (total.defined()) *total.data<double>() = divisor;
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target, const Tensor& class_weight,
            Tensor& loss, Tensor& dx, Tensor& dweight, Tensor& dbias, Tensor& total) const {
    detail::linear_cross_entropy_kernel_cuda(attributes, x, weight, bias, target, class_weight, loss,
                                             {wanted(x, dx), wanted(weight, dweight), wanted(bias, dbias)}, total);
  }
  static Tensor wanted(const Tensor& input, const Tensor& gradient) {
    return gradient.defined() && input.defined() && input.requires_grad() ? gradient : Tensor();
  }

  /// From the same formula with the logits stored.
  Gradients<5> gradient(Grad g, Input<0> x, Input<1> weight, Input<2> bias, Input<3> target, Input<4> class_weight,
                        Needs needs) const {
    const CrossEntropyOptions options{class_weight, attributes.ignore_index, attributes.reduction,
                                      attributes.smoothing};
    // The loss's derivative with respect to the logits, as a differentiable expression.
    const Tensor logits = linear(x, weight, bias);
    const Tensor scores = wide_loss ? logits.to(detail::compute_dtype(logits.dtype())) : Tensor(logits);
    const Tensor slope = grad({cross_entropy(scores, target, options)}, {logits}, {g}, {.create_graph = true})[0];
    Gradients<5> result;
    if (needs[0]) result[0] = matmul(slope, weight);
    if (needs[1]) result[1] = matmul(transpose(slope, 0, 1), x);
    if (needs[2]) result[2] = sum(slope, {0});
    return result;
  }
  Gradients<5> fast_gradient(Grad g, Hidden<0> dx, Hidden<1> dweight, Hidden<2> dbias, Hidden<3> total,
                             Needs needs) const {
    Tensor factor = g.to(dx.dtype());
    if (attributes.reduction == Reduction::mean) factor = factor / total.to(dx.dtype());
    Gradients<5> result;
    if (needs[0]) result[0] = dx * factor;
    if (needs[1]) result[1] = dweight * factor;
    if (needs[2]) result[2] = dbias * factor;
    return result;
  }
};

void check(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target) {
  if (!x.defined() || !weight.defined() || !target.defined())
    throw ValueError(str(LinearCrossEntropy::traits.name, ": ",
                         !x.defined()        ? "x"
                         : !weight.defined() ? "weight"
                                             : "target",
                         " is undefined"));
  if (!is_floating(x.dtype()) || weight.dtype() != x.dtype())
    throw DTypeError(str(LinearCrossEntropy::traits.name, ": x and weight must have the same floating dtype, got ", x,
                         " and ", weight, "; convert them with to()"));
  if (weight.rank() != 2 || x.rank() < 1 || x.size(-1) != weight.size(1))
    throw ShapeError(str(LinearCrossEntropy::traits.name, ": x [..., D] and weight [C, D] do not match: x ", x,
                         ", weight ", weight));
  if (bias.defined() && bias.shape() != Shape{weight.size(0)})
    throw ShapeError(str(LinearCrossEntropy::traits.name, ": bias must be [", weight.size(0), "], got ", bias));
  Shape expected = x.shape();
  expected.resize(x.rank() - 1);
  if (target.shape() != expected)
    throw ShapeError(str(LinearCrossEntropy::traits.name, ": x ", x, " needs targets ", expected, ", got ", target));
  if (target.dtype() != int64)
    throw DTypeError(
        str(LinearCrossEntropy::traits.name, ": targets must be int64, got ", target, "; convert them with to()"));
}

}  // namespace

Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target,
                            const CrossEntropyOptions& options) {
  return detail::linear_cross_entropy_as(false, x, weight, bias, target, options);
}

/// Under autocast, the product runs in the lower precision and the loss is float32.
Tensor detail::linear_cross_entropy_as(bool wide, const Tensor& input, const Tensor& matrix, const Tensor& shift,
                                       const Tensor& target, const CrossEntropyOptions& options) {
  const Tensor x = detail::autocast(Cast::to_lower, input), weight = detail::autocast(Cast::to_lower, matrix);
  const Tensor bias = detail::autocast(Cast::to_lower, shift);
  check(x, weight, bias, target);
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
    throw ValueError(
        str(LinearCrossEntropy::traits.name, ": label_smoothing must be from 0 to 1, got ", options.label_smoothing));
  if (options.weight.defined() && options.weight.shape() != Shape{weight.size(0)})
    throw ShapeError(str(LinearCrossEntropy::traits.name, ": the classes' weight must be [", weight.size(0), "], got ",
                         options.weight));
  if (options.weight.defined() && options.weight.requires_grad())
    throw ValueError(
        str(LinearCrossEntropy::traits.name, ": the classes' weight is not differentiable; pass weight.detach()"));
  if (options.weight.defined() && !is_floating(options.weight.dtype()))
    throw DTypeError(str(LinearCrossEntropy::traits.name, ": the classes' weight must be floating, got ",
                         options.weight, "; convert it with to()"));
  if (!detail::on_cuda(target)) {
    const Tensor first = zeros({}, {.dtype = DType::int64});
    detail::check_indices(LinearCrossEntropy::traits.name, where(target == options.ignore_index, first, target), 0,
                          weight.size(0));
  }
  const std::int64_t rows = target.numel();
  const Tensor flat_x = reshape(x, {rows, weight.size(1)}), flat_target = reshape(target, {rows});
  if (options.reduction == Reduction::none)
    return reshape(cross_entropy(linear(flat_x, weight, bias), flat_target, options), target.shape());
  const bool wide_loss = wide || detail::autocasts(detail::mode().autocast, x.device().type);
  return apply(LinearCrossEntropy{{options.ignore_index, options.reduction, options.label_smoothing}, wide_loss},
               flat_x, weight, bias, flat_target, options.weight);
}

}  // namespace minima
