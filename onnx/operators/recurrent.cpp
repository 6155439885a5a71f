#include <minima/onnx/operators/operators.h>

#include <minima/ops/ops.h>
#include <minima/ops/recurrent/packed_sequence.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Recurrent networks of one layer, with the activations that PyTorch's have.

namespace minima::onnx {

namespace recurrent {

namespace {

using minima::detail::gates_of;
using minima::detail::recurrent_layer;
using minima::detail::RecurrentKind;

/// The blocks of rows of all gates [G·H, …] in another order.
Tensor reordered(const Tensor& rows, const std::vector<std::int64_t>& order) {
  std::vector<Tensor> blocks;
  blocks.reserve(order.size());
  const std::int64_t size = rows.size(0) / static_cast<std::int64_t>(order.size());
  for (const std::int64_t block : order) blocks.push_back(narrow(rows, 0, block * size, size));
  return cat(blocks, 0);
}

/// x [T, B, …] with the first lengths[b] elements of each sequence b in reverse.
Tensor reversed_up_to(const Tensor& x, const Tensor& lengths) {
  const Tensor step = unsqueeze(arange(x.size(0), {.device = x.device()}), 1);
  Tensor places = where(step < lengths, lengths - 1 - step, step);
  while (places.rank() < x.rank()) places = unsqueeze(places, -1);
  return gather(x, 0, expand(places, x.shape()));
}

/// Throws unless the activations of each direction are these, the operator's default.
void expect_activations(const Call& in, const std::vector<std::string>& usual) {
  if (in.i("input_forget") != 0) throw ValueError("onnx: coupled input and forget gates are no operator here");
  const std::vector<std::string> given = in.strings("activations");
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] != usual[i % usual.size()])
      throw ValueError("onnx: a recurrent network with the activation " + given[i] + " is no operator here");
}

/// A node's inputs as minima's networks take them: x [T, B, I], from its end for the direction `reverse`.
class Network {
 public:
  /// `order` names the ONNX blocks of the weights in the order of minima's gates.
  Network(const Call& in, const std::vector<std::int64_t>& order)
      : batch_first_(in.i("layout") != 0), direction_(in.word("direction", {"forward", "reverse", "bidirectional"})) {
    x = batch_first_ ? transpose(in[0], 0, 1) : in[0];
    if (in.has(4)) note_lengths(in[4]);
    if (direction_ == "reverse" && !runs_backward()) x = reversed(x);
    if (!order_of_lengths_.empty()) {
      PackedSequence pack = pack_padded_sequence(x, lengths_);
      x = pack.data;
      batch_sizes_ = pack.batch_sizes;
      options.batch_sizes = batch_sizes_;
      order_of_lengths_ = pack.order;
    }
    in.i("hidden_size");  // the weights', too
    for (std::int64_t d = 0; d < in[1].size(0); ++d) {
      RecurrentWeights w{reordered(in[1][d], order), reordered(in[2][d], order)};
      if (in.has(3)) {
        const std::vector<Tensor> halves = chunk(in[3][d], 2, 0);
        w.b_ih = reordered(halves[0], order);
        w.b_hh = reordered(halves[1], order);
      }
      weights.push_back(w);
    }
    options.bidirectional = direction_ == "bidirectional";
  }
  Network(const Network&) = delete;  // its options refer to it
  Tensor state(const Call& in, std::size_t i) const {
    if (!in.has(i)) return Tensor();
    const Tensor h = batch_first_ ? transpose(in[i], 0, 1) : in[i];
    return order_of_lengths_.empty() ? h : index_select(h, 1, numbers(order_of_lengths_));
  }
  /// y [T, B, D·H], or a pack of it, as ONNX has it: [T, D, B, H], or [B, T, D, H].
  Tensor outputs(const Tensor& of_steps) const {
    Tensor y = of_steps;
    if (!order_of_lengths_.empty())
      y = pad_packed_sequence({y, batch_sizes_, order_of_lengths_}, false, 0, steps_).padded;
    const auto directions = static_cast<std::int64_t>(weights.size());
    const Tensor apart = reshape(direction_ == "reverse" && !runs_backward() ? reversed(y) : y,
                                 {y.size(0), y.size(1), directions, y.size(2) / directions});
    return permute(apart, batch_first_ ? Shape{1, 0, 2, 3} : Shape{0, 2, 1, 3});
  }
  /// Whether the layer itself goes from the last step to the first. On a GPU its library takes turned sequences.
  bool runs_backward() const { return direction_ == "reverse" && order_of_lengths_.empty() && x.device().is_cpu(); }
  std::array<Tensor, 3> run_backward(RecurrentKind kind, const Tensor& h0, const Tensor& c0) const {
    if (weights.size() != 1)
      throw ShapeError(str("onnx: a network in one direction has weights for one, got ", weights.size()));
    const RecurrentWeights& w = weights.front();
    const std::int64_t width = w.w_hh.size(-1), rows = gates_of(kind) * width;
    const auto expect = [&](const char* name, const Tensor& tensor, const Shape& shape) {
      if (tensor.defined() && (tensor.shape() != shape || tensor.dtype() != x.dtype()))
        throw ShapeError(
            str("onnx: ", name, " of a recurrent network must be ", shape, " of ", x.dtype(), ", got ", tensor));
    };
    expect("the weight of x", w.w_ih, {rows, x.size(-1)});
    expect("the weight of the state", w.w_hh, {rows, width});
    expect("the bias", w.b_ih, {rows});
    expect("the state", h0, {1, x.size(1), width});
    expect("the cell state", c0, {1, x.size(1), width});
    const auto start = [&](const Tensor& state) {
      return state.defined() ? state[0] : zeros({x.size(1), width}, {.dtype = x.dtype(), .device = x.device()});
    };
    const bool is_lstm = kind == RecurrentKind::lstm, is_separate = kind == RecurrentKind::gru;
    const Tensor bias = is_separate || !w.b_ih.defined() ? w.b_ih : w.b_ih + w.b_hh;
    auto [y, h, c] = recurrent_layer(kind, {nullptr, true}, linear(x, w.w_ih, bias), start(h0),
                                     is_lstm ? start(c0) : Tensor(), w.w_hh, is_separate ? w.b_hh : Tensor(), Tensor());
    return {y, unsqueeze(h, 0), is_lstm ? unsqueeze(c, 0) : Tensor()};
  }
  Tensor final_state(const Tensor& of_order) const {
    Tensor h = of_order;
    if (!order_of_lengths_.empty()) h = index_select(h, 1, argsort(numbers(order_of_lengths_), 0));
    return batch_first_ ? transpose(h, 0, 1) : h;
  }

