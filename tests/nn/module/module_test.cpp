#include "tests/nn/toy_modules.h"

#include <gtest/gtest.h>

#include <thread>

namespace module_test {
namespace {

using namespace minima;
using namespace toy;

struct Plain : nn::Module {
  Shift a = child("a", Shift(1));
  Shift b = child("b", Shift(10));
  Tensor forward(const Tensor& x) { return b(a(x)); }
};

TEST(Module, IsCalledThroughOperator) {
  Plain net;
  EXPECT_EQ(call(net, 5), 16);
}

TEST(Module, FindsMembersWithoutMacroOrConstructor) {
  const Plain net;
  EXPECT_EQ(names(net.named_parameters()), (Names{"a.bias", "b.bias"}));
  EXPECT_EQ(names(net.named_buffers()), (Names{"a.calls", "a.scratch", "b.calls", "b.scratch"}));
  EXPECT_EQ(names(net.children()), (Names{"a", "b"}));
  EXPECT_EQ(net.named_parameters()[1].tensor.impl(), net.b.bias.impl());
  EXPECT_EQ(net.children()[0].module, &net.a);
}

TEST(Module, NamedModulesGoOuterFirstAndForEachInnerFirst) {
  struct Deep : nn::Module {
    Plain left = child("left", Plain());
    Shift right = child("right", Shift());
    Tensor forward(const Tensor& x) { return right(left(x)); }
  };
  Deep net;
  EXPECT_EQ(names(net.named_modules()), (Names{"", "left", "left.a", "left.b", "right"}));
  std::vector<nn::ModuleBase*> order;
  net.for_each([&](nn::ModuleBase& module) { order.push_back(&module); });
  EXPECT_EQ(order, (std::vector<nn::ModuleBase*>{&net.left.a, &net.left.b, &net.left, &net.right, &net}));
  int shifts = 0;
  net.for_each([&](nn::ModuleBase& module) { shifts += module.as<Shift>() != nullptr; });
  EXPECT_EQ(shifts, 3);
}

TEST(Module, CopyAliasesParametersModeAndHooks) {
  Plain net;
  Plain copy = net;
  EXPECT_EQ(copy.a.bias.impl(), net.a.bias.impl());
  EXPECT_EQ(names(copy.named_parameters()), names(net.named_parameters()));
  copy.eval();
  EXPECT_FALSE(net.is_training());
  EXPECT_FALSE(net.a.is_training());
  int calls = 0;
  copy.add_forward_pre_hook([&](nn::ModuleBase&, std::vector<Tensor>&) { ++calls; });
  call(net, 1);
  EXPECT_EQ(calls, 1);
}

TEST(Module, CopySeesItsOwnMembers) {
  Plain net;
  Plain copy = net;
  EXPECT_EQ(copy.children()[0].module, &copy.a);
  EXPECT_EQ(net.children()[0].module, &net.a);
  copy.a = Shift(3);
  EXPECT_EQ(copy.named_parameters()[0].tensor.impl(), copy.a.bias.impl());
  EXPECT_EQ(net.named_parameters()[0].tensor.impl(), net.a.bias.impl());
}

TEST(Module, OutlivesTheObjectItWasCopiedFrom) {
  auto first = std::make_unique<Plain>();
  Plain copy = *first;
  first.reset();
  EXPECT_EQ(copy.parameters().size(), 2u);
  EXPECT_EQ(call(copy, 0), 11);
}

TEST(Module, MovesWithItsMembers) {
  std::vector<Plain> nets;
  for (int i = 0; i < 5; ++i) nets.emplace_back();
  for (Plain& net : nets) {
    EXPECT_EQ(net.children()[1].module, &net.b);
    EXPECT_EQ(names(net.named_parameters()), (Names{"a.bias", "b.bias"}));
  }
}

TEST(Module, MovedFromModuleSaysSo) {
  Plain net;
  const Plain other = std::move(net);
  EXPECT_EQ(other.parameters().size(), 2u);
  try {
    (void)net.parameters();
    FAIL() << "no error";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("moved from"), std::string::npos) << error.what();
  }
}

TEST(Module, AssignedChildIsSeen) {
  Plain net;
  net.a = Shift(2);
  EXPECT_EQ(net.named_parameters()[0].tensor.impl(), net.a.bias.impl());
  EXPECT_EQ(call(net, 0), 12);
  net.a = net.b;
  EXPECT_EQ(names(net.named_parameters()), (Names{"a.bias"})) << "a and b are one module now";
}

TEST(Module, SwappedChildrenAreSeen) {
  Plain net;
  const Tensor a = net.a.bias, b = net.b.bias;
  std::swap(net.a, net.b);
  EXPECT_TRUE(net.named_parameters()[0].tensor.is_same(b));
  EXPECT_TRUE(net.named_parameters()[1].tensor.is_same(a));
}

TEST(Module, WholeModuleCanBeAssigned) {
  Plain net;
  net = Plain();
  EXPECT_EQ(net.children()[0].module, &net.a);
  EXPECT_EQ(call(net, 0), 11);
  Plain other;
  net = other;
  EXPECT_TRUE(net.parameters()[0].is_same(other.a.bias));
}

TEST(Module, TrainAndEvalReachAllModules) {
  Plain net;
  EXPECT_TRUE(net.b.is_training());
  net.eval();
  EXPECT_FALSE(net.is_training());
  EXPECT_FALSE(net.b.is_training());
  net.train();
  EXPECT_TRUE(net.a.is_training());
}

TEST(Module, FreezesAndZeroesItsParameters) {
  Plain net;
  EXPECT_TRUE(net.a.bias.requires_grad());
  EXPECT_FALSE(net.a.calls.requires_grad());
  net.a.requires_grad(false);
  EXPECT_FALSE(net.a.bias.requires_grad());
  EXPECT_TRUE(net.b.bias.requires_grad());
  net.b.bias.set_grad(values({3}));
  net.zero_grad();
  EXPECT_FALSE(net.b.bias.grad().defined());
}

TEST(Module, TiedParametersAreListedOnce) {
  Plain net;
  net.b.bias = net.a.bias;
  EXPECT_EQ(names(net.named_parameters()), (Names{"a.bias"}));
  EXPECT_EQ(net.parameters().size(), 1u);
}

TEST(Module, UndefinedParameterIsSkippedUntilItIsAssigned) {
  Shift shift(1, /*with_bias=*/false);
  EXPECT_TRUE(shift.parameters().empty());
  shift.bias = values({4});
  EXPECT_EQ(names(shift.named_parameters()), (Names{"bias"}));
  EXPECT_TRUE(shift.bias.requires_grad());
}

TEST(Module, AssignedBufferIsSeen) {
  Shift shift;
  shift.calls = values({1, 2});
  EXPECT_TRUE(shift.buffers()[0].is_same(shift.calls));
}

TEST(Module, ListsAndOptionalsNameTheirElements) {
  struct Block : nn::Module {
    nn::ListOf<Plain> layers = child("layers", nn::ListOf<Plain>());
    nn::OptionalOf<Shift> head = child("head", nn::OptionalOf<Shift>());
    Block() {
      layers.push_back(Plain());
      layers.emplace_back();
    }
    Tensor forward(const Tensor& x) {
      Tensor y = x;
      for (Plain& layer : layers) y = layer(y);
      return head ? (*head)(y) : y;
    }
  };
  Block net;
  EXPECT_EQ(names(net.named_parameters()),
            (Names{"layers.0.a.bias", "layers.0.b.bias", "layers.1.a.bias", "layers.1.b.bias"}));
  net.head = Shift(100);
  EXPECT_EQ(names(net.named_parameters()).back(), "head.bias");
  EXPECT_EQ(call(net, 0), 122);
  Block copy = net;
  copy.layers.pop_back();
  EXPECT_EQ(copy.parameters().size(), 3u);
  EXPECT_EQ(net.parameters().size(), 5u);
  net.head = std::nullopt;
  EXPECT_EQ(net.parameters().size(), 4u);
}

TEST(Module, TypeNameLeavesNamespacesOut) {
  EXPECT_EQ(Net().type_name(), "Net");
  EXPECT_EQ(Shift().type_name(), "Shift");
}

TEST(Module, CopyingOneModuleFromSeveralThreadsIsSafe) {
  const Plain net;
  std::vector<std::thread> threads;
  std::vector<std::size_t> counts(4);
  for (std::size_t i = 0; i < counts.size(); ++i)
    threads.emplace_back([&net, &count = counts[i]] {
      for (int round = 0; round < 50; ++round)
        count += Plain(net).parameters().size() + Shift(net.a).parameters().size();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counts, std::vector<std::size_t>(4, 150));
}

}  // namespace
}  // namespace module_test
