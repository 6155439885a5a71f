#include <torch/nn/parallel/data_parallel.h>
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace minima::module_test {

namespace nn = torch::nn;

struct NetImpl : nn::Cloneable<NetImpl> {
  NetImpl() { reset(); }
  void reset() override {
    first = register_module("first", nn::Linear(3, 4));
    rest = register_module("rest", nn::Sequential(nn::ReLU(), nn::Linear(nn::LinearOptions(4, 2).bias(false))));
    scale = register_parameter("scale", torch::ones(2));
    steps = register_buffer("steps", torch::zeros(1));
  }
  torch::Tensor forward(const torch::Tensor& x, double factor = 1) {
    steps += 1;
    return rest->forward(first(x)) * scale * factor;
  }

  nn::Linear first = nullptr;
  nn::Sequential rest = nullptr;
  torch::Tensor scale, steps;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(1.0)})
};
TORCH_MODULE(Net);

TEST(Module, ListsParametersOfChildrenAfterItsOwn) {
  Net net;
  EXPECT_EQ(net->named_parameters().keys(),
            (std::vector<std::string>{"scale", "first.weight", "first.bias", "rest.1.weight"}));
  EXPECT_EQ(net->named_buffers().keys(), std::vector<std::string>{"steps"});
  EXPECT_EQ(net->named_modules("net").keys(),
            (std::vector<std::string>{"net", "net.first", "net.rest", "net.rest.0", "net.rest.1"}));
}

TEST(Module, MembersAliasRegisteredTensors) {
  Net net;
  net->forward(torch::ones({1, 3}));
  EXPECT_EQ(net->named_buffers()["steps"].item<float>(), 1);
  torch::NoGradGuard no_grad;
  net->named_parameters()["scale"].fill_(5);
  EXPECT_EQ(net->scale[0].item<float>(), 5);
}

TEST(Module, ConversionKeepsTheTensorsThatOptimizersHold) {
  Net net;
  const std::vector<torch::Tensor> parameters = net->parameters();
  net->to(torch::kFloat64);
  for (const auto& parameter : parameters) {
    EXPECT_EQ(parameter.scalar_type(), torch::kFloat64);
    EXPECT_TRUE(parameter.requires_grad());
    EXPECT_TRUE(parameter.is_leaf());
  }
  EXPECT_EQ(net->first->weight.scalar_type(), torch::kFloat64);
  EXPECT_EQ(net->steps.scalar_type(), torch::kFloat64);
}

TEST(Module, CloneHasItsOwnValues) {
  Net net;
  auto copy = std::dynamic_pointer_cast<NetImpl>(net->clone());
  ASSERT_EQ(copy->named_parameters().keys(), net->named_parameters().keys());
  EXPECT_TRUE(torch::equal(copy->first->weight, net->first->weight));
  torch::NoGradGuard no_grad;
  net->first->weight.add_(1);
  EXPECT_FALSE(torch::equal(copy->first->weight, net->first->weight));
  EXPECT_TRUE(copy->first->weight.requires_grad());
  EXPECT_EQ(copy->first->weight.data_ptr(), copy->named_parameters()["first.weight"].data_ptr());
}

TEST(Module, CloneOfANamedSequentialKeepsItsNames) {
  nn::Sequential net({{"in", nn::Linear(1, 2)}, {"out", nn::Linear(2, 1)}});
  EXPECT_EQ(net->clone()->named_parameters().keys(), net->named_parameters().keys());
}

TEST(Module, PrintsItsTree) {
  std::ostringstream text;
  text << *Net();
  EXPECT_EQ(text.str(),
            "minima::module_test::NetImpl(\n"
            "  (first): torch::nn::Linear(in_features=3, out_features=4, bias=true)\n"
            "  (rest): torch::nn::Sequential(\n"
            "    (0): torch::nn::ReLU()\n"
            "    (1): torch::nn::Linear(in_features=4, out_features=2, bias=false)\n"
            "  )\n"
            ")");
}

