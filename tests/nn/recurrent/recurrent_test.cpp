#include "tests/support/expect_error.h"

#include <minima/autograd/mode.h>
#include <minima/nn/clone.h>
#include <minima/nn/module/module.h>
#include <minima/nn/recurrent/cells.h>
#include <minima/nn/recurrent/recurrent.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/recurrent/packed_sequence.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::nn::recurrent_test {
namespace {

using test::expect_error;

std::vector<std::string> names_of(const ModuleBase& module) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : module.named_parameters()) names.push_back(name);
  return names;
}

TEST(Recurrent, ParametersHavePyTorchsNamesAndShapes) {
  const LSTM lstm({.in = 3, .hidden = 4, .layers = 2, .bidirectional = true, .projection = 2});
  const std::vector<std::string> expected{
      "weight_ih_l0",         "weight_hh_l0",         "bias_ih_l0",           "bias_hh_l0",
      "weight_hr_l0",         "weight_ih_l0_reverse", "weight_hh_l0_reverse", "bias_ih_l0_reverse",
      "bias_hh_l0_reverse",   "weight_hr_l0_reverse", "weight_ih_l1",         "weight_hh_l1",
      "bias_ih_l1",           "bias_hh_l1",           "weight_hr_l1",         "weight_ih_l1_reverse",
      "weight_hh_l1_reverse", "bias_ih_l1_reverse",   "bias_hh_l1_reverse",   "weight_hr_l1_reverse"};
  EXPECT_EQ(names_of(lstm), expected);
  EXPECT_EQ(lstm.parameters()[10].shape(), Shape({16, 4}));
  EXPECT_EQ(names_of(GRU({.in = 3, .hidden = 4, .bias = false})),
            (std::vector<std::string>{"weight_ih_l0", "weight_hh_l0"}));
  EXPECT_EQ(names_of(LSTMCell({.in = 3, .hidden = 4})),
            (std::vector<std::string>{"weight_ih", "weight_hh", "bias_ih", "bias_hh"}));
}

TEST(Recurrent, ResultsHaveTheShapesOfPyTorch) {
  const Tensor x = randn({5, 2, 3});
  auto [y, h, c] = LSTM({.in = 3, .hidden = 4, .layers = 2, .bidirectional = true, .projection = 2})(x);
  EXPECT_EQ(y.shape(), Shape({5, 2, 4}));
  EXPECT_EQ(h.shape(), Shape({4, 2, 2}));
  EXPECT_EQ(c.shape(), Shape({4, 2, 4}));
  auto [of_first, state] = RNN({.in = 3, .hidden = 4, .batch_first = true, .relu = true})(x);
  EXPECT_EQ(of_first.shape(), Shape({5, 2, 4}));
  EXPECT_EQ(state.shape(), Shape({1, 5, 4}));
  auto [alone, last] = GRU({.in = 3, .hidden = 4})(select(x, 1, 0));
  EXPECT_EQ(alone.shape(), Shape({5, 4}));
  EXPECT_EQ(last.shape(), Shape({1, 4}));
}

/// A cell that is called step by step does what the network does at once.
TEST(Recurrent, CellsAreOneStepOfANetwork) {
  const Tensor x = randn({3, 2, 3});
  const auto copy_weights = [](const ModuleBase& from, const ModuleBase& to) {
    const NoGrad guard;
    const auto source = from.parameters(), target = to.parameters();
    for (std::size_t i = 0; i < source.size(); ++i) copy_(target[i], source[i]);
  };
  LSTM lstm({.in = 3, .hidden = 4});
  LSTMCell lstm_cell({.in = 3, .hidden = 4});
  copy_weights(lstm, lstm_cell);
  LSTMState state;
  for (std::int64_t t = 0; t < 3; ++t) state = lstm_cell(select(x, 0, t), state);
  EXPECT_TRUE(allclose(state.h.detach(), select(lstm(x).h, 0, 0).detach()));
  EXPECT_TRUE(allclose(state.c.detach(), select(lstm(x).c, 0, 0).detach()));

  GRU gru({.in = 3, .hidden = 4});
  GRUCell gru_cell({.in = 3, .hidden = 4});
  copy_weights(gru, gru_cell);
  RNN rnn({.in = 3, .hidden = 4});
  RNNCell rnn_cell({.in = 3, .hidden = 4});
  copy_weights(rnn, rnn_cell);
  Tensor g, r;
  for (std::int64_t t = 0; t < 3; ++t) g = gru_cell(select(x, 0, t), g), r = rnn_cell(select(x, 0, t), r);
  EXPECT_TRUE(allclose(g.detach(), select(gru(x).h, 0, 0).detach()));
  EXPECT_TRUE(allclose(r.detach(), select(rnn(x).h, 0, 0).detach()));
  EXPECT_EQ(gru_cell(select(select(x, 0, 0), 0, 0)).shape(), Shape({4}));
}

