#include "tests/models/recording.h"

#include <minima/nn/recurrent/recurrent.h>

// A bidirectional GRU over packed sequences of different lengths, which classifies them by its last states.

namespace minima::gru_classifier_test {
namespace {

struct GruClassifier : nn::ModuleOf<GruClassifier> {
  nn::Embedding embedding = child("embedding", nn::Embedding({.count = 30, .dim = 12}));
  nn::GRU gru =
      child("gru", nn::GRU({.in = 12, .hidden = 16, .layers = 2, .batch_first = true, .bidirectional = true}));
  nn::Linear head = child("head", nn::Linear({.in = 32, .out = 4}));

  Tensor forward(const Tensor& tokens, const std::vector<std::int64_t>& lengths) {
    const Tensor h = gru(pack_padded_sequence(embedding(tokens), lengths, true)).h;
    return head(cat({select(h, 0, -2), select(h, 0, -1)}, 1));
  }
};

TEST(Models, GruClassifierFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("gru_classifier");
  GruClassifier net;
  recorded.start(net);
  const Tensor tokens = recorded["tokens"], classes = recorded["classes"];
  const std::vector<std::int64_t> lengths = recorded["lengths"].to(Device::cpu()).to_vector<std::int64_t>();
  optim::Adam optimizer(net.parameters(), {.lr = 1e-2});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor loss = cross_entropy(net(tokens, lengths), classes);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.state_dict().tensor("gru.weight_hh_l1_reverse"));
}

}  // namespace
}  // namespace minima::gru_classifier_test
