#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

// Layers against torch.nn's of PyTorch 2.11: their parameters are 0.5·sin(0), 0.5·sin(1), …, their inputs sin(0), ….

namespace minima::layers_test {

namespace nn = torch::nn;
using torch::Tensor;

Tensor wave(std::vector<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return torch::sin(torch::arange(count, torch::kFloat)).reshape(sizes);
}

template <class Layer>
Layer filled(Layer layer) {
  torch::NoGradGuard no_grad;
  for (Tensor& parameter : layer->parameters()) parameter.copy_(wave(parameter.sizes().vec()) * 0.5);
  return layer;
}

void expect_close(const Tensor& x, const std::vector<float>& expected) {
  ASSERT_EQ(x.numel(), static_cast<int64_t>(expected.size()));
  const Tensor flat = x.detach().contiguous().view(-1);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(flat[static_cast<int64_t>(i)].item<float>(), expected[i], 2e-5) << "element " << i;
}

template <class Layer>
std::string names(const Layer& layer) {
  std::string result;
  for (const auto& item : layer->named_parameters()) result += item.key() + ' ';
  for (const auto& item : layer->named_buffers()) result += item.key() + ' ';
  return result;
}

TEST(Layers, StatesHaveLibTorchsNamesAndOrder) {
  EXPECT_EQ(names(nn::LSTM(nn::LSTMOptions(2, 4).proj_size(3).bidirectional(true))),
            "weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0 weight_hr_l0 weight_ih_l0_reverse weight_hh_l0_reverse "
            "bias_ih_l0_reverse bias_hh_l0_reverse weight_hr_l0_reverse ");
  EXPECT_EQ(names(nn::MultiheadAttention(nn::MultiheadAttentionOptions(4, 2).kdim(3).add_bias_kv(true))),
            "q_proj_weight k_proj_weight v_proj_weight in_proj_bias bias_k bias_v out_proj.weight out_proj.bias ");
  EXPECT_EQ(names(nn::BatchNorm2d(3)), "weight bias running_mean running_var num_batches_tracked ");
  EXPECT_EQ(names(nn::AdaptiveLogSoftmaxWithLoss(nn::AdaptiveLogSoftmaxWithLossOptions(4, 6, {2}))),
            "head.weight tail.0.0.weight tail.0.1.weight ");
  EXPECT_TRUE(names(nn::Transformer(nn::TransformerOptions(4, 2, 1, 1)))
                  .starts_with("encoder.layers.0.self_attn.in_proj_weight encoder.layers.0.self_attn.in_proj_bias "
                               "encoder.layers.0.self_attn.out_proj.weight "));
}

TEST(Layers, BatchesAreCountedAsInt64) {
  nn::BatchNorm1d norm(3);
  norm(wave({4, 3}));
  EXPECT_EQ(norm->named_buffers()["num_batches_tracked"].scalar_type(), torch::kLong);
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 1);
  norm->eval();
  norm(wave({4, 3}));
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 1);
}

TEST(Layers, BatchNormWithoutMomentumAverages) {
  nn::BatchNorm1d norm(nn::BatchNorm1dOptions(3).momentum(std::nullopt));
  norm(wave({4, 3}));
  norm(wave({4, 3}) * 2 + 1);
  expect_close(norm->running_mean, {0.60268f, 0.57411f, 0.4774f});
  expect_close(norm->running_var, {0.20757f, 1.66554f, 3.10355f});
}

TEST(Layers, InstanceNormTakesImagesWithoutBatch) {
  auto norm = filled(nn::InstanceNorm2d(nn::InstanceNorm2dOptions(2).affine(true).track_running_stats(true)));
  EXPECT_EQ(norm(wave({2, 3, 4})).sizes(), torch::IntArrayRef({2, 3, 4}));
  expect_close(norm->running_mean, {0.00343f, 0.00474f});
}

TEST(Layers, ConvolutionPadsToTheSameSizeByReflection) {
  auto options = nn::Conv2dOptions(2, 2, {3, 2}).padding(torch::kSame).dilation(2).padding_mode(torch::kReflect);
  const Tensor y = filled(nn::Conv2d(options))(wave({1, 2, 6, 5}));
  EXPECT_EQ(y.sizes(), torch::IntArrayRef({1, 2, 6, 5}));
  expect_close(y.sum({0, 1})[0], {2.24446f, 0.67836f, 2.72604f, 2.65424f, 2.80617f});
}

