#include <torch/nn/modules/rnn.h>

#include <c10/util/Exception.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <torch/nn/functional/dropout.h>
#include <torch/nn/init.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>

#include "layer_printer.h"

namespace torch::nn {

using utils::rnn::PackedSequence;

namespace {

template <class Options>
detail::RNNOptionsBase base_options(detail::RNNOptionsBase::rnn_options_base_mode_t mode, const Options& options) {
  return detail::RNNOptionsBase(mode, options.input_size(), options.hidden_size())
      .num_layers(options.num_layers())
      .bias(options.bias())
      .batch_first(options.batch_first())
      .dropout(options.dropout())
      .bidirectional(options.bidirectional());
}
detail::RNNOptionsBase base_options(const RNNOptions& options) {
  if (std::holds_alternative<enumtype::kReLU>(options.nonlinearity())) return base_options(torch::kRNN_RELU, options);
  return base_options(torch::kRNN_TANH, options);
}
detail::RNNOptionsBase base_options(const GRUOptions& options) { return base_options(torch::kGRU, options); }
detail::RNNOptionsBase base_options(const LSTMOptions& options) {
  return base_options(torch::kLSTM, options).proj_size(options.proj_size());
}

int64_t gates(const detail::RNNOptionsBase& options) {
  if (std::holds_alternative<enumtype::kLSTM>(options.mode())) return 4;
  return std::holds_alternative<enumtype::kGRU>(options.mode()) ? 3 : 1;
}

const char* layer_name(const detail::RNNOptionsBase& options) {
  if (std::holds_alternative<enumtype::kLSTM>(options.mode())) return "LSTM";
  return std::holds_alternative<enumtype::kGRU>(options.mode()) ? "GRU" : "RNN";
}

void check(const detail::RNNOptionsBase& options) {
  TORCH_CHECK(0 <= options.dropout() && options.dropout() <= 1,
              "dropout should be a number in range [0, 1] representing the probability of an element being zeroed");
  if (options.dropout() > 0 && options.num_layers() == 1)
    TORCH_WARN("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects ",
               "num_layers greater than 1, but got dropout=", options.dropout(), " and num_layers=1");
  TORCH_CHECK(options.hidden_size() > 0, "hidden_size must be greater than zero");
  TORCH_CHECK(options.num_layers() > 0, "num_layers must be greater than zero");
  TORCH_CHECK(0 <= options.proj_size() && options.proj_size() < options.hidden_size(),
              "proj_size has to be a positive integer, smaller than hidden_size or zero to disable projections");
}

std::vector<minima::RecurrentWeights> grouped(const std::vector<Tensor>& flat, const detail::RNNOptionsBase& options) {
  const size_t size = 2 + (options.bias() ? 2 : 0) + (options.proj_size() > 0 ? 1 : 0);
  std::vector<minima::RecurrentWeights> result;
  for (size_t i = 0; i < flat.size(); i += size) {
    minima::RecurrentWeights weights{flat[i], flat[i + 1]};
    if (options.bias()) {
      weights.b_ih = flat[i + 2];
      weights.b_hh = flat[i + 3];
    }
    if (options.proj_size() > 0) weights.w_hr = flat[i + size - 1];
    result.push_back(std::move(weights));
  }
  return result;
}

/// The output, and the states after the last step: h, and c of an LSTM.
struct Result {
  minima::Tensor y;
  std::vector<minima::Tensor> states;
};

using Weights = std::span<const minima::RecurrentWeights>;

Result run_layers(const detail::RNNOptionsBase& options, const minima::Tensor& x,
                  const std::vector<minima::Tensor>& states, Weights weights, const minima::RecurrentOptions& call) {
  if (std::holds_alternative<enumtype::kLSTM>(options.mode())) {
    auto [y, h, c] = minima::lstm(x, states[0], states[1], weights, call);
    return {y, {h, c}};
  }
  const auto network = std::holds_alternative<enumtype::kGRU>(options.mode())        ? minima::gru
                       : std::holds_alternative<enumtype::kRNN_RELU>(options.mode()) ? minima::rnn_relu
                                                                                     : minima::rnn_tanh;
  auto [y, h] = network(x, states[0], weights, call);
  return {y, {h}};
}

/// The network on x [T, B, I], [B, T, I] or packed. States may be undefined, for zeros.
Result run_network(const detail::RNNOptionsBase& options, bool training, const Tensor& x, const Tensor& batch_sizes,
                   const std::vector<minima::Tensor>& states, const std::vector<Tensor>& flat_weights) {
  const std::vector<minima::RecurrentWeights> weights = grouped(flat_weights, options);
  const auto sizes =
      batch_sizes.defined() ? batch_sizes.native().to_vector<std::int64_t>() : std::vector<std::int64_t>();
  const bool batch_first = options.batch_first() && sizes.empty();
  minima::RecurrentOptions call{
      .batch_first = batch_first, .bidirectional = options.bidirectional(), .batch_sizes = sizes};
  if (!training || options.dropout() == 0 || options.num_layers() == 1)
    return run_layers(options, x, states, weights, call);

  // Layer by layer, because the dropout between them is to draw LibTorch's numbers, in the order of [T, B, H].
  call.batch_first = false;
  const size_t directions = options.bidirectional() ? 2 : 1;
  const auto part = [&](const minima::Tensor& all, size_t layer) {
    return all.defined() ? minima::narrow(all, 0, static_cast<std::int64_t>(layer * directions),
                                          static_cast<std::int64_t>(directions))
                         : all;
  };
  minima::Tensor y = batch_first ? minima::transpose(x, 0, 1) : x.native();
  std::vector<std::vector<minima::Tensor>> lasts(states.size());
  for (size_t layer = 0; layer * directions < weights.size(); ++layer) {
    if (layer > 0) y = functional::dropout(y, functional::DropoutFuncOptions().p(options.dropout()));
    std::vector<minima::Tensor> firsts;
    for (const minima::Tensor& state : states) firsts.push_back(part(state, layer));
    Result result = run_layers(options, y, firsts, Weights(weights).subspan(layer * directions, directions), call);
    y = result.y;
    for (size_t i = 0; i < lasts.size(); ++i) lasts[i].push_back(result.states[i]);
  }
  Result result{batch_first ? minima::transpose(y, 0, 1) : y, {}};
  for (const auto& state : lasts) result.states.push_back(minima::cat(state, 0));
  return result;
}

/// The states [L·D, B, H] of the sequences in another order; an undefined order changes nothing.
Tensor permuted(const Tensor& state, const Tensor& order) {
  return state.defined() && order.defined() ? state.index_select(1, order) : state;
}

}  // namespace

namespace detail {

template <typename Derived>
RNNImplBase<Derived>::RNNImplBase(const RNNOptionsBase& options_) : options_base(options_) {
  RNNImplBase::reset();
}

template <typename Derived>
void RNNImplBase<Derived>::reset() {
  check(options_base);
  const int64_t directions = options_base.bidirectional() ? 2 : 1, hidden = options_base.hidden_size();
  const int64_t rows = gates(options_base) * hidden;
  flat_weights_.clear();
  const auto add = [this](const std::string& name, IntArrayRef sizes) {
    flat_weights_.push_back(this->register_parameter(name, torch::empty(sizes)));
  };
  for (int64_t layer = 0; layer < options_base.num_layers(); ++layer)
    for (int64_t direction = 0; direction < directions; ++direction) {
      const std::string suffix = "_l" + std::to_string(layer) + (direction == 1 ? "_reverse" : "");
      add("weight_ih" + suffix, {rows, layer == 0 ? options_base.input_size() : directions * output_features()});
      add("weight_hh" + suffix, {rows, output_features()});
      if (options_base.bias()) {
        add("bias_ih" + suffix, {rows});
        add("bias_hh" + suffix, {rows});
      }
      if (options_base.proj_size() > 0) add("weight_hr" + suffix, {options_base.proj_size(), hidden});
    }
  reset_parameters();
}

template <typename Derived>
void RNNImplBase<Derived>::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(options_base.hidden_size()));
  for (const Tensor& weight : flat_weights_) init::uniform_(weight, -bound, bound);
}

