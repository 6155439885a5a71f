#include <c10/util/Exception.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/rnn.h>

#include <array>
#include <cmath>
#include <type_traits>
#include <variant>

#include "layer_printer.h"

namespace torch::nn {

namespace {

template <class Cell>
std::array<minima::RecurrentWeights, 1> weights_of(const Cell& cell) {
  return {minima::RecurrentWeights{cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh}};
}

/// A cell is a network of one layer and one step: [B, W] → [1, B, W], [W] → [1, W].
minima::Tensor as_step(const Tensor& x) { return x.defined() ? minima::unsqueeze(x, 0) : minima::Tensor(); }
Tensor from_step(const minima::Tensor& state) { return minima::select(state, 0, 0); }

}  // namespace

namespace detail {

template <typename Derived>
RNNCellImplBase<Derived>::RNNCellImplBase(const RNNCellOptionsBase& options_) : options_base(options_) {
  RNNCellImplBase::reset();
}

template <typename Derived>
void RNNCellImplBase<Derived>::reset() {
  const int64_t hidden = options_base.hidden_size(), rows = options_base.num_chunks() * hidden;
  const bool biased = options_base.bias();
  weight_ih = this->register_parameter("weight_ih", torch::empty({rows, options_base.input_size()}));
  weight_hh = this->register_parameter("weight_hh", torch::empty({rows, hidden}));
  bias_ih = this->register_parameter("bias_ih", biased ? torch::empty({rows}) : Tensor(), biased);
  bias_hh = this->register_parameter("bias_hh", biased ? torch::empty({rows}) : Tensor(), biased);
  reset_parameters();
}

template <typename Derived>
void RNNCellImplBase<Derived>::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(options_base.hidden_size()));
  for (const Tensor& weight : this->parameters()) init::uniform_(weight, -bound, bound);
}

template <typename Derived>
void RNNCellImplBase<Derived>::pretty_print(std::ostream& stream) const {
  const char* name = std::is_same_v<Derived, RNNCellImpl>    ? "RNNCell"
                     : std::is_same_v<Derived, LSTMCellImpl> ? "LSTMCell"
                                                             : "GRUCell";
  LayerPrinter print(stream, name);
  print(options_base.input_size())(options_base.hidden_size()).unless(true, "bias", options_base.bias());
  const std::string nonlinearity = get_nonlinearity_str();
  if (!nonlinearity.empty() && nonlinearity != "kTanh") print("nonlinearity", nonlinearity);
}

template <typename Derived>
void RNNCellImplBase<Derived>::check_forward_input(const Tensor& input, const std::string& name) const {
  TORCH_CHECK(input.dim() == 1 || input.dim() == 2, "Expected ", name, " to be 1D or 2D, got ", input.dim(),
              "D instead");
}

template <typename Derived>
void RNNCellImplBase<Derived>::check_state(const Tensor& state, const Tensor& input, const std::string& name,
                                           int index) const {
  TORCH_CHECK(input.size(-1) == options_base.input_size(), "input has inconsistent input_size: got ", input.size(-1),
              " expected ", options_base.input_size());
  if (!state.defined()) return;
  check_forward_input(state, name);
  TORCH_CHECK(state.size(-1) == options_base.hidden_size(), "hidden", index, " has inconsistent hidden_size: got ",
              state.size(-1), ", expected ", options_base.hidden_size());
  TORCH_CHECK(input.sizes().slice(0, input.dim() - 1) == state.sizes().slice(0, state.dim() - 1), "Input batch size ",
              input.size(0), " doesn't match hidden", index, " batch size ", state.size(0));
}

template class RNNCellImplBase<RNNCellImpl>;
template class RNNCellImplBase<LSTMCellImpl>;
template class RNNCellImplBase<GRUCellImpl>;

}  // namespace detail

#define DEFINE_CONSTRUCTORS(NAME, GATES)                                                                        \
  NAME##Impl::NAME##Impl(int64_t input_size, int64_t hidden_size)                                               \
      : NAME##Impl(NAME##Options(input_size, hidden_size)) {}                                                   \
  NAME##Impl::NAME##Impl(const NAME##Options& options_)                                                         \
      : RNNCellImplBase(                                                                                        \
            detail::RNNCellOptionsBase(options_.input_size(), options_.hidden_size(), options_.bias(), GATES)), \
        options(options_) {}

DEFINE_CONSTRUCTORS(RNNCell, 1)
DEFINE_CONSTRUCTORS(LSTMCell, 4)
DEFINE_CONSTRUCTORS(GRUCell, 3)

std::string RNNCellImpl::get_nonlinearity_str() const { return enumtype::get_enum_name(options.nonlinearity()); }

Tensor RNNCellImpl::forward(const Tensor& input, const Tensor& hx) {
  check_forward_input(input, "input");
  check_state(hx, input, "hidden", 0);
  const bool relu = std::holds_alternative<enumtype::kReLU>(options.nonlinearity());
  const auto network = relu ? minima::rnn_relu : minima::rnn_tanh;
  return from_step(network(as_step(input), as_step(hx), weights_of(*this), {}).h);
}

Tensor GRUCellImpl::forward(const Tensor& input, const Tensor& hx) {
  check_forward_input(input, "input");
  check_state(hx, input, "hidden", 0);
  return from_step(minima::gru(as_step(input), as_step(hx), weights_of(*this), {}).h);
}

std::tuple<Tensor, Tensor> LSTMCellImpl::forward(const Tensor& input,
                                                 std::optional<std::tuple<Tensor, Tensor>> hx_opt) {
  check_forward_input(input, "input");
  const auto [h0, c0] = hx_opt.value_or(std::tuple<Tensor, Tensor>());
  check_state(h0, input, "hx[0]", 0);
  check_state(c0, input, "hx[1]", 1);
  const auto [y, h, c] = minima::lstm(as_step(input), as_step(h0), as_step(c0), weights_of(*this), {});
  return {from_step(h), from_step(c)};
}

#undef DEFINE_CONSTRUCTORS

}  // namespace torch::nn
