#include "tests/onnx/zoo.h"

#include <minima/minima.h>
#include <minima/models/language/bert.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/nn/attention/multihead_attention.h>
#include <minima/nn/attention/transformer.h>
#include <minima/nn/layers/bilinear.h>
#include <minima/nn/layers/distance.h>

namespace minima::onnx::test_zoo {

std::vector<Case> sequence_layers() {
  const Tensor x = randn({5, 2, 6}), rows = randn({3, 6}), other = randn({3, 6});
  const std::vector<DynamicSize> lengths{{"x0", 0, "length"}, {"x0", 1, "batch"}},
      batch_first{{"x0", 0, "batch"}, {"x0", 1, "length"}};
  const nn::TransformerLayerOptions layer{.d_model = 6, .nhead = 2, .dim_feedforward = 8, .batch_first = true};
  std::vector<Case> cases{
      make_case("RNN", nn::RNN({.in = 6, .hidden = 4}), {x}, lengths),
      make_case("GRU", nn::GRU({.in = 6, .hidden = 4, .layers = 2}), {x}, lengths),
      make_case("LSTM", nn::LSTM({.in = 6, .hidden = 4, .layers = 2, .bidirectional = true}), {x}, lengths),
      make_case("LSTM, batch first", nn::LSTM({.in = 6, .hidden = 4, .batch_first = true}), {transpose(x, 0, 1)},
                batch_first),
      make_case("RNNCell", nn::RNNCell({.in = 6, .hidden = 4}), {rows}, dynamic_batch()),
      make_case("GRUCell", nn::GRUCell({.in = 6, .hidden = 4}), {rows}, dynamic_batch()),
      make_case("LSTMCell", nn::LSTMCell({.in = 6, .hidden = 4}), {rows}, dynamic_batch()),
      make_case("Bilinear", nn::Bilinear({.in1 = 6, .in2 = 6, .out = 3}), {rows, other}, dynamic_batch(2)),
      make_case("CosineSimilarity", nn::CosineSimilarity(), {rows, other}, dynamic_batch(2)),
      make_case("PairwiseDistance", nn::PairwiseDistance(), {rows, other}, dynamic_batch(2)),
      make_case("TransformerEncoderLayer", nn::TransformerEncoderLayer(layer), {x}, batch_first),
      make_case("TransformerDecoderLayer", nn::TransformerDecoderLayer(layer), {x, x},
                {{"x0", 0, "batch"}, {"x1", 0, "batch"}, {"x0", 1, "length"}}),
      make_case("MultiheadAttention", nn::MultiheadAttention({.embed_dim = 6, .num_heads = 2}), {x, x, x}, {}),
      make_case("Transformer",
                nn::Transformer({.d_model = 6,
                                 .nhead = 2,
                                 .num_encoder_layers = 1,
                                 .num_decoder_layers = 1,
                                 .dim_feedforward = 8,
                                 .batch_first = true}),
                {x, x}, {{"x0", 0, "batch"}, {"x1", 0, "batch"}}),
  };
  const Tensor tokens = from_vector<std::int64_t>({1, 4, 2, 9, 9, 3, 7, 0, 5, 6}, {2, 5});
  auto bert = std::make_shared<models::BERT>(
      models::BERTOptions{.vocabulary = 10, .positions = 16, .width = 8, .layers = 2, .heads = 2, .mlp = 12});
  Case masked = make_case("BERT", *bert, {tokens, ones({2, 5}, {.dtype = int64})},
                          {{"x0", 0, "batch"}, {"x1", 0, "batch"}, {"x0", 1, "length"}, {"x1", 1, "length"}},
                          [bert](const std::vector<Tensor>& in) {
                            const models::BERTResult y = (*bert)(in[0], models::BERTCall{.attention_mask = in[1]});
                            return std::vector<Tensor>{y.last_hidden_state, y.pooler_output};
                          });
  cases.push_back(std::move(masked));
  cases.push_back(make_case("GPT2",
                            models::GPT2({.vocabulary = 10, .positions = 16, .width = 8, .layers = 2, .heads = 2}),
                            {tokens}, batch_first));
  cases.push_back(make_case(
      "Llama", models::Llama({.vocabulary = 10, .width = 16, .mlp = 24, .layers = 2, .heads = 4, .key_heads = 2}),
      {tokens}, batch_first));
  // The opsets say these in different ways.
  for (const std::int64_t opset : {18, 24}) {
    const std::string suffix = ", opset " + std::to_string(opset);
    Case llama =
        make_case("Llama" + suffix,
                  models::Llama({.vocabulary = 10, .width = 16, .mlp = 24, .layers = 1, .heads = 4, .key_heads = 4}),
                  {tokens}, batch_first);
    Case gelu = make_case("GELU" + suffix, nn::Linear({.in = 6, .out = 4, .activation = Activation::gelu}), {rows},
                          dynamic_batch());
    for (Case* c : {&llama, &gelu}) {
      c->options.opset = opset;
      cases.push_back(std::move(*c));
    }
  }
  return cases;
}

}  // namespace minima::onnx::test_zoo
