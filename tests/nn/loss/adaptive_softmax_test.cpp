#include <minima/nn/loss/adaptive_softmax.h>

#include "tests/support/expect_error.h"
#include "tests/support/recorded.h"

#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

// tests/fixtures/generate_rare.py describes the fixture.

namespace minima::nn::adaptive_softmax_test {
namespace {

using test::message_of;

TEST(AdaptiveLogSoftmaxWithLoss, IsPyTorchs) {
  const test::Recorded recorded("rare.safetensors");
  AdaptiveLogSoftmaxWithLoss loss({.in = 8, .classes = 20, .cutoffs = {5, 11}, .div_value = 2, .head_bias = true});
  loss.to(float64);
  loss.load_state_dict(recorded.sub("adaptive.params"));
  const Tensor rows = recorded.leaf("rows");
  const auto result = loss(rows, recorded["target"]);
  recorded.expect("adaptive.output", result.output);
  recorded.expect("adaptive.loss", result.loss);
  recorded.expect("adaptive.log_prob", loss.log_prob(rows));
  recorded.expect("adaptive.predict", loss.predict(rows));
  result.loss.backward();
  recorded.expect("adaptive.rows", rows.grad());
  for (const NamedTensor& parameter : loss.named_parameters())
    recorded.expect("adaptive.grad." + parameter.name, parameter.tensor.grad());
}

TEST(AdaptiveLogSoftmaxWithLoss, TakesASingleRow) {
  AdaptiveLogSoftmaxWithLoss loss({.in = 4, .classes = 6, .cutoffs = {2}});
  const Tensor x = randn({4});
  const auto result = loss(x, scalar_tensor(5, {.dtype = int64}));
  EXPECT_EQ(result.output.shape(), Shape({}));
  EXPECT_NEAR(result.output.item<double>(), loss.log_prob(unsqueeze(x, 0))[0][5].item<double>(), 1e-6);
}

TEST(AdaptiveLogSoftmaxWithLoss, ErrorsSayWhatWasPassed) {
  EXPECT_EQ(message_of<ValueError>([] { AdaptiveLogSoftmaxWithLoss({.in = 4, .classes = 6, .cutoffs = {3, 3}}); }),
            "AdaptiveLogSoftmaxWithLoss: needs cutoffs that ascend from above 0 to below the number of classes, 6, got "
            "[3, 3]");
  AdaptiveLogSoftmaxWithLoss loss({.in = 4, .classes = 6, .cutoffs = {2}});
  EXPECT_EQ(message_of<ShapeError>([&] { loss(ones({2, 4}), zeros({3}, {.dtype = int64})); }),
            "AdaptiveLogSoftmaxWithLoss: needs x [N, in] and int64 targets [N], or [in] and [], got float32 [2, 4] and "
            "int64 [3]");
  EXPECT_THROW(loss(ones({1, 4}), tensor<std::int64_t>({6})), IndexError);
  EXPECT_THROW(loss(ones({1, 4}), tensor<std::int64_t>({-1})), IndexError);
}

TEST(TripletMarginWithDistanceLoss, IsPyTorchs) {
  const test::Recorded recorded("rare.safetensors");
  const auto expect = [&](const std::string& name, TripletDistanceOptions options) {
    options.reduction = Reduction::none;
    const Tensor a = recorded.leaf("anchor"), p = recorded.leaf("positive"), n = recorded.leaf("negative");
    recorded.expect_with_gradients("triplet." + name, TripletMarginWithDistanceLoss(options)(a, p, n),
                                   {{"anchor", a}, {"positive", p}, {"negative", n}});
  };
  expect("plain", {});
  expect("cosine", {.distance = [](const Tensor& a, const Tensor& b) { return 1 - cosine_similarity(a, b); },
                    .margin = 0.5,
                    .swap = true});
  EXPECT_EQ(message_of<ValueError>(
                [] { triplet_margin_with_distance_loss(ones({1, 2}), ones({1, 2}), ones({1, 2}), {.margin = 0}); }),
            "triplet_margin_with_distance_loss: the margin must be positive, got 0");
}

/// int(16 / 4³) = 0: PyTorch's weights of that cluster are [0, 16] and [5, 0], and its classes equally probable.
TEST(AdaptiveLogSoftmaxWithLoss, ClustersMayHaveNoWidth) {
  AdaptiveLogSoftmaxWithLoss loss({.in = 16, .classes = 20, .cutoffs = {5, 10, 15}});
  EXPECT_EQ(loss.state_dict().tensor("tail.2.0.weight").shape(), (Shape{0, 16}));
  EXPECT_EQ(loss.state_dict().tensor("tail.2.1.weight").shape(), (Shape{5, 0}));
  const Tensor x = randn({3, 16}), of_head = log_softmax(loss.head(x), 1);
  const Tensor log_prob = loss.log_prob(x);
  EXPECT_EQ(log_prob.shape(), (Shape{3, 20}));
  EXPECT_NEAR(log_prob[1][17].item<double>(), of_head[1][7].item<double>() - std::log(5), 1e-5);
  loss(x, tensor<std::int64_t>({17, 6, 12})).loss.backward();
  for (const NamedTensor& parameter : loss.named_parameters())
    EXPECT_EQ(parameter.tensor.grad().shape(), parameter.tensor.shape()) << parameter.name;
}

}  // namespace
}  // namespace minima::nn::adaptive_softmax_test
