#include <minima/ops/norm/group_norm.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/norm/kernels.h>
#include <minima/ops/norm/layer_norm.h>
#include <minima/ops/norm/layer_norm_rules.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <array>
#include <cstdint>

namespace minima {

namespace {

/// One value per channel, reshaped to broadcast along the other dimensions.
Tensor per_channel(const Tensor& values, const Tensor& x) {
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) shape.push_back(d == 1 ? x.shape()[1] : 1);
  return reshape(values, shape);
}

void check_channels(const char* what, const Tensor& values, const Tensor& x) {
  if (values.defined() && values.shape() != Shape{x.shape()[1]})
    throw ShapeError(str("group_norm: ", what, " must have one element for each of the ", x.shape()[1],
                         " channels of x ", x, ", got ", values));
  if (values.defined() && !is_floating(values.dtype()))
    throw DTypeError(str("group_norm: ", what, " must be floating, got ", values, "; convert it with to()"));
}

/// Each group of a sample as one row.
Tensor as_rows(const Tensor& x, std::int64_t groups) {
  const std::int64_t rows = x.shape()[0] * groups;
  return reshape(x, {rows, x.numel() / rows});
}

/// x with each group normalised to mean 0 and variance 1: layer_norm of rows.
Tensor normalized(const Tensor& x, std::int64_t groups, double eps) {
  const Tensor rows = as_rows(x, groups);
  return reshape(layer_norm(rows, {rows.size(1)}, {}, {}, eps), x.shape());
}

/// On the CPU, for float32 or float64 throughout; x is not empty.
struct GroupNorm {
  static constexpr Traits traits{.name = "group_norm", .hidden = 2, .optional = 0b110};
  std::int64_t groups;
  double eps;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integer("groups", groups);
    visitor.number("eps", eps);
  }

  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor&, const Tensor&) const {
    const TensorSpec statistic = spec_of({x.shape()[0] * groups}, x.dtype(), x.device());
    return {spec_of(x.shape(), x.dtype(), x.device()), statistic, statistic};
  }
  Cost cost(const Tensor& x, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 8 * count, .bytes = 2 * count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y, Tensor& mean, Tensor& rstd) const {
    detail::group_norm_kernel_cpu(detail::in_rows(x), groups, rows_or_none(weight), rows_or_none(bias), eps, y, mean,
                                  rstd);
  }

  Gradients<3> gradient(Grad g, Input<0> x, Input<1> weight, Needs needs) const {
    Gradients<3> result;
    Shape others;
    for (int d = 0; d < x.rank(); ++d)
      if (d != 1) others.push_back(d);
    if (needs[0]) {
      const Tensor scaled = weight.defined() ? g * per_channel(weight, x) : Tensor(g);
      const Tensor rows =
          detail::layer_norm_gradient(as_rows(scaled, groups), as_rows(x, groups), {}, 1, {eps}, {.x = true}).x;
      result[0] = reshape(rows, x.shape());
    }
    if (needs[1]) result[1] = sum(g * normalized(x, groups, eps), others);
    if (needs[2]) result[2] = sum(g, others);
    return result;
  }
  Gradients<3> fast_gradient(Grad g, Input<0> x, Input<1> weight, Hidden<0> mean, Hidden<1> rstd, Needs needs) const {
    const auto like = [&](bool wanted, const Shape& shape) {
      return wanted ? detail::allocate(spec_of(shape, x.dtype(), x.device())) : Tensor();
    };
    const auto count = static_cast<double>(x.numel());
    const detail::Reported reported("group_norm_gradient",
                                    {.flops = 16 * count, .bytes = 3 * count * static_cast<double>(x.itemsize())});
    const Shape channels{x.shape()[1]};
    Gradients<3> result{like(needs[0], x.shape()), like(needs[1], channels), like(needs[2], channels)};
    detail::group_norm_gradient_kernel_cpu(detail::in_rows(g), detail::in_rows(x), groups, rows_or_none(weight), mean,
                                           rstd, result[0], result[1], result[2]);
    return result;
  }

 private:
  static Tensor rows_or_none(const Tensor& x) { return x.defined() ? detail::in_rows(x) : Tensor(); }
};

}  // namespace

Tensor group_norm(const Tensor& input, std::int64_t groups, const Tensor& weight, const Tensor& bias, double eps) {
  detail::check_defined("group_norm", input);
  const Tensor x = detail::autocast(Cast::to_float32, input);
  const detail::WithoutAutocast inside;
  if (!is_floating(x.dtype()))
    throw DTypeError(str("group_norm: x must be floating, got ", x, "; convert it with to()"));
  if (x.rank() < 2) throw ShapeError(str("group_norm: x must be [N, C, …], got ", x));
  if (groups < 1 || x.shape()[1] % groups != 0)
    throw ShapeError(str("group_norm: ", groups, " groups must divide the channels (dimension 1) of x ", x));
  detail::check_number("group_norm", "eps", eps, detail::not_negative);
  check_channels("weight", weight, x);
  check_channels("bias", bias, x);
  Tensor y = detail::in_full(x);
  const auto fits = [&](const Tensor& values) { return !values.defined() || values.dtype() == y.dtype(); };
  if (x.numel() > 0 && !detail::on_cuda(x) && fits(weight) && fits(bias))
    return cast(apply(GroupNorm{groups, eps}, y, weight, bias), x.dtype());
  if (x.numel() > 0) y = normalized(y, groups, eps);
  if (weight.defined()) y = y * per_channel(weight, x);
  if (bias.defined()) y = y + per_channel(bias, x);
  return cast(y, x.dtype());
}

}  // namespace minima
