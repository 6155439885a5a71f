#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/nn/clone.h>
#include <minima/nn/nn.h>
#include <minima/nn/parametrize/norms.h>
#include <minima/nn/parametrize/prune.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace minima::nn::parametrize_test {
namespace {

using test::message_of;

std::vector<std::string> names_of(const ModuleBase& module) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : module.state_dict().tensors()) names.push_back(name);
  return names;
}

Linear layer() { return Linear({.in = 4, .out = 4}); }

struct Symmetric : Parametrization {
  Tensor forward(const std::vector<Tensor>& x) override { return triu(x[0]) + transpose(triu(x[0], 1), 0, 1); }
};

bool is_symmetric(const Tensor& w) { return all(w == transpose(w, 0, 1)).item<bool>(); }

TEST(Parametrize, TrainsTheOriginal) {
  Linear net = layer();
  register_parametrization(net, "weight", Symmetric());
  EXPECT_EQ(names_of(net), (std::vector<std::string>{"bias", "parametrizations.weight.original"}));
  EXPECT_TRUE(is_symmetric(net.weight));
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  EXPECT_EQ(net.parameters().size(), 2u);
  const Tensor before = clone(net.weight.detach()), x = randn({8, 4});
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    mean(square(net(x))).backward();
    optimizer.step();
  }
  net(x);
  EXPECT_TRUE(is_symmetric(net.weight));
  EXPECT_FALSE(allclose(net.weight.detach(), before));
}

TEST(Parametrize, TakesFunctionsAndChains) {
  Linear net = layer();
  const Tensor before = clone(net.weight.detach());
  register_parametrization(net, "weight", [](const Tensor& w) { return w * 2; });
  register_parametrization(net, "weight", Symmetric());
  EXPECT_TRUE(is_symmetric(net.weight));
  EXPECT_FLOAT_EQ(net.weight[0][1].item<float>(), 2 * before[0][1].item<float>());
  EXPECT_TRUE(is_parametrized(net));
  EXPECT_TRUE(is_parametrized(net, "weight"));
  EXPECT_FALSE(is_parametrized(net, "bias"));
}

TEST(Parametrize, ClonesAreSeparate) {
  Linear net = weight_norm(layer());
  Linear copy = clone(net);
  EXPECT_EQ(names_of(copy), names_of(net));
  {
    const NoGrad guard;
    copy.parameters()[1] *= 3;  // g
  }
  const Tensor x = randn({2, 4});
  const Tensor own = net(x), other = copy(x);
  EXPECT_FALSE(allclose(own, other));
  EXPECT_TRUE(allclose(other - copy.bias, 3 * (own - net.bias), {.rtol = 1e-4, .atol = 1e-5}));
}

TEST(Parametrize, WorksInsideContainersAndThroughState) {
  Sequential net(spectral_norm(Conv2d({.in = 3, .out = 4, .kernel = 3})), ReLU(), Flatten(),
                 weight_norm(Linear({.in = 4 * 36, .out = 2})));
  EXPECT_EQ(names_of(net),
            (std::vector<std::string>{"0.bias", "0.parametrizations.weight.original", "0.parametrizations.weight.0._u",
                                      "0.parametrizations.weight.0._v", "3.bias", "3.parametrizations.weight.original0",
                                      "3.parametrizations.weight.original1"}));
  Sequential other = clone(net);
  for (const Tensor& parameter : other.parameters()) fill_(parameter.detach(), 0.5);
  net.eval(), other.eval();
  other.load_state_dict(net.state_dict());
  const Tensor x = randn({2, 3, 8, 8});
  EXPECT_TRUE(all(net(x) == other(x)).item<bool>());
}

TEST(Parametrize, RemovalLeavesTheValueOrTheOriginal) {
  Linear net = layer();
  const Parameter original = net.weight;
  register_parametrization(net, "weight", [](const Tensor& w) { return w * 2; });
  remove_parametrizations(net, "weight", false);
  EXPECT_TRUE(net.weight.is_same(original));
  EXPECT_EQ(names_of(net), (std::vector<std::string>{"weight", "bias"}));

  weight_norm(net);
  const Tensor x = randn({2, 4}), y = net(x);
  EXPECT_CONTAINS(message_of<ValueError>([&] { remove_parametrizations(net, "weight", false); }), "several originals");
  remove_parametrizations(net, "weight");
  EXPECT_TRUE(allclose(net(x), y, {.rtol = 1e-5, .atol = 1e-6}));
  EXPECT_TRUE(net.weight.is_leaf());
  EXPECT_FALSE(is_parametrized(net));
  EXPECT_CONTAINS(message_of<ValueError>([&] { remove_parametrizations(net, "weight"); }), "is not parametrized");
}

TEST(Parametrize, RemovalRefusesWhileCopiesExist) {
  Linear net = weight_norm(layer());
  const Linear copy = net;
  EXPECT_CONTAINS(message_of<ValueError>([&] { remove_parametrizations(net, "weight"); }),
                  "other copies of the Linear");
}

TEST(Parametrize, RefusesWhatIsNoParameter) {
  Linear net = layer();
  EXPECT_CONTAINS(message_of<ValueError>([&] { weight_norm(net, "wight"); }), "it has weight, bias");
  EXPECT_CONTAINS(
      message_of<ValueError>([&] { register_parametrization(net, "weight", [](const Tensor& w) { return sum(w); }); }),
      "register_parametrization: the result is");
  EXPECT_EQ(names_of(net), (std::vector<std::string>{"weight", "bias"}));
}