  Tensor x;
  std::vector<RecurrentWeights> weights;
  RecurrentOptions options;

 private:
  /// Notes the sequences' lengths if they are not all the longest.
  void note_lengths(const Tensor& lengths) {
    lengths_ = lengths.to(int64).to_vector<std::int64_t>();
    steps_ = x.size(0);
    for (const std::int64_t length : lengths_)
      if (length != steps_) order_of_lengths_.assign(lengths_.size(), 0);
  }
  Tensor numbers(const std::vector<std::int64_t>& values) const {
    return from_vector(values, {static_cast<std::int64_t>(values.size())}).to(x.device());
  }
  /// The steps [T, B, …] of each sequence in reverse, up to its length.
  Tensor reversed(const Tensor& y) const {
    if (order_of_lengths_.empty()) return flip(y, {0});
    return reversed_up_to(y, numbers(lengths_));
  }

  bool batch_first_;
  std::string direction_;
  std::vector<std::int64_t> lengths_, order_of_lengths_, batch_sizes_;  ///< empty without lengths
  std::int64_t steps_ = 0;
};

std::vector<Tensor> of_one_state(const Call& in, RecurrentKind kind, const std::vector<std::int64_t>& order,
                                 RecurrentResult (*run)(const Tensor&, const Tensor&, std::span<const RecurrentWeights>,
                                                        const RecurrentOptions&)) {
  const Network network(in, order);
  if (network.runs_backward()) {
    const auto [y, h, c] = network.run_backward(kind, network.state(in, 5), Tensor());
    return {network.outputs(y), network.final_state(h)};
  }
  const RecurrentResult result = run(network.x, network.state(in, 5), network.weights, network.options);
  return {network.outputs(result.y), network.final_state(result.h)};
}

/// One direction of a network that multiplies the state after it is reset: x [T, B, I] and the gates' weights in ONNX's
/// order, update, reset and new state. Sequences are as long as `lengths` says, if it is defined. Gives all states and
/// the last.
std::pair<Tensor, Tensor> reset_first(const Tensor& x, const RecurrentWeights& w, const Tensor& initial,
                                      const Tensor& lengths) {
  const std::int64_t steps = x.size(0), width = w.w_hh.size(1);
  const Tensor gates = linear(x, w.w_ih, w.b_ih);
  const std::vector<std::int64_t> parts{2 * width, width};
  const std::vector<Tensor> weights = split_with_sizes(w.w_hh, parts, 0),
                            biases = w.b_hh.defined() ? split_with_sizes(w.b_hh, parts, 0) : std::vector<Tensor>(2);
  Tensor h = initial;
  std::vector<Tensor> states;
  states.reserve(static_cast<std::size_t>(steps));
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::vector<Tensor> own = split_with_sizes(gates[step], parts, -1);
    const std::vector<Tensor> update_and_reset = chunk(sigmoid(own[0] + linear(h, weights[0], biases[0])), 2, -1);
    const Tensor fresh = tanh(own[1] + linear(update_and_reset[1] * h, weights[1], biases[1]));
    const Tensor next = fresh + update_and_reset[0] * (h - fresh);
    const Tensor goes_on = lengths.defined() ? unsqueeze(lengths > step, 1) : Tensor();
    h = goes_on.defined() ? where(goes_on, next, h) : next;
    states.push_back(goes_on.defined() ? where(goes_on, next, zeros_like(next)) : next);
  }
  return {states.empty() ? zeros({0, x.size(1), width}, {.dtype = x.dtype(), .device = x.device()}) : stack(states, 0),
          h};
}

