#include "tests/support/expect_error.h"

#include <minima/minima.h>
#include <minima/nn/attention/multihead_attention.h>
#include <minima/nn/init/defer.h>
#include <minima/nn/init/skip.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/storage/allocator.h>

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

// Deferred parameters are compared with those of a module that is made without nn::init::Defer.

namespace minima::defer_test {
namespace {

namespace init = nn::init;
using test::message_of;

/// Every initialiser, on sizes that end within a group of random numbers; one parameter has a single element.
struct Net : nn::Module {
  nn::Embedding embedding = child("embedding", nn::Embedding({.count = 7, .dim = 5}));
  nn::Linear linear = child("linear", nn::Linear({.in = 5, .out = 11}));
  nn::Conv2d conv = child("conv", nn::Conv2d({.in = 3, .out = 5, .kernel = 3}));
  nn::LayerNorm norm = child("norm", nn::LayerNorm({.shape = {13}}));
  nn::LSTM lstm = child("lstm", nn::LSTM({.in = 3, .hidden = 5}));
  nn::MultiheadAttention attention =
      child("attention", nn::MultiheadAttention({.embed_dim = 6, .num_heads = 2, .add_bias_kv = true}));
  nn::BatchNorm2d batch = child("batch", nn::BatchNorm2d({.features = 5}));
  nn::Linear single = child("single", nn::Linear({.in = 3, .out = 1}));
  nn::Linear truncated = child("truncated", nn::Linear({.in = 3, .out = 7}));
  nn::Linear orthogonal = child("orthogonal", nn::Linear({.in = 5, .out = 3}));
  nn::Linear sparse = child("sparse", nn::Linear({.in = 5, .out = 3}));
  nn::Linear tied = child("tied", nn::Linear({.in = 5, .out = 7, .bias = false}));
  nn::Parameter given = parameter("given", arange(6.0));
  explicit Net(DType dtype) {
    if (dtype != float32) linear.to(dtype);
    init::xavier_normal_(linear.weight, 2);
    init::trunc_normal_(truncated.weight, {.mean = 1, .std = 0.5, .low = 0, .high = 2});
    init::orthogonal_(orthogonal.weight);
    init::sparse_(sparse.weight, 0.5);
    tied.weight = embedding.weight;
    if (dtype != float32) to(dtype);
  }
  Tensor forward(const Tensor& x) override { return linear(x); }
};

Net deferred_net(std::uint64_t seed, DType dtype) {
  manual_seed(seed);
  const init::Defer defer;
  return Net(dtype);
}

void expect_identical(const nn::ModuleBase& ours, const nn::ModuleBase& theirs) {
  const State a = ours.state_dict(), b = theirs.state_dict();
  ASSERT_EQ(a.tensors().size(), b.tensors().size());
  for (const auto& [name, tensor] : b.tensors()) EXPECT_TRUE(identical(a.tensor(name), tensor)) << name;
}

TEST(Defer, DrawsTheSameNumbersLater) {
  for (const DType dtype : {float32, float64, bfloat16}) {
    manual_seed(5);
    const Net expected(dtype);
    const Tensor next = rand({3});
    const Net net = deferred_net(5, dtype);
    EXPECT_TRUE(identical(rand({3}), next)) << "the generator continues alike";
    EXPECT_TRUE(std::isnan(net.linear.weight[0][0].item<double>()));
    EXPECT_EQ(net.linear.weight.dtype(), dtype);
    EXPECT_TRUE(net.tied.weight.is_same(net.embedding.weight));
    const Net copy = nn::clone(net);
    for (const Net& made : {net, copy}) {
      init::materialise(made);
      expect_identical(made, expected);
      EXPECT_TRUE(made.linear.weight.requires_grad());
      EXPECT_TRUE(made.tied.weight.is_same(made.embedding.weight));
    }
    init::materialise(net);  // nothing is left to do
    expect_identical(net, expected);
  }
}

TEST(Defer, ConvertsBehindTheDrawing) {
  manual_seed(6);
  Net expected(float32);
  Net net = deferred_net(6, float32);
  for (const DType dtype : {float16, bfloat16, float64}) {  // float16's rounding is part of the numbers
    expected.to(dtype);
    net.to(dtype);
  }
  init::materialise(net);
  expect_identical(net, expected);
}

TEST(Defer, UsesTheGeneratorThatItIsGiven) {
  RandomGenerator ours(3), theirs(3);
  const nn::Parameter expected(empty({17}));
  init::normal_(expected, 1, 2, &theirs);
  init::uniform_(expected, 1, 2, &theirs);
  struct One : nn::Module {
    nn::Parameter weight = parameter("weight", empty({17}));
    Tensor forward(const Tensor& x) override { return x; }
  } net;
  {
    const init::Defer defer;
    init::normal_(net.weight, 1, 2, &ours);
    init::uniform_(net.weight, 1, 2, &ours);
  }
  init::materialise(net);
  EXPECT_TRUE(identical(net.weight.detach(), expected.detach())) << "the last initialiser counts";
}

TEST(Defer, TakesNoMemory) {
  const auto used = [] { return memory_stats().allocated; };
  const std::int64_t before = used();
  std::optional<init::Defer> defer(std::in_place);
  reset_peak();
  nn::Sequential net;
  for (int i = 0; i < 16; ++i) net.push_back(nn::Linear({.in = 512, .out = 512}));
  defer.reset();
  constexpr std::int64_t layer = 512 * 513 * 4;
  EXPECT_LT(used() - before, layer / 10);
  EXPECT_LT(memory_stats().peak_allocated - before, 2 * layer) << "one layer at a time, before it is initialised";
  init::materialise(net);
  EXPECT_GE(used() - before, 16 * layer);
}

TEST(Defer, EndsWithItsScopeAndYieldsToSkip) {
  {
    const init::Defer outer;
    { const init::Defer inner; }
    EXPECT_TRUE(std::isnan(nn::Linear({.in = 2, .out = 2}).weight[0][0].item<float>()));
    const init::Skip skip;
    const nn::Linear layer({.in = 2, .out = 2});
    init::ones_(layer.weight);
    init::materialise(layer);
    EXPECT_EQ(layer.weight[1][1].item<float>(), 1);
  }
  EXPECT_FALSE(std::isnan(nn::Linear({.in = 2, .out = 2}).weight[0][0].item<float>()));
}

TEST(Defer, ACallBeforeTheDrawingNamesTheParameter) {
  std::optional<init::Defer> defer(std::in_place);
  const nn::Sequential net(nn::Sequential(nn::Linear({.in = 3, .out = 4}), nn::ReLU()),
                           nn::Linear({.in = 4, .out = 1}));
  defer.reset();
  const std::string said = test::message_of<ValueError>([&] { net(ones({2, 3})); });
  EXPECT_CONTAINS(said,
                  "the parameter 0.0.weight [4, 3] has no values yet: init::Defer has put off its initialisation");
  EXPECT_CONTAINS(said, "shard() or nn::init::materialise() before it is called");
  EXPECT_EQ(ones({1}).item<float>(), 1) << "others go on";
  EXPECT_EQ(nn::ReLU()(ones({1})).item<float>(), 1);
  init::materialise(net);
  EXPECT_FALSE(std::isnan(sum(net(ones({2, 3}))).item<float>()));
}

TEST(Defer, LoadingGivesMemoryToWhatItLoads) {
  manual_seed(8);
  const Net expected(float32);
  const Net net = deferred_net(8, float32);
  Net other = nn::clone(expected);
  init::ones_(other.linear.weight);
  State part;
  part.add("linear.weight", other.linear.weight.detach().to(float64));
  EXPECT_FALSE(const_cast<Net&>(net).load_state_dict(part, {.strict = false}).is_clean());
  EXPECT_EQ(net.linear.weight[3][2].item<float>(), 1);
  EXPECT_TRUE(std::isnan(net.linear.bias[3].item<float>())) << "was not among them";
  init::materialise(net);
  expect_identical(net, other);
}

TEST(Defer, RefusesParametersThatWereChangedInPart) {
  const nn::Linear layer = [] {
    const init::Defer defer;
    return nn::Linear({.in = 3, .out = 5});
  }();
  const NoGrad guard;
  EXPECT_THROW(fill_(layer.weight, 1), Error);
  EXPECT_CONTAINS(message_of<ValueError>([&] { nn::save("unused.safetensors", layer); }), "weight has no values yet");
  fill_(layer.bias[2], 1);
  EXPECT_CONTAINS(message_of<ValueError>([&] { init::materialise(layer); }), "a part of a parameter [5] was changed");
}

TEST(Defer, ChecksWhatInitialisersCheck) {
  const init::Defer defer;
  nn::Linear layer({.in = 3, .out = 5});
  EXPECT_THROW(init::uniform_(layer.weight, 1, 1), ValueError);
  EXPECT_THROW(init::normal_(layer.weight, 0, -1), ValueError);
  EXPECT_THROW(init::trunc_normal_(layer.weight, {.low = 2, .high = 1}), ValueError);
  layer.to(float16);
  EXPECT_THROW(init::constant_(layer.weight, 1e9), ValueError);
}

}  // namespace
}  // namespace minima::defer_test