TEST(Layers, TransposedConvolutionHasTheSizeAskedFor) {
  auto layer = filled(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(2, 1, 3).stride(2).dilation(2).padding(1)));
  const std::vector<int64_t> size{8, 8};
  const Tensor y = layer(wave({1, 2, 3, 3}), torch::IntArrayRef(size));
  EXPECT_EQ(y.sizes(), torch::IntArrayRef({1, 1, 8, 8}));
  expect_close(y[0][0][1], {0, 0.58381f, 0, 0.20773f, 0, -2.45414f, 0, -1.86255f});
}

TEST(Layers, StatesOfTwoDirectionsComeLayerByLayer) {
  auto gru = filled(nn::GRU(nn::GRUOptions(2, 3).num_layers(2).bidirectional(true).batch_first(true)));
  const auto [y, h] = gru(wave({2, 3, 2}));
  expect_close(y[1][0], {-0.08416f, 0.37397f, 0.52575f, -0.02177f, 0.35042f, 0.80129f});
  expect_close(h[3], {-0.02651f, 0.34734f, 0.80035f, -0.02177f, 0.35042f, 0.80129f});
}

TEST(Layers, PackedSequencesKeepTheOrderOfTheBatch) {
  namespace rnn = nn::utils::rnn;
  auto lstm = filled(nn::LSTM(nn::LSTMOptions(2, 4).proj_size(3).bidirectional(true)));
  const auto packed = rnn::pack_padded_sequence(wave({4, 3, 2}), torch::tensor({2, 4, 1}), false, false);
  const auto [out, state] = lstm->forward_with_packed_input(packed, std::tuple(wave({2, 3, 3}), wave({2, 3, 4})));
  const Tensor y = std::get<0>(rnn::pad_packed_sequence(out));
  expect_close(y[1], {0.06925f, -0.31951f, 0.34843f, 0.18385f, -0.21974f, 0.10341f, -0.00837f, -0.10426f, 0.14467f,
                      0.01814f, -0.19051f, 0.23091f, 0, 0, 0, 0, 0, 0});
  expect_close(std::get<0>(state)[1],
               {0.07376f, -0.28345f, 0.29679f, -0.0087f, -0.20609f, 0.27811f, -0.06559f, -0.31731f, 0.48041f});
  expect_close(std::get<1>(state)[0], {0.50649f, 0.41424f, -0.03026f, -0.7142f, 0.50198f, 0.04685f, 0.21713f, -1.12935f,
                                       0.90469f, 0.22027f, -1.01923f, -0.56212f});
}

TEST(Layers, AttentionHidesPaddingAndAddsItsMask) {
  auto attention = filled(nn::MultiheadAttention(
      nn::MultiheadAttentionOptions(4, 2).kdim(3).vdim(2).add_bias_kv(true).add_zero_attn(true)));
  const Tensor padding = torch::tensor({{0, 0, 1}, {0, 1, 0}}).to(torch::kBool);
  // LibTorch adds the other mask to the scores, even a bool one.
  const Tensor mask = torch::zeros({2, 3}).index_put_({0, 1}, -std::numeric_limits<float>::infinity());
  const auto [y, weights] =
      attention(wave({2, 2, 4}), wave({3, 2, 3}), wave({3, 2, 2}), padding, /*need_weights=*/true, mask);
  expect_close(y[0], {0.07718f, 0.1736f, 0.70054f, -0.00376f, 0.09185f, 0.08621f, 0.80011f, -0.04654f});
  expect_close(weights[0], {0.35158f, 0, 0, 0.33465f, 0.31377f, 0.30628f, 0.3137f, 0, 0.20559f, 0.17443f});
}

