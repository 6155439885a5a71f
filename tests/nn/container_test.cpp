#include "tests/nn/toy_modules.h"

#include <minima/nn/containers/sequential.h>

#include <gtest/gtest.h>

namespace container_test {
namespace {

using namespace minima;
using namespace toy;

TEST(Sequential, CallsItsModulesInOrder) {
  nn::Sequential net(Shift(1), [](const Tensor& x) { return values({x.item<float>() * 2}); }, Net());
  EXPECT_EQ(call(net, 1), 15);
  EXPECT_EQ(nn::Sequential()(values({3})).item<float>(), 3);
}

TEST(Sequential, NamesAreNumbersOrGiven) {
  nn::Sequential net(Shift(1), Net());
  net.push_back("head", Shift(2));
  net.push_back(Shift(3));
  EXPECT_EQ(names(net.named_parameters()), (Names{"0.bias", "1.a.bias", "1.b.bias", "head.bias", "3.bias"}));
  EXPECT_THROW(net.push_back("head", Shift(2)), ValueError);
}

TEST(Sequential, GivesAccessByIndexAndType) {
  nn::Sequential net(Shift(1), Net());
  EXPECT_EQ(net.size(), 2u);
  EXPECT_EQ(net.at<Shift>(0).bias.item<float>(), 1);
  EXPECT_EQ(net[-1](values({0})).item<float>(), 11);
  net.at<Net>(1).a = Shift(100);
  EXPECT_EQ(call(net, 0), 111);
  EXPECT_EQ(net.parameters()[1].item<float>(), 100);
  EXPECT_THROW(net.at<Net>(0), ValueError);
  EXPECT_THROW(net[2], IndexError);
  EXPECT_THROW(net[-3], IndexError);
}

TEST(Sequential, CopiesShareOneList) {
  nn::Sequential net(Shift(1));
  nn::Sequential copy = net;
  copy.push_back(Shift(10));
  EXPECT_EQ(net.size(), 2u);
  EXPECT_EQ(call(net, 0), 11);
}

TEST(Sequential, AliasesWhatIsPutIn) {
  Net inner;
  nn::Sequential net(inner);
  EXPECT_TRUE(net.parameters()[0].is_same(inner.a.bias));
  net.eval();
  EXPECT_FALSE(inner.a.is_training());
}

TEST(Sequential, IsAMemberAndABaseLikeAnyOther) {
  struct Derived : nn::Sequential {
    Derived() : Sequential(Shift(1), Shift(2)) {}
  };
  struct M : nn::Module {
    nn::Sequential features = child("features", nn::Sequential(Shift(5)));
    Derived derived = child("derived", Derived());
    Tensor forward(const Tensor& x) { return derived(features(x)); }
  };
  M m;
  M copy = m;
  EXPECT_EQ(call(copy, 0), 8);
  EXPECT_EQ(names(copy.named_parameters()), (Names{"features.0.bias", "derived.0.bias", "derived.1.bias"}));
}

TEST(Sequential, CannotContainItself) {
  nn::Sequential outer, inner;
  outer.push_back(inner);
  EXPECT_THROW(inner.push_back(outer), ValueError);
  EXPECT_THROW(inner.push_back(inner), ValueError);
  EXPECT_THROW(inner.push_back(nn::AnyModule()), ValueError);
}

TEST(Sequential, RefusesAModuleOfAnotherSignatureWhenCalled) {
  struct Two : nn::ModuleOf<Two> {
    Tensor forward(const Tensor& x, const Tensor&) { return x; }
  };
  struct One : nn::ModuleOf<One> {
    Tensor forward(Tensor x) { return x; }
  };
  EXPECT_EQ(call(*nn::AnyModule(nn::Sequential(One())).as<nn::Sequential>().as<nn::Module>(), 4), 4);
  try {
    nn::Sequential net(Two{});
    net(values({1}));
    FAIL() << "no error";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("Two: does not map one tensor to one tensor"), std::string::npos)
        << error.what();
  }
}

TEST(ModuleList, HoldsModulesOfAnyType) {
  struct M : nn::Module {
    nn::ModuleList parts = child("parts", nn::ModuleList(Shift(1), Net()));
    Tensor forward(const Tensor& x) {
      Tensor y = x;
      for (const nn::AnyModule& part : parts) y = part(y);
      return parts.at<Shift>(0)(y);
    }
  };
  M m;
  EXPECT_EQ(call(m, 0), 13);
  EXPECT_EQ(names(m.named_parameters()), (Names{"parts.0.bias", "parts.1.a.bias", "parts.1.b.bias"}));
}

}  // namespace
}  // namespace container_test
