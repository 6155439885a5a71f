#include <minima/ops/recurrent/recurrent_layer.h>

#include <minima/ops/core/reported.h>
#include <minima/ops/op.h>
#include <minima/ops/recurrent/recurrent_formula.h>
#include <minima/ops/recurrent/recurrent_steps.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>

namespace minima::detail {

namespace {

/// Inputs: x, h0, c0, w_hh, b_hh, w_hr. Outputs: y, h, c and, if recorded, what the gradient needs. These are no hidden
/// outputs, so that the gradient's own gradient reaches the inputs through them.
template <RecurrentKind kind>
struct LayerBase {
  static constexpr Traits traits{.name = name_of(kind), .autocast = Cast::to_lower, .optional = 0b110100};
  RecurrentSteps steps;

  std::array<TensorSpec, 5> specs(const Tensor& x, const Tensor& h0, const Tensor& w_hh) const {
    const std::int64_t hidden = w_hh.size(0) / gates_of(kind), batch = h0.size(0);
    const auto state = [&](std::int64_t width) { return spec_of({batch, width}, x.dtype(), x.device()); };
    const auto over_time = [&](std::int64_t width) { return spec_with_columns(x, width); };
    const TensorSpec none = spec_of({0}, x.dtype(), x.device());
    constexpr bool is_lstm = kind == RecurrentKind::lstm;
    return {over_time(h0.size(1)), state(h0.size(1)), is_lstm ? state(hidden) : none,
            saved_of(kind) > 0 ? over_time(saved_of(kind) * hidden) : none, is_lstm ? over_time(hidden) : none};
  }
  /// The products with w_hh and w_hr, and about 30 operations for each element of the gates.
  Cost cost(const Tensor& x, const Tensor&, const Tensor&, const Tensor& w_hh, const Tensor&,
            const Tensor& w_hr) const {
    const double rows = static_cast<double>(x.numel()) / static_cast<double>(w_hh.size(0) == 0 ? 1 : w_hh.size(0));
    const double weights = static_cast<double>(w_hh.numel()) + static_cast<double>(w_hr.defined() ? w_hr.numel() : 0);
    return {.flops = 2 * rows * weights + 30 * static_cast<double>(x.numel()),
            .bytes = static_cast<double>(x.itemsize()) *
                     ((kind == RecurrentKind::lstm ? 2.5 : 2) * static_cast<double>(x.numel()) + weights)};
  }
};

template <RecurrentKind kind>
struct Layer : LayerBase<kind> {
  std::array<TensorSpec, 3> result(const Tensor& x, const Tensor& h0, const Tensor&, const Tensor& w_hh, const Tensor&,
                                   const Tensor&) const {
    const auto [y, h, c, saved, cells] = this->specs(x, h0, w_hh);
    return {y, h, c};
  }
  void cpu(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
           const Tensor& w_hr, Tensor& y, Tensor& h, Tensor& c) const {
    run_recurrent_layer(kind, this->steps, {x, h0, c0, w_hh, b_hh, w_hr}, {y, h, c, {}, {}});
  }
  void cuda(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
            const Tensor& w_hr, Tensor& y, Tensor& h, Tensor& c) const {
    cpu(x, h0, c0, w_hh, b_hh, w_hr, y, h, c);
  }
};

template <RecurrentKind kind>
struct RecordedLayer : LayerBase<kind> {
  std::array<TensorSpec, 5> result(const Tensor& x, const Tensor& h0, const Tensor&, const Tensor& w_hh, const Tensor&,
                                   const Tensor&) const {
    return this->specs(x, h0, w_hh);
  }
  void cpu(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
           const Tensor& w_hr, Tensor& y, Tensor& h, Tensor& c, Tensor& saved, Tensor& cells) const {
    run_recurrent_layer(kind, this->steps, {x, h0, c0, w_hh, b_hh, w_hr}, {y, h, c, saved, cells});
  }
  void cuda(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
            const Tensor& w_hr, Tensor& y, Tensor& h, Tensor& c, Tensor& saved, Tensor& cells) const {
    cpu(x, h0, c0, w_hh, b_hh, w_hr, y, h, c, saved, cells);
  }

