#include "tests/models/recording.h"

#include <minima/nn/recurrent/recurrent.h>
#include <minima/ops/loss/ctc.h>

// Speech in a toy language: a convolution and a bidirectional GRU read letters from frames by connectionist temporal
// classification (Graves et al. 2006).

namespace minima::ctc_test {
namespace {

struct Speech : nn::Module {
  nn::Conv1d conv = child("conv", nn::Conv1d({.in = 8, .out = 16, .kernel = 3, .padding = 1}));
  nn::GRU gru = child("gru", nn::GRU({.in = 16, .hidden = 12, .bidirectional = true}));
  nn::Linear head = child("head", nn::Linear({.in = 24, .out = 7}));

  Tensor forward(const Tensor& x) override { return log_softmax(head(gru(permute(relu(conv(x)), {2, 0, 1})).y), 2); }
};

TEST(Models, CtcSpeechFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("ctc");
  Speech net;
  recorded.start(net);
  const auto counts = [&](const char* key) { return recorded[key].to(Device::cpu()).to_vector<std::int64_t>(); };
  const Tensor x = recorded["x"], targets = recorded["targets"];
  const std::vector<std::int64_t> input_lengths = counts("input_lengths"), target_lengths = counts("target_lengths");
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-2});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor loss = ctc_loss(net(x), targets, input_lengths, target_lengths);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.state_dict().tensor("gru.weight_hh_l0"));
}

}  // namespace
}  // namespace minima::ctc_test