template <typename Derived>
void RNNImplBase<Derived>::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, layer_name(options_base))("input_size", options_base.input_size())(
      "hidden_size", options_base.hidden_size())("num_layers", options_base.num_layers())("bias", options_base.bias())(
      "batch_first", options_base.batch_first())("dropout", options_base.dropout())("bidirectional",
                                                                                    options_base.bidirectional())
      .unless(int64_t(0), "proj_size", options_base.proj_size());
}

template <typename Derived>
int64_t RNNImplBase<Derived>::output_features() const {
  return options_base.proj_size() > 0 ? options_base.proj_size() : options_base.hidden_size();
}

template <typename Derived>
void RNNImplBase<Derived>::check_input(const Tensor& input, const Tensor& batch_sizes) const {
  const int64_t rank = batch_sizes.defined() ? 2 : 3;
  TORCH_CHECK(input.dim() == rank, "input must have ", rank, " dimensions, got ", input.dim());
  TORCH_CHECK(input.size(-1) == options_base.input_size(), "input.size(-1) must be equal to input_size. Expected ",
              options_base.input_size(), ", got ", input.size(-1));
}

template <typename Derived>
void RNNImplBase<Derived>::check_hidden_size(const Tensor& state, const Tensor& input, const Tensor& batch_sizes,
                                             int64_t features, const char* name) const {
  if (!state.defined()) return;
  const int64_t batch =
      batch_sizes.defined() ? batch_sizes[0].template item<int64_t>() : input.size(options_base.batch_first() ? 0 : 1);
  const std::vector<int64_t> expected{options_base.num_layers() * (options_base.bidirectional() ? 2 : 1), batch,
                                      features};
  TORCH_CHECK(state.sizes() == IntArrayRef(expected), "Expected ", name, " size ", IntArrayRef(expected), ", got ",
              state.sizes());
}

