#include "tests/nn/toy_modules.h"
#include "tests/support/expect_error.h"

#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/tensor/device/observer.h>

#include <gtest/gtest.h>

namespace summary_test {
namespace {

using namespace minima;

struct Net : nn::Module {
  nn::ListOf<nn::Linear> layers = child("layers", nn::ListOf<nn::Linear>());
  nn::Sequential head = child("head", nn::Sequential(nn::BatchNorm1d({.features = 512}), nn::ReLU()));
  nn::Linear last = child("last", nn::Linear({.in = 512, .out = 10, .bias = false}));
  nn::OptionalOf<nn::Linear> unused = child("unused", nn::OptionalOf<nn::Linear>());
  Net() {
    layers.push_back(nn::Linear({.in = 784, .out = 512}));
    unused = nn::Linear({.in = 1, .out = 1});
  }
  Tensor forward(const Tensor& x) { return last(head(layers[0](x))); }
};

std::string line_of(const std::string& table, const std::string& start) {
  const std::size_t from = table.find("\n" + start);
  return from == std::string::npos ? "no line" : table.substr(from + 1, table.find('\n', from + 1) - from - 1);
}

TEST(Summary, ShowsShapesParametersAndFlopsOfEachModule) {
  Net net;
  const std::string table = summary(net, {2, 784});
  EXPECT_EQ(table.substr(0, 6), "module") << table;
  const auto expect = [&](const std::string& start, std::initializer_list<const char*> parts) {
    const std::string line = line_of(table, start);
    for (const char* part : parts) EXPECT_NE(line.find(part), std::string::npos) << part << " in\n" << table;
  };
  expect("Net", {"[2, 10]", "408,066"});
  expect("  layers.0", {"Linear", "[2, 512]", "401,920", "1.6"});
  expect("  head", {"Sequential", "[2, 512]", "1,024"});
  expect("    0", {"BatchNorm1d"});
  expect("    1", {"ReLU", " 0 "});
  expect("  last", {"[2, 10]", "5,120", "20.5 k"});
  expect("  unused", {"not called", " 2 "});
  expect("parameters: 408,066 (0 frozen)", {"1.63 MB"});
}

TEST(Summary, OfALanguageModelNamesTheOverloadThatTakesTokens) {
  nn::Sequential net(nn::Embedding({.count = 10, .dim = 4}), nn::Linear({.in = 4, .out = 10}));
  const std::string message = test::message_of<Error>([&] { summary(net, {1, 64}); });
  EXPECT_NE(message.find("zeros, float32 [1, 64]"), std::string::npos) << message;
  EXPECT_NE(message.find("nn::summary(net, [&] { net(tokens); })"), std::string::npos) << message;
  EXPECT_NE(summary(net, [&] { net(zeros({1, 64}, {.dtype = int64})); }).find("[1, 64, 10]"), std::string::npos);
}

TEST(Summary, LeavesTheModuleAsItWas) {
  Net net;
  net.last.eval();
  int calls = 0;
  net.add_forward_pre_hook([&](nn::ModuleBase&, std::vector<Tensor>&) { ++calls; });
  const auto mean = net.head.at<nn::BatchNorm1d>(0).running_mean.to_vector<float>();
  summary(net, {2, 784});
  EXPECT_TRUE(net.is_training());
  EXPECT_FALSE(net.last.is_training());
  EXPECT_EQ(net.head.at<nn::BatchNorm1d>(0).running_mean.to_vector<float>(), mean);
  EXPECT_EQ(calls, 1);
  net(zeros({2, 784}));
  EXPECT_EQ(calls, 2);
  EXPECT_THROW(summary(net, {2, 3}), Error);
  EXPECT_TRUE(net.is_training());
  EXPECT_FALSE(net.last.is_training());
  EXPECT_EQ(observer(), nullptr);
}

TEST(Summary, TakesACallForOtherSignatures) {
  struct Two : nn::ModuleOf<Two> {
    nn::Linear fc = child("fc", nn::Linear({.in = 4, .out = 4}));
    std::tuple<Tensor, Tensor> forward(const Tensor& x, const Tensor& y) { return {fc(x), fc(y)}; }
  };
  Two two;
  const std::string table = summary(two, [&] { two(zeros({1, 4}), zeros({3, 4})); });
  EXPECT_NE(table.find("[1, 4], [3, 4]"), std::string::npos) << table;
  EXPECT_NE(line_of(table, "  fc").find("[3, 4]"), std::string::npos) << table;
}

}  // namespace
}  // namespace summary_test