/// States stay in the batch's order, whatever that of the pack.
TEST(Recurrent, PackedSequencesGiveEachSequencesLastState) {
  RandomGenerator numbers(3);
  const Tensor x = randn({4, 3, 2}, {}, &numbers), h0 = randn({2, 3, 3}, {}, &numbers);
  const std::vector<std::int64_t> lengths{2, 4, 3};
  GRU gru({.in = 2, .hidden = 3, .bidirectional = true});
  const PackedRecurrentResult together = gru(pack_padded_sequence(x, lengths), h0);
  const PaddedSequences y = pad_packed_sequence(together.y);
  EXPECT_EQ(y.lengths, lengths);
  for (std::int64_t b = 0; b < 3; ++b) {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    const RecurrentResult alone = gru(narrow(select(x, 1, b), 0, 0, length), select(h0, 1, b));
    EXPECT_TRUE(allclose(select(together.h, 1, b).detach(), alone.h.detach())) << b;
    EXPECT_TRUE(allclose(narrow(select(y.padded, 1, b), 0, 0, length).detach(), alone.y.detach())) << b;
  }
}

TEST(Recurrent, DropoutIsBetweenLayersAndInTrainingOnly) {
  const Tensor x = ones({3, 2, 2});
  LSTM two({.in = 2, .hidden = 3, .layers = 2, .dropout = 1});
  const Tensor trained = two(x).y;
  EXPECT_TRUE(identical(trained.detach(), two(ones({3, 2, 2}) * 7).y.detach()));  // the second layer sees zeros
  two.eval();
  EXPECT_FALSE(allclose(trained.detach(), two(x).y.detach()));
  LSTM one({.in = 2, .hidden = 3, .dropout = 1});
  EXPECT_FALSE(allclose(one(x).y.detach(), one(x * 7).y.detach()));
}

TEST(Recurrent, ACloneHasItsOwnParameters) {
  GRU gru({.in = 2, .hidden = 3});
  GRU other = clone(gru);
  {
    const NoGrad guard;
    fill_(other.parameters()[0], 0);
  }
  EXPECT_FALSE(allclose(gru(ones({2, 1, 2})).y.detach(), other(ones({2, 1, 2})).y.detach()));
}

TEST(Recurrent, HooksSeeTheTensorsOfAResult) {
  LSTM lstm({.in = 2, .hidden = 3});
  lstm.add_forward_hook([](ModuleBase&, const std::vector<Tensor>&, std::vector<Tensor>& outputs) {
    ASSERT_EQ(outputs.size(), 3u);
    outputs[1] = outputs[1] + 10;
  });
  const LstmResult result = lstm(ones({2, 1, 2}));
  EXPECT_TRUE(allclose((select(result.h, 0, 0) - 10).detach(), select(result.y, 0, 1).detach(), Tolerance{0, 1e-5}));
}

TEST(Recurrent, RefusesBadOptions) {
  expect_error<ValueError>([] { LSTM({.in = 0, .hidden = 3}); }, "LSTM: in must be at least 1, not 0");
  expect_error<ValueError>([] { GRU({.in = 1, .hidden = 3, .dropout = -1}); },
                           "GRU: dropout must be from 0 to 1, got -1");
  expect_error<ValueError>([] { GRU({.in = 1, .hidden = 3, .relu = true}); }, "GRU: only RNN has the option relu");
  expect_error<ValueError>([] { RNN({.in = 1, .hidden = 3, .projection = 2}); },
                           "RNN: only LSTM has the option projection");
  expect_error<ValueError>([] { LSTM({.in = 1, .hidden = 3, .projection = 3}); },
                           "LSTM: projection must be from 0 (none) to hidden - 1 = 2, got 3");
  expect_error<ShapeError>([] { GRUCell({.in = 1, .hidden = 3})(zeros({1, 1, 1})); },
                           "GRUCell: x must be [B, in] or [in], got float32 [1, 1, 1]");
}

}  // namespace
}  // namespace minima::nn::recurrent_test