TEST(Module, ZeroGradForgetsOrZeroes) {
  Net net;
  net->forward(torch::ones({1, 3})).sum().backward();
  torch::Tensor grad = net->scale.grad();
  net->zero_grad(/*set_to_none=*/false);
  EXPECT_EQ(grad.abs().sum().item<float>(), 0);
  EXPECT_TRUE(net->scale.grad().defined());
  net->zero_grad();
  EXPECT_FALSE(net->scale.grad().defined());
}

TEST(AnyModule, FillsInDefaultArguments) {
  Net net;
  nn::AnyModule any(net);
  const torch::Tensor x = torch::ones({1, 3}), y = net->forward(x);
  EXPECT_TRUE(torch::equal(any.forward(x), y));
  EXPECT_TRUE(torch::allclose(any.forward(x, 2.0), y * 2));
  EXPECT_TRUE(torch::equal(nn::Sequential(net)->forward(x), y));
}

TEST(AnyModule, CopiesShareAndClonesDoNot) {
  nn::AnyModule any(nn::Linear(2, 2)), shared = any, clone = any.clone();
  EXPECT_EQ(shared.ptr(), any.ptr());
  EXPECT_NE(clone.ptr(), any.ptr());
  EXPECT_TRUE(torch::equal(clone.get<nn::Linear>()->weight, any.get<nn::Linear>()->weight));
}

TEST(ModuleList, InsertRenamesWhatFollows) {
  nn::ModuleList list(nn::Linear(1, 1), nn::Linear(2, 2));
  list->insert(1, nn::Linear(3, 3));
  EXPECT_EQ(list->named_parameters()["1.bias"].size(0), 3);
  EXPECT_EQ(list->named_parameters()["2.bias"].size(0), 2);
}

TEST(DataParallel, AddsTheReplicasGradientsToTheModule) {
  Net net;
  const torch::Tensor x = torch::randn({5, 3});
  net->forward(x).square().sum().backward();
  std::vector<torch::Tensor> expected;
  for (const auto& parameter : net->parameters()) expected.push_back(parameter.grad().clone());
  net->zero_grad();
  const std::vector<torch::Device> devices(2, torch::kCPU);
  const torch::Tensor y = nn::parallel::data_parallel(net.ptr(), x, devices);
  EXPECT_TRUE(torch::allclose(y, net->forward(x)));
  y.square().sum().backward();
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(torch::allclose(net->parameters()[i].grad(), expected[i], 1e-4, 1e-5)) << i;
}

TEST(ClipGradNorm, TakesOrdersUpToInfinity) {
  torch::Tensor x = torch::zeros(3, torch::requires_grad());
  // torch.nn.utils.clip_grad_norm_ of one parameter with the gradient [3, -4, 12].
  const std::vector<std::pair<double, double>> norms{{2, 13}, {1, 19}, {INFINITY, 12}, {-1, 1.5}};
  for (auto [order, norm] : norms) {
    x.mutable_grad() = torch::tensor({3.f, -4.f, 12.f});
    EXPECT_NEAR(nn::utils::clip_grad_norm_(x, norm / 2, order), norm, 1e-5) << order;
    EXPECT_NEAR(x.grad()[2].item<float>(), 6, 1e-4) << order;
  }
}

TEST(PackedSequence, KeepsTheOrderOfTheBatch) {
  using namespace nn::utils::rnn;
  const torch::Tensor x = torch::arange(6.f).view({2, 3});
  const PackedSequence packed = pack_padded_sequence(x, torch::tensor({1, 3}), /*batch_first=*/true, false);
  EXPECT_TRUE(torch::equal(packed.data(), torch::tensor({3.f, 0.f, 4.f, 5.f})));
  EXPECT_TRUE(torch::equal(packed.batch_sizes(), torch::tensor({2, 1, 1})));
  EXPECT_TRUE(torch::equal(packed.sorted_indices(), torch::tensor({1, 0})));
  auto [padded, lengths] = pad_packed_sequence(packed, true, -1);
  EXPECT_TRUE(torch::equal(padded, torch::tensor({{0.f, -1.f, -1.f}, {3.f, 4.f, 5.f}})));
  EXPECT_TRUE(torch::equal(lengths, torch::tensor({1, 3})));
}

}  // namespace minima::module_test
