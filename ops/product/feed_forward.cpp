#include <minima/ops/product/linear.h>

#include <minima/ops/core/on_cuda.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/op.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/kernels.h>
#include <minima/ops/product/linear_rules.h>
#include <minima/ops/product/matmul.h>

#include <array>
#include <utility>

namespace minima {

namespace {

struct FeedForward {
  static constexpr Traits traits{.name = "feed_forward", .autocast = Cast::to_lower, .hidden = 2, .optional = 0b10100};
  Activation activation;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.word("activation", activation == Activation::relu   ? "relu"
                               : activation == Activation::gelu ? "gelu"
                                                                : "gelu_tanh");
  }

  /// y, the hidden values before the activation (none of relu's, whose output tells its slope) and after it.
  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor& up, const Tensor& up_bias, const Tensor& down,
                                   const Tensor& down_bias) const {
    if (activation == Activation::none)
      throw ValueError("feed_forward: activation must be relu, gelu or gelu_tanh; without one call linear twice");
    const TensorSpec hidden = detail::check_linear("feed_forward", x, up, up_bias);
    if (down.rank() != 2 || down.shape()[1] != up.shape()[0])
      throw ShapeError(
          str("feed_forward: down must be [out, ", up.shape()[0], "] for up ", up.shape(), ", got ", down));
    if (down_bias.defined() && down_bias.shape() != Shape{down.shape()[0]})
      throw ShapeError(str("feed_forward: down_bias must be [", down.shape()[0], "] for down ", down.shape(), ", got ",
                           down_bias.shape()));
    if (down.dtype() != x.dtype() || (down_bias.defined() && down_bias.dtype() != x.dtype()))
      throw DTypeError(str("feed_forward: dtypes differ: x ", x, ", down ", down,
                           down_bias.defined() ? str(", down_bias ", down_bias) : "", "; convert them with to()"));
    Shape shape = x.shape();
    shape[shape.rank() - 1] = down.shape()[0];
    return {spec_of(shape, x.dtype(), x.device()), keeps_input() ? hidden : spec_of({0}, x.dtype(), x.device()),
            hidden};
  }
  Cost cost(const Tensor& x, const Tensor& up, const Tensor& up_bias, const Tensor& down,
            const Tensor& down_bias) const {
    const auto [y, before, hidden] = result(x, up, up_bias, down, down_bias);
    const Cost first = detail::linear_cost(x, up, up_bias, hidden);
    const auto outputs = static_cast<double>(y.numel()), size = static_cast<double>(x.itemsize());
    const auto weights = static_cast<double>(down.numel()), activated = static_cast<double>(hidden.numel());
    return {.flops = first.flops + 2 * outputs * static_cast<double>(up.shape()[0]),
            .bytes = first.bytes + size * (activated + weights + outputs)};
  }

  void cpu(const Tensor& x, const Tensor& up, const Tensor& up_bias, const Tensor& down, const Tensor& down_bias,
           Tensor& y, Tensor& before, Tensor& hidden) const {
    const Tensor after = hidden.defined() ? hidden : detail::allocate(detail::check_linear("", x, up, up_bias));
    detail::linear_kernel(x, up, up_bias, activation, after, keeps_input() ? before : Tensor());
    detail::linear_kernel(after, down, down_bias, Activation::none, y);
  }
  void cuda(const Tensor& x, const Tensor& up, const Tensor& up_bias, const Tensor& down, const Tensor& down_bias,
            Tensor& y, Tensor& before, Tensor& hidden) const {
    cpu(x, up, up_bias, down, down_bias, y, before, hidden);
  }

  Gradients<5> gradient(Grad g, Input<0> x, Input<1> up, Input<2> up_bias, Input<3, 0, 1, 2> down, Needs needs) const {
    const Tensor after = needs[3] || !keeps_input() ? linear(x, up, up_bias, activation) : Tensor();
    auto second = detail::linear_gradient(g, after, down, {.weight = needs[3], .bias = needs[4]});
    Gradients<3> first;
    if (needs[0] || needs[1] || needs[2]) {
      const Tensor saved = keeps_input() ? linear(x, up, up_bias) : after;
      const Tensor gz = detail::through_activation(matmul(g, down), saved, activation);
      first = detail::linear_gradient(gz, x, up, {.x = needs[0], .weight = needs[1], .bias = needs[2]});
    }
    return {std::move(first[0]), std::move(first[1]), std::move(first[2]), std::move(second[1]), std::move(second[2])};
  }

  Gradients<5> fast_gradient(Grad g, Input<0> x, Input<1> up, Input<2>, Input<3, 0, 1, 2> down, Spec<0> like_x,
                             Spec<1> like_up, Spec<3> like_down, Hidden<0> before, Hidden<1> hidden,
                             Into<1, true> into_up, Into<3, true> into_down, Needs needs) const {
    const TensorSpec like_hidden = spec_of(hidden.shape(), hidden.dtype(), hidden.device());
    bool written = false;
    auto second = detail::linear_fast_gradient(
        g, hidden, down, {like_hidden, like_down, into_down.tensor, into_down.accumulate, into_down.dtype},
        {.weight = needs[3], .bias = needs[4]}, written);
    if (written) into_down.done();

    Gradients<3> first;
    if (needs[0] || needs[1] || needs[2]) {
      const Tensor gz = detail::allocate(spec_of(hidden.shape(), hidden.dtype(), hidden.device()));
      Tensor sums;
      if (needs[2] && detail::on_cuda(gz))
        sums = detail::allocate(spec_of({like_up.shape()[0]}, gz.dtype(), gz.device()));
      bool summed = false;
      {
        const Tensor& saved = keeps_input() ? static_cast<const Tensor&>(before) : hidden;
        const detail::Reported reported("linear_activation_gradient",
                                        detail::linear_product_cost(g, like_down.shape()));
        summed = detail::linear_activation_gradient(g, down, saved, activation, gz, sums);
      }
      written = false;
      first = detail::linear_fast_gradient(
          gz, x, up, {like_x, like_up, into_up.tensor, into_up.accumulate, into_up.dtype},
          {.x = needs[0], .weight = needs[1], .bias = needs[2] && !(summed && sums.defined())}, written);
      if (written) into_up.done();
      if (summed && sums.defined()) first[2] = std::move(sums);
    }
    return {std::move(first[0]), std::move(first[1]), std::move(first[2]), std::move(second[1]), std::move(second[2])};
  }

 private:
  bool keeps_input() const { return activation != Activation::relu; }
};

}  // namespace

Tensor feed_forward(const Tensor& x, const Tensor& up, const Tensor& up_bias, const Tensor& down,
                    const Tensor& down_bias, Activation activation) {
  return apply(FeedForward{activation}, x, up, up_bias, down, down_bias);
}

}  // namespace minima
