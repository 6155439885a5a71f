#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

// Random numbers of a seed, against those of PyTorch 2.11 on a CPU.

namespace minima::random_test {

using torch::Tensor;

void expect_numbers(const Tensor& x, const std::vector<double>& expected) {
  ASSERT_EQ(x.numel(), static_cast<int64_t>(expected.size()));
  const Tensor flat = x.detach().to(torch::kDouble).reshape(-1);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(flat[static_cast<int64_t>(i)].item<double>(), expected[i], 1e-6) << "number " << i;
}

TEST(Random, SeedGivesPyTorchsNumbers) {
  torch::manual_seed(7);
  expect_numbers(torch::rand(5), {0.53492254, 0.198803186, 0.659211695, 0.656890273, 0.232761562});
  expect_numbers(torch::empty(5, torch::kDouble).uniform_(-1, 2),
                 {0.201474748, -0.886325868, 1.4304412, 0.222445728, 0.951665505});
  expect_numbers(torch::randn(5), {0.932850778, -0.941237926, 0.553581059, -0.649873018, -1.54358208});
  // The values left over from an odd count of normal numbers come before those of 16 or more.
  const Tensor many = torch::empty(40).normal_(1, 2);
  expect_numbers(many.slice(0, 0, 5), {3.72297025, -1.60643339, 1.1749568, -1.76992273, 2.00712776});
  expect_numbers(many.slice(0, 35), {-1.07397151, 2.18405962, -0.51130712, 1.7834909, 2.49396181});
  const Tensor wide = torch::randn(20, torch::kDouble);
  expect_numbers(wide.slice(0, 15), {1.24484763, -1.63030108, 0.432387055, 0.46725172, -0.409884439});
  expect_numbers(torch::randint(-3, 7, {6}), {4, 3, -2, 6, 3, -1});
  expect_numbers(torch::randint(0, 1 << 29, {6}), {171376809, 314050842, 106946300, 199246550, 96164876, 367779304});
  expect_numbers(torch::randperm(8), {2, 1, 4, 6, 0, 3, 7, 5});
}

TEST(Random, GeneratorsHaveStreamsOfTheirOwn) {
  torch::manual_seed(7);
  auto generator = at::detail::createCPUGenerator(7);
  const Tensor drawn = torch::rand({3}, generator);
  expect_numbers(drawn, {0.53492254, 0.198803186, 0.659211695});
  const auto copy = generator.clone();
  EXPECT_TRUE(torch::equal(torch::rand({2}, generator), torch::rand({2}, copy)));
  expect_numbers(torch::rand(3), {0.53492254, 0.198803186, 0.659211695});
}

TEST(Random, LayersStartWithPyTorchsWeights) {
  torch::manual_seed(0);
  torch::nn::Linear linear(2, 3);
  expect_numbers(linear->weight, {-0.00529398, 0.37932289, -0.58198076, -0.52038747, -0.27234524, 0.18961589});
  expect_numbers(linear->bias, {-0.01401003, 0.5606575, -0.06275152});
}

TEST(Random, ChoicesArePyTorchs) {
  torch::manual_seed(3);
  const Tensor weights = torch::tensor({0.1, 0.2, 0.3, 0.4});
  expect_numbers(torch::multinomial(weights, 6, true), {0, 1, 3, 1, 3, 3});
  expect_numbers(torch::multinomial(weights, 3), {2, 0, 1});
  expect_numbers(torch::bernoulli(torch::full({6}, 0.5)), {0, 1, 0, 1, 1, 1});
  expect_numbers(torch::empty(3).exponential_(2), {0.2092431, 1.7539872, 0.0455302});
}

TEST(Random, DirichletDrawsArePyTorchs) {
  torch::manual_seed(5);
  const Tensor concentration = torch::tensor({{0.3, 0.3, 2.0, 5.0}, {1.0, 1.0, 1.0, 0.05}}, torch::kDouble);
  const Tensor drawn = torch::_sample_dirichlet(concentration);
  EXPECT_EQ(drawn.scalar_type(), torch::kDouble);
  expect_numbers(drawn, {0.00665036366, 0.177745683, 0.0970569191, 0.718547034, 0.0987906069, 0.451894321, 0.449276026,
                         3.904575e-05});
}

struct NetImpl : torch::nn::Module {
  torch::nn::Conv2d conv = register_module("conv", torch::nn::Conv2d(1, 4, 3));
  torch::nn::Dropout2d channels = register_module("channels", torch::nn::Dropout2d(0.3));
  torch::nn::BatchNorm2d norm = register_module("norm", torch::nn::BatchNorm2d(4));
  torch::nn::Embedding words = register_module("words", torch::nn::Embedding(9, 4));
  torch::nn::LSTM lstm = register_module(
      "lstm", torch::nn::LSTM(torch::nn::LSTMOptions(4, 6).num_layers(2).dropout(0.4).batch_first(true)));
  torch::nn::Linear last = register_module("last", torch::nn::Linear(22, 3));

  Tensor forward(const Tensor& images, const Tensor& texts) {
    const Tensor seen = torch::max_pool2d(torch::relu(norm(channels(conv(images)))), 2).flatten(1);
    const Tensor read = std::get<0>(lstm(words(texts))).select(1, 4);
    return last(torch::dropout(torch::cat({seen, read}, 1), 0.5, is_training()));
  }
};
TORCH_MODULE(Net);

TEST(Random, TrainingHasPyTorchsLossesFromTheSeedOn) {
  torch::manual_seed(1);
  Net net;
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  for (const float expected : {1.171064f, 1.523869f, 1.009904f, 2.050492f}) {
    const Tensor images = torch::randn({8, 1, 6, 6}), texts = torch::randint(9, {8, 5}),
                 classes = torch::randint(3, {8});
    optimizer.zero_grad();
    const Tensor loss = torch::nn::functional::cross_entropy(net(images, texts), classes);
    loss.backward();
    optimizer.step();
    EXPECT_NEAR(loss.item<float>(), expected, 1e-5f);
  }
}

}  // namespace minima::random_test
