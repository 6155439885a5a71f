#include <minima/nn/recurrent/recurrent.h>

#include <minima/nn/containers/sequential.h>
#include <minima/nn/init/init.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/check_options.h>
#include <minima/nn/module/listed_parameter.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/parameter.h>
#include <minima/ops/index/select.h>
#include <minima/ops/recurrent/packed_sequence.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace minima::nn {

namespace {

const RNNOptions& checked(const char* name, const RNNOptions& options) {
  detail::expect_at_least(name, "in", 1, options.in);
  detail::expect_at_least(name, "hidden", 1, options.hidden);
  detail::expect_layers(name, "layers", 1, options.layers);
  if (!(options.dropout >= 0 && options.dropout <= 1))
    throw ValueError(str(name, ": dropout must be from 0 to 1, got ", options.dropout));
  if (options.relu && std::string(name) != "RNN") throw ValueError(str(name, ": only RNN has the option relu"));
  if (options.projection != 0 && std::string(name) != "LSTM")
    throw ValueError(str(name, ": only LSTM has the option projection"));
  if (options.projection < 0 || options.projection >= options.hidden)
    throw ValueError(str(name, ": projection must be from 0 (none) to hidden - 1 = ", options.hidden - 1, ", got ",
                         options.projection));
  return options;
}

/// Parameters per layer and direction.
std::int64_t parameters_each(const RNNOptions& options) {
  return 2 + (options.bias ? 2 : 0) + (options.projection > 0 ? 1 : 0);
}

/// As list elements, whose names need not be known at compile time.
void add_parameters(ModuleBase& module, const RNNOptions& options, std::int64_t gates) {
  const std::int64_t out = options.projection > 0 ? options.projection : options.hidden, rows = gates * options.hidden;
  const std::int64_t directions = options.bidirectional ? 2 : 1;
  for (std::int64_t layer = 0; layer < options.layers; ++layer)
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const auto add = [&](const char* name, const Shape& shape) {
        detail::add_item(module, str(name, "_l", layer, direction == 1 ? "_reverse" : ""),
                         AnyModule(detail::ListedParameter(Parameter(empty(shape)))));
      };
      add("weight_ih", {rows, layer == 0 ? options.in : directions * out});
      add("weight_hh", {rows, out});
      if (options.bias) add("bias_ih", {rows});
      if (options.bias) add("bias_hh", {rows});
      if (options.projection > 0) add("weight_hr", {out, options.hidden});
    }
}

void reset(const ModuleBase& module, const RNNOptions& options) {
  const double bound = 1 / std::sqrt(static_cast<double>(options.hidden));
  for (const Tensor& parameter : module.parameters()) init::uniform_(parameter, -bound, bound);
}

std::vector<RecurrentWeights> weights_of(const ModuleBase& module, const RNNOptions& options) {
  const std::int64_t count = options.layers * (options.bidirectional ? 2 : 1), each = parameters_each(options);
  std::vector<RecurrentWeights> weights;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t next = i * each;
    const auto take = [&] { return detail::item(module, next++).as<detail::ListedParameter>().value; };
    RecurrentWeights w{take(), take()};
    if (options.bias) w.b_ih = take(), w.b_hh = take();
    if (options.projection > 0) w.w_hr = take();
    weights.push_back(std::move(w));
  }
  return weights;
}

RecurrentOptions call_options(const ModuleBase& module, const RNNOptions& options) {
  return {.batch_first = options.batch_first,
          .bidirectional = options.bidirectional,
          .dropout = module.is_training() ? options.dropout : 0};
}
RecurrentOptions call_options(const ModuleBase& module, const RNNOptions& options, const PackedSequence& x) {
  RecurrentOptions result = call_options(module, options);
  result.batch_sizes = x.batch_sizes;
  return result;
}

/// States [L·D, B, H] in the pack's order, and back in the batch's.
Tensor to_pack(const PackedSequence& x, const Tensor& state) {
  if (!state.defined()) return state;
  return index_select(state, 1, from_vector(x.order, {static_cast<std::int64_t>(x.order.size())}).to(state.device()));
}
Tensor to_batch(const PackedSequence& x, const Tensor& state) {
  std::vector<std::int64_t> places(x.order.size());
  for (std::size_t i = 0; i < x.order.size(); ++i)
    places[static_cast<std::size_t>(x.order[i])] = static_cast<std::int64_t>(i);
  return index_select(state, 1, from_vector(places, {static_cast<std::int64_t>(places.size())}).to(state.device()));
}

using Run = RecurrentResult (*)(const Tensor&, const Tensor&, std::span<const RecurrentWeights>,
                                const RecurrentOptions&);
PackedRecurrentResult run_packed(Run run, const ModuleBase& module, const RNNOptions& options, const PackedSequence& x,
                                 const Tensor& h0) {
  auto [y, h] = run(x.data, to_pack(x, h0), weights_of(module, options), call_options(module, options, x));
  return {{std::move(y), x.batch_sizes, x.order}, to_batch(x, h)};
}

}  // namespace

RNN::RNN(const RNNOptions& given) : options(checked("RNN", given)) {
  add_parameters(*this, options, 1);
  reset_parameters();
}
void RNN::reset_parameters() { reset(*this, options); }
RecurrentResult RNN::forward(const Tensor& x, const Tensor& h0) {
  return (options.relu ? rnn_relu : rnn_tanh)(x, h0, weights_of(*this, options), call_options(*this, options));
}
PackedRecurrentResult RNN::forward(const PackedSequence& x, const Tensor& h0) {
  return run_packed(options.relu ? rnn_relu : rnn_tanh, *this, options, x, h0);
}

GRU::GRU(const RNNOptions& given) : options(checked("GRU", given)) {
  add_parameters(*this, options, 3);
  reset_parameters();
}
void GRU::reset_parameters() { reset(*this, options); }
RecurrentResult GRU::forward(const Tensor& x, const Tensor& h0) {
  return gru(x, h0, weights_of(*this, options), call_options(*this, options));
}
PackedRecurrentResult GRU::forward(const PackedSequence& x, const Tensor& h0) {
  return run_packed(gru, *this, options, x, h0);
}

LSTM::LSTM(const RNNOptions& given) : options(checked("LSTM", given)) {
  add_parameters(*this, options, 4);
  reset_parameters();
}
void LSTM::reset_parameters() { reset(*this, options); }
LstmResult LSTM::forward(const Tensor& x, const Tensor& h0, const Tensor& c0) {
  return lstm(x, h0, c0, weights_of(*this, options), call_options(*this, options));
}
PackedLstmResult LSTM::forward(const PackedSequence& x, const Tensor& h0, const Tensor& c0) {
  auto [y, h, c] =
      lstm(x.data, to_pack(x, h0), to_pack(x, c0), weights_of(*this, options), call_options(*this, options, x));
  return {{std::move(y), x.batch_sizes, x.order}, to_batch(x, h), to_batch(x, c)};
}

}  // namespace minima::nn
