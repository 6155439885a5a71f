#include "tests/models/recording.h"

#include <minima/nn/attention/positions.h>
#include <minima/nn/attention/transformer.h>

// A seq2seq Transformer with causal and padding masks, which learns to reverse sequences.

namespace minima::seq2seq_test {
namespace {

struct Seq2Seq : nn::ModuleOf<Seq2Seq> {
  static constexpr std::int64_t words = 20, dim = 32;
  nn::Embedding source = child("source", nn::Embedding({.count = words, .dim = dim, .padding = 0}));
  nn::Embedding target = child("target", nn::Embedding({.count = words, .dim = dim, .padding = 0}));
  nn::Transformer transformer = child("transformer", nn::Transformer({.d_model = dim,
                                                                      .nhead = 4,
                                                                      .num_encoder_layers = 2,
                                                                      .num_decoder_layers = 2,
                                                                      .dim_feedforward = 2 * dim,
                                                                      .dropout = 0,
                                                                      .batch_first = true}));
  nn::Linear head = child("head", nn::Linear({.in = dim, .out = words}));

  static Tensor positions(const Tensor& tokens) {
    return nn::sinusoidal_positions(tokens.size(1), dim, {.dtype = float64, .device = tokens.device()});
  }
  Tensor forward(const Tensor& from, const Tensor& to) {
    const Tensor padding = from == 0;
    return head(transformer(source(from) + positions(from), target(to) + positions(to),
                            nn::TransformerMasks{.src_key_padding_mask = padding,
                                                 .tgt_key_padding_mask = to == 0,
                                                 .memory_key_padding_mask = padding,
                                                 .tgt_is_causal = true}));
  }
};

TEST(Models, Seq2SeqTransformerFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("seq2seq");
  Seq2Seq net;
  recorded.start(net);
  const Tensor source = recorded["source"], target = recorded["target"];
  const std::int64_t length = target.size(1) - 1;
  const Tensor given = narrow(target, 1, 0, length), wanted = flatten(narrow(target, 1, 1, length));
  optim::Adam optimizer(net.parameters(), {.lr = 2e-3, .beta1 = 0.9, .beta2 = 0.98, .eps = 1e-9});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor loss =
        cross_entropy(flatten(net(source, given), 0, 1), wanted, {.ignore_index = 0, .label_smoothing = 0.1});
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.transformer.decoder.layers[1].multihead_attn.in_proj_weight);
}

}  // namespace
}  // namespace minima::seq2seq_test
