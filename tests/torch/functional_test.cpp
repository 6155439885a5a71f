#include <torch/nn/functional.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

// Values are PyTorch 2.11's.

namespace minima::functional_test {

namespace F = torch::nn::functional;

using torch::Tensor;

void expect_near(const Tensor& found, const std::vector<double>& wanted, double tolerance = 1e-6) {
  const std::vector<double> values = found.native().to_vector<double>();
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], wanted[i], tolerance) << "element " << i;
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const c10::Error& error) {
    return error.what();
  }
  return "no error";
}

Tensor values(std::vector<double> elements, torch::IntArrayRef shape) {
  return torch::tensor(elements, torch::kFloat).reshape(shape);
}

/// sin(start + step · i), float64.
Tensor wave(double start, torch::IntArrayRef shape, double step) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return torch::sin(torch::arange(count, torch::kDouble) * step + start).reshape(shape);
}

TEST(Functional, InplaceActivationsWriteThroughViews) {
  Tensor x = values({-1, 2, -3, 4}, {2, 2});
  const Tensor row = x.select(0, 0);
  const Tensor result = F::relu(row, true);
  EXPECT_TRUE(result.is_same(row));
  expect_near(x, {0, 2, -3, 4});
  F::threshold(x.select(1, 1), F::ThresholdFuncOptions(3, 7).inplace(true));
  expect_near(x, {0, 7, -3, 4});
  F::dropout(x, F::DropoutFuncOptions().p(1).inplace(true));
  expect_near(x, {0, 0, 0, 0});
}

TEST(Functional, InplaceActivationsHaveTheGradientOfTheirOldInput) {
  const Tensor x = values({-2, -0.5, 0, 1.5}, {4}).set_requires_grad(true);
  const Tensor y = F::celu(x * 1, F::CELUFuncOptions().alpha(0.7).inplace(true));
  (y * y).sum().backward();
  expect_near(y, {-0.659797192, -0.357320845, 0, 1.5});
  expect_near(x.grad(), {-0.0757876933, -0.34984687, 0, 3});
}

TEST(Functional, SamePaddingPutsAnOddZeroAtTheEnd) {
  const Tensor line = torch::arange(6, torch::kFloat).reshape({1, 1, 6});
  const Tensor kernel = values({1, 2, 4, 8}, {1, 1, 4});
  expect_near(F::conv1d(line, kernel, F::Conv1dFuncOptions().padding(torch::kSame)), {20, 34, 49, 64, 31, 14});
  const Tensor image = torch::arange(12, torch::kFloat).reshape({1, 1, 3, 4});
  const Tensor weight = torch::arange(1, 9, torch::kFloat).reshape({1, 1, 2, 4});
  const auto options = F::Conv2dFuncOptions().padding(torch::kSame).dilation({2, 1});
  expect_near(F::conv2d(image, weight, options), {107, 148, 110, 72, 202, 272, 196, 124, 47, 60, 38, 20});
  EXPECT_NE(message_of([&] {
              F::conv1d(line, kernel, F::Conv1dFuncOptions().padding(torch::kSame).stride(2));
            }).find("padding='same' is not supported for strided convolutions"),
            std::string::npos);
}

TEST(Functional, LossesBroadcastAndPromote) {
  EXPECT_EQ(F::mse_loss(values({1, 2}, {2, 1}), values({3, 5}, {2})).item<float>(), 7.5F);
  const Tensor mixed = F::mse_loss(values({1, 2.5}, {2}), torch::tensor({3, 5}));
  EXPECT_EQ(mixed.scalar_type(), torch::kFloat);
  EXPECT_EQ(mixed.item<float>(), 5.125F);
  const auto beta = F::SmoothL1LossFuncOptions().beta(0.3);
  EXPECT_NEAR(F::smooth_l1_loss(values({1, 2.5}, {2}), values({3, 2.4}, {2}), beta).item<float>(), 0.9333333373, 1e-6);
  EXPECT_ANY_THROW(F::smooth_l1_loss(values({1}, {1}), values({1}, {1}), beta, 0.3));
  const Tensor log_p = values({0.2, 0.8, 0.5, 0.5}, {2, 2}).log(), p = values({0.3, 0.7, 1, 0}, {2, 2});
  EXPECT_NEAR(F::kl_div(log_p, p, F::KLDivFuncOptions(torch::kBatchMean)).item<float>(), 0.3606573343, 1e-6);
}

