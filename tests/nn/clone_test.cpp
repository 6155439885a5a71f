#include "tests/nn/toy_modules.h"

#include <minima/nn/clone.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/forward_wrapper.h>
#include <minima/nn/module/plain_call.h>

#include <gtest/gtest.h>

namespace clone_test {
namespace {

using namespace minima;
using namespace toy;

struct Deep : nn::Module {
  Net net = child("net", Net());
  nn::ListOf<Shift> list = child("list", nn::ListOf<Shift>(2));
  nn::OptionalOf<Shift> head = child("head", nn::OptionalOf<Shift>(Shift(4)));
  nn::Sequential features = child("features", nn::Sequential(Shift(1), Net()));
  Tensor forward(const Tensor& x) { return (*head)(features(net(x))); }
};

TEST(Clone, CopiesDeeplyAndRebindsMembers) {
  Deep original;
  Deep copy = clone(original);
  const auto ours = original.named_parameters(), theirs = copy.named_parameters();
  ASSERT_EQ(names(ours), names(theirs));
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_FALSE(ours[i].tensor.is_same(theirs[i].tensor)) << ours[i].name;
    EXPECT_NE(ours[i].tensor.raw_data(), theirs[i].tensor.raw_data()) << ours[i].name;
    EXPECT_EQ(ours[i].tensor.to_vector<float>(), theirs[i].tensor.to_vector<float>()) << ours[i].name;
    EXPECT_TRUE(theirs[i].tensor.requires_grad() && theirs[i].tensor.is_leaf());
  }
  EXPECT_EQ(copy.children()[0].module, &copy.net);
  copy.net.a.bias.data<float>()[0] = 1000;
  copy.features.at<Net>(1).b.bias.data<float>()[0] = 50000;
  EXPECT_EQ(call(original, 0), 27);
  EXPECT_EQ(call(copy, 0), 1000 + 10 + 1 + 1 + 50000 + 4);
}

TEST(Clone, HasItsOwnModeAndHooks) {
  Net original;
  int calls = 0;
  auto handle = original.a.add_forward_pre_hook([&](nn::ModuleBase&, std::vector<Tensor>&) { ++calls; });
  original.b.eval();
  Net copy = clone(original);
  EXPECT_TRUE(copy.is_training());
  EXPECT_FALSE(copy.b.is_training());
  copy.eval();
  EXPECT_TRUE(original.is_training());
  handle.remove();
  call(original, 0);
  EXPECT_EQ(calls, 0);
  call(copy, 0);
  EXPECT_EQ(calls, 1) << "the hook was copied";
}

TEST(Clone, HasNoWatchersAndWrappersOfTheOriginal) {
  Net original;
  int calls = 0;
  const auto count = [&] { ++calls; };
  original.a.add_forward_watcher(count, count);
  nn::wrap_forward(original.b,
                   [](nn::Module& b, const Tensor& x, const nn::ModuleForward&) { return b.forward(x) * 2; });
  Net copy = clone(original);
  EXPECT_TRUE(is_called_plainly(copy.a));
  EXPECT_TRUE(is_called_plainly(copy.b)) << "fused code may take the clone's blocks together";
  call(copy, 0);
  EXPECT_EQ(calls, 0) << "what watches a network may be gone when its clone is called";
  call(original, 0);
  EXPECT_EQ(calls, 2);
}

TEST(Clone, KeepsTiesAndSharedModulesInside) {
  struct Tied : nn::Module {
    Shift a = child("a", Shift(1));
    Shift b = child("b", Shift(2));
    Shift alias = child("alias", a);
    Tied() { b.bias = a.bias; }
    Tensor forward(const Tensor& x) { return alias(b(a(x))); }
  };
  const Tied original;
  const Tied copy = clone(original);
  EXPECT_TRUE(copy.a.bias.is_same(copy.b.bias));
  EXPECT_TRUE(copy.a.bias.is_same(copy.alias.bias));
  EXPECT_FALSE(copy.a.bias.is_same(original.a.bias));
  EXPECT_EQ(copy.parameters().size(), 1u);
  EXPECT_EQ(copy.children().size(), 2u) << "a and alias are one module";
}

TEST(Clone, KeepsFrozenParametersAndBuffers) {
  Net original;
  original.a.requires_grad(false);
  call(original, 0);
  const Net copy = clone(original);
  EXPECT_FALSE(copy.a.bias.requires_grad());
  EXPECT_TRUE(copy.b.bias.requires_grad());
  EXPECT_EQ(copy.a.calls.item<float>(), 1);
  EXPECT_FALSE(copy.a.calls.is_same(original.a.calls));
}

TEST(Clone, OfASequentialHasItsOwnList) {
  nn::Sequential original(Shift(1), Net());
  nn::Sequential copy = clone(original);
  copy.push_back(Shift(5));
  EXPECT_EQ(original.size(), 2u);
  EXPECT_FALSE(copy.at<Net>(1).a.bias.is_same(original.at<Net>(1).a.bias));
}

}  // namespace
}  // namespace clone_test