  Gradients<6> gradient(GradAt<0> of_y, GradAt<1> of_h, GradAt<2> of_c, GradAt<3> of_saved, GradAt<4> of_cells,
                        Input<1> h0, Input<2> c0, Input<3> w_hh, Input<5> w_hr, OutputAt<0> y, OutputAt<3> saved,
                        OutputAt<4> cells, Needs needs) const {
    return recurrent_formula(kind, this->steps, {of_y, of_h, of_c, of_saved, of_cells}, {h0, c0, w_hh, w_hr},
                             {y, saved, cells}, needs);
  }
  Gradients<6> fast_gradient(GradAt<0> of_y, GradAt<1> of_h, GradAt<2> of_c, GradAt<3> of_saved, GradAt<4> of_cells,
                             Input<1> h0, Input<2> c0, Input<3> w_hh, Input<5> w_hr, OutputAt<0> y, OutputAt<3> saved,
                             OutputAt<4> cells, Spec<0> x, Needs needs) const {
    if (of_saved.defined() || of_cells.defined())
      return gradient(of_y, of_h, of_c, of_saved, of_cells, h0, c0, w_hh, w_hr, y, saved, cells, needs);
    const double values = static_cast<double>(x.numel());
    const double rows = values / static_cast<double>(w_hh.size(0) == 0 ? 1 : w_hh.size(0));
    // By each weight a product for the state's gradient, and one for its own if that is needed.
    const double weights = static_cast<double>(w_hh.numel()) * (needs[3] ? 2 : 1) +
                           (w_hr.defined() ? static_cast<double>(w_hr.numel()) * (needs[5] ? 2 : 1) : 0);
    const Reported reported("recurrent_gradient", {.flops = 2 * rows * weights + 30 * values,
                                                   .bytes = 4 * values * static_cast<double>(size_of(x.dtype))});
    return recurrent_layer_gradient(kind, this->steps, {of_y, of_h, of_c, {}, {}}, {h0, c0, w_hh, w_hr},
                                    {y, saved, cells}, x, needs);
  }
};

template <RecurrentKind kind>
std::array<Tensor, 3> apply_layer(const RecurrentSteps& steps, const Tensor& x, const Tensor& h0, const Tensor& c0,
                                  const Tensor& w_hh, const Tensor& b_hh, const Tensor& w_hr) {
  if (!check_inputs(RecordedLayer<kind>::traits, InputRefs(x, h0, c0, w_hh, b_hh, w_hr)))
    return apply(Layer<kind>{{steps}}, x, h0, c0, w_hh, b_hh, w_hr);
  auto [y, h, c, saved, cells] = apply(RecordedLayer<kind>{{steps}}, x, h0, c0, w_hh, b_hh, w_hr);
  return {std::move(y), std::move(h), std::move(c)};
}

}  // namespace

std::array<Tensor, 3> recurrent_layer(RecurrentKind kind, const RecurrentSteps& steps, const Tensor& x,
                                      const Tensor& h0, const Tensor& c0, const Tensor& w_hh, const Tensor& b_hh,
                                      const Tensor& w_hr) {
  switch (kind) {
    case RecurrentKind::rnn_tanh: return apply_layer<RecurrentKind::rnn_tanh>(steps, x, h0, c0, w_hh, b_hh, w_hr);
    case RecurrentKind::rnn_relu: return apply_layer<RecurrentKind::rnn_relu>(steps, x, h0, c0, w_hh, b_hh, w_hr);
    case RecurrentKind::lstm: return apply_layer<RecurrentKind::lstm>(steps, x, h0, c0, w_hh, b_hh, w_hr);
    case RecurrentKind::gru: break;
  }
  return apply_layer<RecurrentKind::gru>(steps, x, h0, c0, w_hh, b_hh, w_hr);
}

}  // namespace minima::detail
