#include <minima/onnx/export/emitter.h>
#include <minima/onnx/export/recording.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Recurrent layers. minima multiplies the inputs of all steps first, by a linear layer of its own.

namespace minima::onnx::detail {

namespace {

/// The product that a recurrent layer's gates come from. The bias may be a sum of two, of which ONNX takes each.
struct Product {
  std::string x, weight, bias, second_bias{};
};

Product product_of(Emitter& e, std::int64_t rows) {
  const DType dtype = e.output().dtype;
  const auto bias_or_zeros = [&](int number) {
    return number >= 0 ? e.name(number) : e.constant(full({rows}, 0, {.dtype = dtype}));
  };
  int gates = e.call().inputs[0];
  const RecordedCall* made = e.maker(gates);
  const bool is_flipped =
      made && made->op == view_name && made->before.rank() == 3 && made->after == made->before.transposed(0, 1);
  if (is_flipped) gates = made->inputs[0], made = e.maker(gates);
  if (made && made->op == "linear" && made->attributes.words.at("activation") == "none") {
    std::string x = e.name(made->inputs[0]);
    if (is_flipped) x = e.node("Transpose", {x}, {integers("perm", {1, 0, 2})});
    const int bias = made->inputs[2];
    const RecordedCall* sum = bias >= 0 ? e.maker(bias) : nullptr;
    if (sum && sum->op == "add" && sum->inputs.size() == 2 && e.shape_of(sum->inputs[0]) == Shape{rows} &&
        e.shape_of(sum->inputs[1]) == Shape{rows})
      return {x, e.name(made->inputs[1]), e.name(sum->inputs[0]), e.name(sum->inputs[1])};
    return {x, e.name(made->inputs[1]), bias_or_zeros(bias)};
  }
  return {e.in(0), e.constant(eye(rows, {.dtype = dtype})), bias_or_zeros(-1)};  // the gates themselves
}

/// The blocks of rows of all gates in ONNX's order, with a leading dimension for the direction.
std::string reordered(Emitter& e, const std::string& rows, const std::vector<std::size_t>& order) {
  std::string result = rows;
  if (order.size() > 1) {
    const std::vector<std::string> blocks =
        e.nodes("Split", {rows}, {integer("axis", 0), integer("num_outputs", static_cast<std::int64_t>(order.size()))},
                order.size());
    result = e.node("Concat", each(order, [&](std::size_t block) { return blocks[block]; }), {integer("axis", 0)});
  }
  return e.node("Unsqueeze", {result, e.constant(Shape{0})});
}

/// The places of a pack's rows in padded sequences [T, B], and the lengths of the sequences.
struct Pack {
  Tensor rows_of_steps;  ///< [T, B]: the row of each step, 0 where a sequence has ended
  Tensor steps_of_rows;  ///< [rows]: the place of each row among the T·B steps
  Tensor lengths;        ///< int32 [B]
};

Pack pack_of(const Shape& batch_sizes) {
  const std::int64_t batch = batch_sizes[0], steps = batch_sizes.rank();
  std::vector<std::int64_t> rows(static_cast<std::size_t>(steps * batch), 0), places,
      lengths(static_cast<std::size_t>(batch), 0);
  for (std::int64_t t = 0; t < steps; ++t)
    for (std::int64_t b = 0; b < batch_sizes[static_cast<int>(t)]; ++b) {
      rows[static_cast<std::size_t>(t * batch + b)] = static_cast<std::int64_t>(places.size());
      places.push_back(t * batch + b);
      ++lengths[static_cast<std::size_t>(b)];
    }
  const auto count = static_cast<std::int64_t>(places.size());
  return {from_vector(rows, {steps, batch}), from_vector(places, {count}),
          from_vector(lengths, {batch}).to(DType::int32)};
}

const char* direction(const Emitter& e) { return e.integer("reverse") != 0 ? "reverse" : "forward"; }

Translation layer(const char* op, std::vector<std::size_t> order, const char* activation = nullptr) {
  return [op, order, activation](Emitter& e) {
    if (e.has(5)) e.refuse("ONNX's LSTM has no projection of the hidden state (w_hr)");
    const std::int64_t rows = e.input(3).shape[0], hidden = rows / static_cast<std::int64_t>(order.size());
    const Product product = product_of(e, rows);
    const std::string recurrent_bias = e.has(4) ? e.in(4)
                                       : product.second_bias.empty()
                                           ? e.constant(full({rows}, 0, {.dtype = e.output().dtype}))
                                           : product.second_bias;
    const std::string bias = e.node("Concat", {reordered(e, product.bias, order), reordered(e, recurrent_bias, order)},
                                    {integer("axis", 1)});
    const auto state = [&](std::size_t i) { return e.node("Unsqueeze", {e.in(i), e.constant(Shape{0})}); };
    const bool is_packed = e.integer("packed") != 0;
    const Pack pack = is_packed ? pack_of(e.list("batch_sizes")) : Pack{};
    const std::string x =
        is_packed ? e.node("Gather", {product.x, e.constant(pack.rows_of_steps)}, {integer("axis", 0)}) : product.x;
    std::vector<std::string> inputs{x,    reordered(e, product.weight, order),       reordered(e, e.in(3), order),
                                    bias, is_packed ? e.constant(pack.lengths) : "", state(1)};
    const bool has_cells = e.has(2);
    if (has_cells) inputs.push_back(state(2));
    std::vector<std::string> results =
        has_cells ? e.nodes(op, inputs, {integer("hidden_size", hidden), word("direction", direction(e))}, 3)
        : activation
            ? e.nodes(
                  op, inputs,
                  {integer("hidden_size", hidden), word("direction", direction(e)), words("activations", {activation})},
                  2)
            : e.nodes(
                  op, inputs,
                  {integer("hidden_size", hidden), word("direction", direction(e)), integer("linear_before_reset", 1)},
                  2);
    std::string y = e.node("Squeeze", {results[0], e.constant(Shape{1})});
    if (is_packed)
      y = e.node("Gather", {e.node("Reshape", {y, e.constant(Shape{-1, hidden})}), e.constant(pack.steps_of_rows)},
                 {integer("axis", 0)});
    e.bind(y, 0);
    for (std::size_t i = 1; i < results.size(); ++i) e.bind(e.node("Squeeze", {results[i], e.constant(Shape{0})}), i);
  };
}

}  // namespace

void add_sequences(Translations& t) {
  t["lstm"] = layer("LSTM", {0, 3, 1, 2});
  t["gru"] = layer("GRU", {1, 0, 2});
  t["rnn_tanh"] = layer("RNN", {0}, "Tanh");
  t["rnn_relu"] = layer("RNN", {0}, "Relu");
}

}  // namespace minima::onnx::detail