TEST(Functional, DistanceFunctionsOfTripletLossesAreCalled) {
  int calls = 0;
  const auto distance = [&calls](const Tensor& a, const Tensor& b) {
    ++calls;
    return (a - b).abs().sum(-1);
  };
  const auto options = F::TripletMarginWithDistanceLossFuncOptions().distance_function(distance).margin(2).swap(true);
  const Tensor loss = F::triplet_margin_with_distance_loss(values({1, 2}, {1, 2}), values({1.5, 2}, {1, 2}),
                                                           values({1, 3}, {1, 2}), options);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(loss.item<float>(), 1.5F);
}

TEST(Functional, InterpolateUsesTheScaleOrTheSizeItGives) {
  const Tensor x = torch::arange(5, torch::kFloat).reshape({1, 1, 5});
  const auto scaled = [&](auto mode, bool recompute) {
    auto options = F::InterpolateFuncOptions().scale_factor(std::vector<double>{1.7}).mode(mode);
    if (recompute) options.recompute_scale_factor(true);
    return F::interpolate(x, options.align_corners(false));
  };
  expect_near(scaled(torch::kLinear, false),
              {0, 0.3823529780, 0.9705883265, 1.558823586, 2.147058964, 2.735294342, 3.323529482, 3.911764860}, 1e-5);
  expect_near(scaled(torch::kLinear, true), {0, 0.4375, 1.0625, 1.6875, 2.3125, 2.9375, 3.5625, 4}, 1e-5);
  expect_near(scaled(torch::kNearestExact, false), {0, 0, 1, 2, 2, 3, 3, 4});
  const auto area = F::InterpolateFuncOptions().size(std::vector<int64_t>{3}).mode(torch::kArea);
  expect_near(F::interpolate(x, area), {0.5, 2, 3.5});
}

TEST(Functional, EmbeddingLimitsNormsAndCountsRows) {
  Tensor weight = values({3, 4, 0, 1, 6, 8}, {3, 2}).set_requires_grad(true);
  const auto options = F::EmbeddingFuncOptions().max_norm(5).scale_grad_by_freq(true);
  const Tensor y = F::embedding(torch::tensor({{0, 2, 0}}), weight, options);
  expect_near(weight, {3, 4, 0, 1, 3, 4});
  (y * values({1, 2, 3, 4, 5, 6}, {1, 3, 2})).sum().backward();
  expect_near(weight.grad(), {3, 4, 0, 0, 3, 4});

  Tensor padded = values({3, 4, 0, 1, 6, 8}, {3, 2}).set_requires_grad(true);
  F::embedding(torch::tensor({0, 2, 0}), padded, F::EmbeddingFuncOptions().padding_idx(-1)).sum().backward();
  expect_near(padded.grad(), {2, 2, 0, 0, 0, 0});
}

TEST(Functional, EmbeddingBagWeighsAndSkipsRows) {
  const Tensor weight = torch::arange(8, torch::kFloat).reshape({4, 2}), index = torch::tensor({0, 2, 3, 1});
  const auto weighed = F::EmbeddingBagFuncOptions()
                           .mode(torch::kSum)
                           .offsets(torch::tensor({0, 1, 4}))
                           .per_sample_weights(values({1, 2, 0.5, 3}, {4}))
                           .include_last_offset(true);
  expect_near(F::embedding_bag(index, weight, weighed), {0, 1, 17, 22.5});
  const auto skipping = F::EmbeddingBagFuncOptions().offsets(torch::tensor({0, 1})).padding_idx(3);
  expect_near(F::embedding_bag(index, weight, skipping), {0, 1, 3, 4});
}