template <typename Derived, typename Options>
HiddenStateRNN<Derived, Options>::HiddenStateRNN(int64_t input_size, int64_t hidden_size)
    : HiddenStateRNN(Options(input_size, hidden_size)) {}
template <typename Derived, typename Options>
HiddenStateRNN<Derived, Options>::HiddenStateRNN(const Options& options_)
    : RNNImplBase<Derived>(base_options(options_)), options(options_) {}

template <typename Derived, typename Options>
std::tuple<Tensor, Tensor> HiddenStateRNN<Derived, Options>::run(const Tensor& input, const Tensor& batch_sizes,
                                                                 const Tensor& hx) {
  const RNNOptionsBase& base = this->options_base;
  this->check_input(input, batch_sizes);
  this->check_hidden_size(hx, input, batch_sizes, base.hidden_size(), "hidden");
  const Result result = run_network(base, this->is_training(), input, batch_sizes, {hx}, this->flat_weights_);
  return {result.y, result.states[0]};
}

template <typename Derived, typename Options>
std::tuple<Tensor, Tensor> HiddenStateRNN<Derived, Options>::forward(const Tensor& input, Tensor hx) {
  return run(input, {}, hx);
}

template <typename Derived, typename Options>
std::tuple<PackedSequence, Tensor> HiddenStateRNN<Derived, Options>::forward_with_packed_input(
    const PackedSequence& packed_input, Tensor hx) {
  const Tensor &batch_sizes = packed_input.batch_sizes(), &order = packed_input.sorted_indices();
  const auto [y, h] = run(packed_input.data(), batch_sizes, permuted(hx, order));
  return {PackedSequence(y, batch_sizes, order, packed_input.unsorted_indices()),
          permuted(h, packed_input.unsorted_indices())};
}

template class RNNImplBase<RNNImpl>;
template class RNNImplBase<GRUImpl>;
template class RNNImplBase<LSTMImpl>;
template class HiddenStateRNN<RNNImpl, RNNOptions>;
template class HiddenStateRNN<GRUImpl, GRUOptions>;

}  // namespace detail

LSTMImpl::LSTMImpl(int64_t input_size, int64_t hidden_size) : LSTMImpl(LSTMOptions(input_size, hidden_size)) {}
LSTMImpl::LSTMImpl(const LSTMOptions& options_) : RNNImplBase(base_options(options_)), options(options_) {}

std::tuple<Tensor, LSTMImpl::State> LSTMImpl::run(const Tensor& input, const Tensor& batch_sizes,
                                                  const std::optional<State>& state) {
  check_input(input, batch_sizes);
  const auto [h0, c0] = state.value_or(State());
  check_hidden_size(h0, input, batch_sizes, output_features(), "hidden[0]");
  check_hidden_size(c0, input, batch_sizes, options_base.hidden_size(), "hidden[1]");
  const Result result = run_network(options_base, is_training(), input, batch_sizes, {h0, c0}, flat_weights_);
  return {result.y, State(result.states[0], result.states[1])};
}

std::tuple<Tensor, LSTMImpl::State> LSTMImpl::forward(const Tensor& input, std::optional<State> hx_opt) {
  return run(input, {}, hx_opt);
}

std::tuple<PackedSequence, LSTMImpl::State> LSTMImpl::forward_with_packed_input(const PackedSequence& packed_input,
                                                                                std::optional<State> hx_opt) {
  const Tensor &batch_sizes = packed_input.batch_sizes(), &order = packed_input.sorted_indices();
  if (hx_opt) hx_opt = State(permuted(std::get<0>(*hx_opt), order), permuted(std::get<1>(*hx_opt), order));
  const auto [y, state] = run(packed_input.data(), batch_sizes, hx_opt);
  const Tensor& original = packed_input.unsorted_indices();
  return {PackedSequence(y, batch_sizes, order, original),
          State(permuted(std::get<0>(state), original), permuted(std::get<1>(state), original))};
}

}  // namespace torch::nn
