#include <minima/onnx/operators/operators.h>

#include <minima/ops/ops.h>
#include <minima/ops/recurrent/packed_sequence.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Recurrent networks of one layer, with the activations that PyTorch's have.

namespace minima::onnx {

namespace recurrent {

namespace {

/// The blocks of rows of all gates [G·H, …] in another order.
Tensor reordered(const Tensor& rows, const std::vector<std::int64_t>& order) {
  std::vector<Tensor> blocks;
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
    if (direction_ == "reverse") x = reversed(x);
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
    const Tensor apart =
        reshape(direction_ == "reverse" ? reversed(y) : y, {y.size(0), y.size(1), directions, y.size(2) / directions});
    return permute(apart, batch_first_ ? Shape{1, 0, 2, 3} : Shape{0, 2, 1, 3});
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

std::vector<Tensor> of_one_state(const Call& in, const std::vector<std::int64_t>& order,
                                 RecurrentResult (*run)(const Tensor&, const Tensor&, std::span<const RecurrentWeights>,
                                                        const RecurrentOptions&)) {
  const Network network(in, order);
  const RecurrentResult result = run(network.x, network.state(in, 5), network.weights, network.options);
  return {network.outputs(result.y), network.final_state(result.h)};
}

std::vector<Tensor> gated(const Call& in) {
  expect_activations(in, {"Sigmoid", "Tanh"});
  // Both kinds agree where the state is still zero and has no bias.
  const bool one_step = in[0].size(in.i("layout") != 0 ? 1 : 0) == 1 && !in.has(5);
  if (in.i("linear_before_reset") == 0 && !one_step)
    throw ValueError("onnx: PyTorch's gru resets the state's product, not the state");
  return of_one_state(in, {1, 0, 2}, gru);
}

std::vector<Tensor> long_short(const Call& in) {
  expect_activations(in, {"Sigmoid", "Tanh", "Tanh"});
  const Network network(in, {0, 2, 3, 1});
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
    return of_one_state(in, {0}, relu ? rnn_relu : rnn_tanh);
  };
  o["GRU"] = gated;
  o["LSTM"] = long_short;
}

}  // namespace minima::onnx