TEST(Functional, MaxUnpoolRefusesSizesThatDoNotPoolToTheInput) {
  const Tensor x = values({2, 4, 5}, {1, 1, 3}), indices = torch::tensor({1, 3, 4}).reshape({1, 1, 3});
  const auto sized = [&](int64_t size) {
    return F::max_unpool1d(x, indices, F::MaxUnpool1dFuncOptions(2).output_size(std::vector<int64_t>{1, 1, size}));
  };
  expect_near(sized(7), {0, 2, 0, 4, 5, 0, 0});
  EXPECT_NE(message_of([&] { sized(9); }).find("invalid output_size [9] (dim 0 must be between 4 and 8)"),
            std::string::npos);
}

TEST(Functional, NormalizeWritesItsOutput) {
  const Tensor out = torch::zeros({1, 2});
  const Tensor result = F::normalize(values({3, 4}, {1, 2}), F::NormalizeFuncOptions().out(out));
  expect_near(out, {0.6, 0.8});
  EXPECT_TRUE(result.is_same(out));
}

TEST(Functional, AttentionAppendsBiasAndZerosAndMasks) {
  constexpr std::int64_t embed = 4;
  const Tensor query = wave(1, {3, 2, embed}, 0.7), key = wave(2, {2, 2, embed}, 0.9),
               value = wave(3, {2, 2, embed}, 1.1);
  const Tensor weight = wave(4, {3 * embed, embed}, 0.37), bias = wave(5, {3 * embed}, 0.5),
               out_weight = wave(8, {embed, embed}, 0.6), out_bias = wave(9, {embed}, 0.8);
  auto options = F::MultiheadAttentionForwardFuncOptions(embed, 2, weight, bias, wave(6, {1, 1, embed}, 0.3),
                                                         wave(7, {1, 1, embed}, 0.4), true, 0.5, out_weight, out_bias)
                     .training(false)
                     .attn_mask(wave(10, {3, 2}, 1.3))
                     .key_padding_mask(torch::tensor({0, 1, 0, 0}).reshape({2, 2}).to(torch::kBool));
  const std::vector<double> wanted{1.4064987643694284, -1.138397967042355,  -0.7787395009513527, -0.35983205329015655,
                                   0.9348310706979925, -1.2376356407253617, -0.1607173334423534, -1.1720457043797794};
  const auto [y, weights] = F::multi_head_attention_forward(query, key, value, options);
  expect_near(y.select(0, 0), wanted, 1e-12);
  expect_near(weights.select(0, 0).select(0, 0), {0.18736751783483754, 0, 0.5582493736345748, 0.25438310853058754},
              1e-12);
  const auto [fused, none] = F::multi_head_attention_forward(query, key, value, options.need_weights(false));
  expect_near(fused.select(0, 0), wanted, 1e-12);
  EXPECT_FALSE(none.defined());
}

TEST(Functional, DropoutDrawsPyTorchsNumbersForASeed) {
  torch::manual_seed(0);
  const Tensor ones = torch::ones(10);
  expect_near(F::dropout(ones, F::DropoutFuncOptions().p(0.5)), {0, 0, 2, 0, 0, 0, 2, 2, 0, 2});
  constexpr double kept = 1.6655988693237305, dropped = -0.7791939377784729;
  expect_near(F::alpha_dropout(torch::ones(4), F::AlphaDropoutFuncOptions().p(0.5).training(true)),
              {kept, kept, kept, dropped});
  expect_near(F::dropout2d(torch::ones({1, 6, 1, 2}), F::Dropout2dFuncOptions().p(0.5)),
              {2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0});
  expect_near(F::gumbel_softmax(torch::zeros(3)), {0.30853790044784546, 0.06452911347150803, 0.6269329786300659});
}

}  // namespace minima::functional_test
