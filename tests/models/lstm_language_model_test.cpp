#include "tests/models/recording.h"

#include <minima/nn/recurrent/recurrent.h>

// An LSTM language model with truncated backpropagation: the state after one chunk of text starts the next.

namespace minima::lstm_language_model_test {
namespace {

struct LstmLanguageModel : nn::ModuleOf<LstmLanguageModel> {
  nn::Embedding embedding = child("embedding", nn::Embedding({.count = 24, .dim = 16}));
  nn::LSTM lstm = child("lstm", nn::LSTM({.in = 16, .hidden = 24, .layers = 2}));
  nn::Linear head = child("head", nn::Linear({.in = 24, .out = 24}));
  Tensor h, c;

  Tensor forward(const Tensor& tokens) {
    const LstmResult result = lstm(embedding(tokens), h, c);
    h = result.h.detach(), c = result.c.detach();
    return head(result.y);
  }
};

TEST(Models, LstmLanguageModelFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("lstm_language_model");
  LstmLanguageModel net;
  recorded.start(net);
  const Tensor text = recorded["text"];
  const std::int64_t length = (text.size(0) - 1) / recorded.losses();
  optim::SGD optimizer(net.parameters(), {.lr = 2});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor logits = net(narrow(text, 0, step * length, length));
    const Tensor loss = cross_entropy(flatten(logits, 0, 1), flatten(narrow(text, 0, step * length + 1, length)));
    loss.backward();
    optim::clip_grad_norm_(net.parameters(), 0.25);
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.state_dict().tensor("lstm.weight_ih_l1"));
  recorded.expect_reached("cell", net.c);
}

}  // namespace
}  // namespace minima::lstm_language_model_test