TEST(SpectralNorm, BringsTheLargestSingularValueToOne) {
  Linear net = spectral_norm(Linear({.in = 6, .out = 5}));
  for (int i = 0; i < 200; ++i) net(zeros({1, 6}));
  Tensor u = randn({6}), w = net.weight.detach();
  for (int i = 0; i < 200; ++i) u = normalize(mv(transpose(w, 0, 1), mv(w, u)), 2, 0);
  EXPECT_NEAR(norm(mv(w, u)).item<double>(), 1, 1e-4);
  net.eval();
  const State before = clone(net).state_dict();
  net(zeros({1, 6}));
  EXPECT_TRUE(
      all(net.state_dict().tensor("parametrizations.weight.0._u") == before.tensor("parametrizations.weight.0._u"))
          .item<bool>());
}

TEST(Orthogonal, StaysOrthogonalWhileItTrains) {
  for (const auto& [in, out] : {std::pair{6, 6}, {4, 7}, {7, 4}})
    for (const OrthogonalMap map : {OrthogonalMap::matrix_exp, OrthogonalMap::householder}) {
      Linear net = orthogonal(Linear({.in = in, .out = out}), {.map = map});
      optim::SGD optimizer(net.parameters(), {.lr = 0.3});
      const Tensor x = randn({16, in}), start = clone(net.weight.detach());
      for (int step = 0; step < 5; ++step) {
        optimizer.zero_grad();
        mean(square(net(x) - 1)).backward();
        optimizer.step();
      }
      net(x);
      const Tensor w = net.weight.detach(), tall = in < out ? w : transpose(w, 0, 1);
      const Tensor product = matmul(transpose(tall, 0, 1), tall);
      EXPECT_TRUE(allclose(product, eye(product.size(0)), {.rtol = 0, .atol = 1e-5})) << in << " to " << out;
      EXPECT_FALSE(allclose(w, start)) << in << " to " << out;
    }
}

TEST(Prune, KeepsPyTorchsNamesAndComesBack) {
  Linear net = layer();
  prune::random_unstructured(net, "weight", 5);
  EXPECT_EQ(names_of(net), (std::vector<std::string>{"bias", "weight_orig", "weight_mask"}));
  EXPECT_EQ(count_nonzero(net.weight).item<int>(), 11);
  EXPECT_TRUE(prune::is_pruned(net));
  prune::random_unstructured(net, "weight", 0.5);
  EXPECT_EQ(count_nonzero(net.weight).item<int>(), 5);  // 5.5 is rounded to even, 6
  const Tensor x = randn({2, 4}), y = net(x);
  sum(y).backward();
  const Tensor gradient = net.named_parameters()[1].tensor.grad();
  EXPECT_EQ(sum(where(net.weight == 0, abs(gradient), 0)).item<double>(), 0);
  prune::remove(net, "weight");
  EXPECT_EQ(names_of(net), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_TRUE(all(net(x) == y).item<bool>());
  EXPECT_FALSE(prune::is_pruned(net));
  EXPECT_CONTAINS(message_of<ValueError>([&] { prune::remove(net, "weight"); }), "is not pruned");
}

TEST(Prune, TakesSlicesMasksAndManyParametersTogether) {
  Conv2d conv({.in = 3, .out = 8, .kernel = 3});
  prune::random_structured(conv, "weight", 0.25, 0);
  EXPECT_EQ(count_nonzero(amax(abs(conv.weight), {1, 2, 3})).item<int>(), 6);

  Linear masked = layer();
  prune::custom_from_mask(masked, "weight", eye(4));
  EXPECT_EQ(count_nonzero(masked.weight).item<int>(), 4);
  EXPECT_CONTAINS(message_of<ShapeError>([&] { prune::custom_from_mask(masked, "weight", ones({4})); }),
                  "the parameter's shape");

  Sequential net(layer(), layer());
  Linear &first = net[0].as<Linear>(), &second = net[1].as<Linear>();
  fill_(first.weight.detach(), 0.1);
  fill_(second.weight.detach(), 2);
  prune::global_l1_unstructured({{&first, "weight"}, {&second, "weight"}}, 0.5);
  EXPECT_EQ(count_nonzero(first.weight).item<int>(), 0);
  EXPECT_EQ(count_nonzero(second.weight).item<int>(), 16);
  EXPECT_CONTAINS(message_of<ValueError>([&] { prune::l1_unstructured(second, "weight", 1.5); }),
                  "must be a fraction in [0, 1]");
  EXPECT_CONTAINS(message_of<ValueError>([&] { prune::l1_unstructured(second, "weight", 17); }),
                  "cannot prune 17 of 16");
}

TEST(Prune, ClonesKeepTheirMasks) {
  Linear net = layer();
  prune::l1_unstructured(net, "weight", 0.5);
  Linear copy = clone(net);
  const Tensor x = randn({2, 4});
  EXPECT_TRUE(all(copy(x) == net(x)).item<bool>());
  prune::l1_unstructured(copy, "weight", 8);
  EXPECT_EQ(count_nonzero(copy.weight).item<int>(), 0);
  net(x);
  EXPECT_EQ(count_nonzero(net.weight).item<int>(), 8);
}

}  // namespace
}  // namespace minima::nn::parametrize_test