std::vector<Tensor> gated_by_steps(const Call& in) {
  const bool batch_first = in.i("layout") != 0;
  const std::string direction = in.word("direction", {"forward", "reverse", "bidirectional"});
  const Tensor x = batch_first ? transpose(in[0], 0, 1) : in[0], lengths = in.has(4) ? in[4].to(int64) : Tensor();
  in.i("hidden_size");
  const auto turned = [&](const Tensor& y) { return lengths.defined() ? reversed_up_to(y, lengths) : flip(y, {0}); };
  std::vector<Tensor> all, last;
  for (std::int64_t d = 0; d < in[1].size(0); ++d) {
    RecurrentWeights w{in[1][d], in[2][d]};
    if (in.has(3)) {
      const std::vector<Tensor> halves = chunk(in[3][d], 2, 0);
      w.b_ih = halves[0], w.b_hh = halves[1];
    }
    const bool is_reverse = direction == "reverse" || d == 1;
    const Tensor initial = in.has(5) ? (batch_first ? select(in[5], 1, d) : in[5][d])
                                     : zeros({x.size(1), w.w_hh.size(1)}, {.dtype = x.dtype(), .device = x.device()});
    const auto [states, h] = reset_first(is_reverse ? turned(x) : x, w, initial, lengths);
    all.push_back(is_reverse ? turned(states) : states);
    last.push_back(h);
  }
  const Tensor y = stack(all, 1), h = stack(last, 0);
  return {batch_first ? permute(y, {2, 0, 1, 3}) : y, batch_first ? transpose(h, 0, 1) : h};
}

std::vector<Tensor> gated(const Call& in) {
  expect_activations(in, {"Sigmoid", "Tanh"});
  // Both kinds agree where the state is still zero and has no bias.
  const bool one_step = in[0].size(in.i("layout") != 0 ? 1 : 0) == 1 && !in.has(5) && !in.has(3);
  if (in.i("linear_before_reset") == 0 && !one_step) return gated_by_steps(in);
  return of_one_state(in, RecurrentKind::gru, {1, 0, 2}, gru);
}

std::vector<Tensor> long_short(const Call& in) {
  expect_activations(in, {"Sigmoid", "Tanh", "Tanh"});
  const Network network(in, {0, 2, 3, 1});
  if (network.runs_backward()) {
    const auto [y, h, c] = network.run_backward(RecurrentKind::lstm, network.state(in, 5), network.state(in, 6));
    return {network.outputs(y), network.final_state(h), network.final_state(c)};
  }
  const LstmResult result =
      lstm(network.x, network.state(in, 5), network.state(in, 6), network.weights, network.options);
  return {network.outputs(result.y), network.final_state(result.h), network.final_state(result.c)};
}

}  // namespace

}  // namespace recurrent

void add_recurrent(Operators& o) {
  using namespace recurrent;
  o["ReverseSequence"] = call([](const Call& in) {
    const std::int64_t time = in.i("time_axis", 0), batch = in.i("batch_axis", 1);
    if (time + batch != 1 || time * batch != 0) throw ValueError("onnx: ReverseSequence has the axes 0 and 1");
    const Tensor x = time == 0 ? in[0] : transpose(in[0], 0, 1);
    const Tensor y = reversed_up_to(x, in[1]);
    return time == 0 ? y : transpose(y, 0, 1);
  });
  o["RNN"] = [](const Call& in) {
    const std::vector<std::string> activations = in.strings("activations");
    const bool relu = !activations.empty() && activations.front() == "Relu";
    expect_activations(in, {relu ? "Relu" : "Tanh"});
    return of_one_state(in, relu ? RecurrentKind::rnn_relu : RecurrentKind::rnn_tanh, {0}, relu ? rnn_relu : rnn_tanh);
  };
  o["GRU"] = gated;
  o["LSTM"] = long_short;
}

}  // namespace minima::onnx