TEST(Layers, TransformerLayersTakeAnyActivation) {
  const auto options = nn::TransformerDecoderLayerOptions(4, 2).dim_feedforward(5).dropout(0);
  auto named =
      filled(nn::TransformerDecoderLayer(nn::TransformerDecoderLayerOptions(options).activation(torch::kGELU)));
  auto called = filled(nn::TransformerDecoderLayer(
      nn::TransformerDecoderLayerOptions(options).activation([](const Tensor& x) { return torch::gelu(x); })));
  const Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(2);
  const std::vector<float> expected{0, 0.51536f, 1.15108f, -0.00363f, 0, 0.48019f, 1.16789f, -0.00165f};
  expect_close(named(wave({2, 1, 4}), wave({3, 1, 4}) * 2, mask), expected);
  expect_close(called(wave({2, 1, 4}), wave({3, 1, 4}) * 2, mask), expected);
}

TEST(Layers, AdaptiveSoftmaxAgreesWithItsLogProbabilities) {
  auto layer = filled(
      nn::AdaptiveLogSoftmaxWithLoss(nn::AdaptiveLogSoftmaxWithLossOptions(4, 6, {2, 4}).div_value(2).head_bias(true)));
  const auto [output, loss] = layer(wave({4, 4}), torch::tensor({0, 5, 2, 1}));
  expect_close(output, {-1.10686f, -2.54141f, -1.13236f, -1.45739f});
  EXPECT_NEAR(loss, 1.559505, 1e-5);
  expect_close(layer->log_prob(wave({4, 4}))[1], {-2.37274f, -0.46688f, -2.70641f, -3.27704f, -2.33772f, -2.54141f});
  EXPECT_TRUE(torch::equal(layer->predict(wave({4, 4}) * 3), torch::tensor({0, 1, 3, 5})));
}

TEST(Layers, SmallOnesHavePyTorchsValues) {
  expect_close(filled(nn::PReLU(nn::PReLUOptions().num_parameters(3)))(wave({1, 3, 2})),
               {0, 0.84147f, 0.9093f, 0.14112f, -0.34408f, -0.43597f});
  expect_close(filled(nn::Bilinear(2, 3, 2))(wave({2, 2}), wave({2, 3})), {-0.6348f, -0.15444f, -0.57926f, -0.15377f});
  expect_close(filled(nn::RNNCell(nn::RNNCellOptions(2, 3).nonlinearity(torch::kReLU)))(wave({2}), wave({3})),
               {1.12148f, 0.14646f, 1.23207f});
  expect_close(nn::CrossMapLRN2d(nn::CrossMapLRN2dOptions(3).alpha(0.5).k(2))(wave({1, 4, 1, 2})),
               {0, 0.47872f, 0.49774f, 0.07619f, -0.41246f, -0.50578f, -0.15969f, 0.3469f});
  auto bag = filled(nn::EmbeddingBag(nn::EmbeddingBagOptions(5, 2).mode(torch::kMax).padding_idx(0)));
  expect_close(bag(torch::tensor({1, 2, 0, 4, 3, 0}), torch::tensor({0, 2, 5})),
               {0.45465f, 0.07056f, 0.49468f, 0.32849f, 0, 0});
}

TEST(Layers, ClonesShareNothing) {
  nn::Sequential net(nn::Linear(2, 2), nn::BatchNorm1d(2), nn::LSTM(2, 2));
  auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone());
  {
    torch::NoGradGuard no_grad;
    for (Tensor& parameter : copy->parameters()) parameter.add_(1);
  }
  const auto before = net->parameters(), after = copy->parameters();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_FALSE(torch::equal(before[i], after[i])) << i;
}

TEST(Layers, PretrainedTablesAreUsedInPlace) {
  const Tensor table = wave({3, 2});
  auto embedding = nn::Embedding::from_pretrained(table, nn::EmbeddingFromPretrainedOptions().freeze(false));
  EXPECT_EQ(embedding->weight.data_ptr(), table.data_ptr());
  EXPECT_TRUE(embedding->weight.requires_grad());
}

TEST(Layers, AnyModuleFillsInDefaultArguments) {
  nn::AnyModule gru(nn::GRU(2, 3));
  const auto result = gru.forward<std::tuple<Tensor, Tensor>>(wave({4, 1, 2}));
  EXPECT_EQ(std::get<0>(result).sizes(), torch::IntArrayRef({4, 1, 3}));
  nn::AnyModule up(nn::ConvTranspose1d(1, 1, 3));
  EXPECT_EQ(up.forward(wave({1, 1, 4})).size(2), 6);
}

}  // namespace minima::layers_test
