#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/train/no_graphs.h"
#include "tests/train/statistics/expect_summary.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/nn/clone.h>
#include <minima/nn/freeze.h>
#include <minima/nn/module/plain_call.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/logs/event_reader.h>
#include <minima/train/logs/event_writer.h>
#include <minima/train/statistics/network_statistics.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace minima::train::network_statistics_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

/// y = w₂ relu(w₁ x), whose figures follow by hand.
struct Net : nn::Module {
  nn::Linear first = child("first", nn::Linear({.in = 2, .out = 2, .bias = false}));
  nn::ReLU relu = child("relu", nn::ReLU());
  nn::Linear second = child("second", nn::Linear({.in = 2, .out = 1, .bias = false}));
  bool is_checkpointed = false;

  Net() {
    const NoGrad guard;
    copy_(first.weight, tensor<float>({{1, 0}, {0, -1}}));
    copy_(second.weight, tensor<float>({{2, 1}}));
  }
  Tensor forward(const Tensor& x) override {
    auto hidden = [one = first, two = relu](const Tensor& in) mutable { return two(one(in)); };
    return second(is_checkpointed ? checkpoint(hidden, x) : hidden(x));
  }
};

const Tensor x = tensor<float>({{3, 4}, {1, -2}});  // first gives (3, -4) and (1, 2), relu (3, 0) and (1, 2)

/// The figures of a step of SGD with rate 0.1 on the sum of the outputs, 6 and 4, in `parts` equal parts.
StepStatistics measured(Net& net, int parts = 1, double scale = 1) {
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  NetworkStatistics statistics(net, {.every = 5});
  statistics.begin_step(10);
  EXPECT_TRUE(statistics.is_measuring());
  optimizer.zero_grad();
  for (int part = 0; part < parts; ++part) sum(net(narrow(x, 0, part * 2 / parts, 2 / parts))).backward();
  statistics.before_update(scale);
  optimizer.step();
  EXPECT_TRUE(statistics.end_step());
  return statistics.history().back();
}

const ModuleStatistics& module(const StepStatistics& step, const std::string& name) {
  for (const ModuleStatistics& m : step.modules)
    if (m.name == name) return m;
  throw ValueError("there is no module " + name);
}

void expect_figures(const StepStatistics& step, std::int64_t calls) {
  EXPECT_EQ(step.step, 10);
  ASSERT_EQ(step.modules.size(), 4u);
  EXPECT_EQ(step.modules[0].name, "Net") << "the network itself has no path";
  EXPECT_EQ(step.modules[1].type, "Linear");
  for (const ModuleStatistics& m : step.modules) EXPECT_EQ(m.calls, calls) << m.name;
  expect_summary(module(step, "first").activations,
                 {.elements = 4, .mean_abs = 10.0 / 4, .rms = std::sqrt(30.0 / 4), .max_abs = 4});
  expect_summary(module(step, "relu").activations,
                 {.elements = 4, .zeros = 1, .mean_abs = 6.0 / 4, .rms = std::sqrt(14.0 / 4), .max_abs = 3});
  expect_summary(module(step, "second").activations,
                 {.elements = 2, .mean_abs = 5, .rms = std::sqrt(26.0), .max_abs = 6});
  expect_summary(module(step, "second").gradients, {.elements = 2, .mean_abs = 1, .rms = 1, .max_abs = 1});
  expect_summary(module(step, "relu").gradients,
                 {.elements = 4, .mean_abs = 6.0 / 4, .rms = std::sqrt(10.0 / 4), .max_abs = 2});
  expect_summary(module(step, "first").gradients,
                 {.elements = 4, .zeros = 1, .mean_abs = 5.0 / 4, .rms = std::sqrt(9.0 / 4), .max_abs = 2});
  ASSERT_EQ(step.parameters.size(), 2u);
  // dw₂ = (3 + 1, 0 + 2), dw₁ = (2 (3 + 1), 2 (4 - 2); 1 · 1, 1 · (-2)).
  const ParameterStatistics &first = step.parameters[0], &second = step.parameters[1];
  EXPECT_EQ(first.name, "first.weight");
  expect_summary(first.gradient, {.elements = 4, .mean_abs = 15.0 / 4, .rms = std::sqrt(85.0 / 4), .max_abs = 8});
  expect_summary(second.gradient, {.elements = 2, .mean_abs = 3, .rms = std::sqrt(10.0), .max_abs = 4});
  expect_summary(second.weight, {.elements = 2, .mean_abs = 1.5, .rms = std::sqrt(2.5), .max_abs = 2});
  EXPECT_NEAR(second.update_ratio(), 0.1 * std::sqrt(10 / 2.5), 1e-6);
  EXPECT_NEAR(first.update_ratio(), 0.1 * std::sqrt(85.0 / 2), 1e-6);
  EXPECT_EQ(step.non_finite(), 0);
}

TEST(NetworkStatistics, FiguresAreThoseByHand) {
  Net net;
  expect_figures(measured(net), 1);
}

TEST(NetworkStatistics, PartsOfAStepCountTogether) {
  Net net;
  expect_figures(measured(net, 2), 2);
}

TEST(NetworkStatistics, RecomputedCallsDoNotCountAgain) {
  Net net;
  net.is_checkpointed = true;
  expect_figures(measured(net), 1);
}

TEST(NetworkStatistics, GradientsAreScaledWhereTheOptimizersAre) {
  Net net;
  const StepStatistics step = measured(net, 1, 0.25);
  EXPECT_NEAR(module(step, "relu").gradients.max_abs, 0.5, 1e-6);
  EXPECT_NEAR(step.parameters[1].gradient.rms, 0.25 * std::sqrt(10.0), 1e-6);
  EXPECT_NEAR(module(step, "relu").activations.max_abs, 3, 1e-6);
}

TEST(NetworkStatistics, AutocastShowsTheHalfTypesValues) {
  Net net;
  NetworkStatistics statistics(net);
  statistics.begin_step(0);
  {
    const amp::Autocast guard(DeviceType::cpu);
    sum(net(x * 1.001)).backward();  // 3.003 is 3 in bfloat16
  }
  statistics.before_update();
  statistics.end_step();
  EXPECT_EQ(module(statistics.history().back(), "first").activations.max_abs, 4);
}

TEST(NetworkStatistics, OtherStepsHaveNoHooks) {
  Net net;
  NetworkStatistics statistics(net, {.every = 3});
  for (int step = 0; step < 7; ++step) {
    statistics.begin_step(step);
    EXPECT_EQ(statistics.is_measuring(), step % 3 == 0) << step;
    EXPECT_EQ(nn::is_called_plainly(net.first), step % 3 != 0) << step;
    sum(net(x)).backward();
    statistics.before_update();
    EXPECT_EQ(statistics.end_step(), step % 3 == 0);
    EXPECT_TRUE(nn::is_called_plainly(net.first)) << step;
  }
  ASSERT_EQ(statistics.history().size(), 3u);
  EXPECT_EQ(statistics.history().back().step, 6);
}

TEST(NetworkStatistics, SkippedModulesKeepTheirFusedForm) {
  struct Outer : nn::Module {
    Net inner = child("inner", Net());
    Tensor forward(const Tensor& input) override { return inner(input); }
  } outer;
  NetworkStatistics statistics(outer, {.skip = {"first", "inner.relu"}});
  statistics.begin_step(0);
  EXPECT_TRUE(nn::is_called_plainly(outer.inner.first));
  sum(outer(x)).backward();
  statistics.before_update();
  statistics.end_step();
  const StepStatistics& step = statistics.history().back();
  ASSERT_EQ(step.modules.size(), 3u);
  EXPECT_EQ(step.modules[1].name, "inner");
  EXPECT_EQ(step.modules[2].name, "inner.second");
  EXPECT_EQ(step.parameters.size(), 2u);
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { NetworkStatistics(outer, {.skip = {"rst"}}); }),
                  "no module of Outer is called rst");
}

TEST(NetworkStatistics, AStepThatThrewIsForgotten) {
  Net net;
  NetworkStatistics statistics(net, {.every = 1});
  statistics.begin_step(0);
  sum(net(x));
  statistics.begin_step(1);
  sum(net(x)).backward();
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { statistics.end_step(); }), "without before_update()");
  EXPECT_TRUE(nn::is_called_plainly(net.first));
  statistics.begin_step(2);
  sum(net(x)).backward();
  statistics.before_update();
  EXPECT_TRUE(statistics.end_step());
  EXPECT_EQ(module(statistics.history().back(), "first").calls, 1);
}

struct Identity : nn::Module {
  Tensor forward(const Tensor& input) override { return input; }
};

TEST(NetworkStatistics, ModulesMayReturnTheirInput) {
  nn::Sequential net{Identity(), nn::Tanh()};
  const Tensor leaf = tensor<float>({1, 2}).requires_grad(true);
  NetworkStatistics statistics(net);
  for (const int step : {0, 100}) {
    statistics.begin_step(step);
    sum(net(leaf)).backward();
    statistics.before_update();
    statistics.end_step();
    EXPECT_EQ(module(statistics.history().back(), "0").gradients.elements, 2) << "no hook stays on the leaf";
  }
}

/// A step of a network of `layers` and a Linear before and after them, in modules inside each other.
template <class... Layers>
StepStatistics measured_around(Layers... layers) {
  const nn::LinearOptions size{.in = 2, .out = 2};
  nn::Sequential net(nn::Linear(size), nn::Sequential(nn::Tanh(), std::move(layers)...), nn::Linear(size));
  NetworkStatistics statistics(net);
  statistics.begin_step(0);
  sum(net(x)).backward();
  statistics.before_update();
  statistics.end_step();
  EXPECT_CONTAINS(statistics_svg(statistics.history()), "RMS of activations");
  return statistics.history().back();
}

TEST(NetworkStatistics, NamesTheFirstModuleThatIsNotFinite) {
  nn::Linear broken({.in = 2, .out = 2});
  {
    const NoGrad guard;
    fill_(select(broken.bias, 0, 1), nan);
  }
  const StepStatistics weights = measured_around(broken, nn::Tanh());
  EXPECT_EQ(weights.first_non_finite, "1.1") << "not the modules around it, nor those that its output goes through";
  EXPECT_GT(weights.non_finite(), 0);
  EXPECT_CONTAINS(weights.short_text(), "values not finite, first in 1.1");
  EXPECT_EQ(Json::parse(weights.json().text()).at("first_non_finite").string(), "1.1");

  // d√x/dx is infinite at 0: backward meets it in what comes before, the deepest module first.
  const StepStatistics gradients = measured_around([](const Tensor& y) { return sqrt(y * 0); });
  EXPECT_EQ(gradients.first_non_finite, "the gradients of 1.0");

  Net net;
  NetworkStatistics statistics(net);
  statistics.begin_step(0);
  sum(net(x)).backward();
  fill_(net.second.weight.grad(), infinity);
  statistics.before_update();
  statistics.end_step();
  EXPECT_EQ(statistics.history().back().first_non_finite, "second.weight");
  EXPECT_EQ(measured(net).first_non_finite, "");
}

TEST(NetworkStatistics, ClonesAreOtherNetworks) {
  Net net;
  NetworkStatistics statistics(net);
  statistics.begin_step(0);
  Net copy = nn::clone(net);
  sum(copy(x)).backward();
  sum(net(x)).backward();
  statistics.before_update();
  statistics.end_step();
  for (const ModuleStatistics& m : statistics.history().back().modules) EXPECT_EQ(m.calls, 1) << m.name;
}

TEST(NetworkStatistics, TextTellsNoGradientFromAGradientOfZero) {
  Net net;
  nn::freeze(net.first);
  const std::string text = measured(net).text();
  const auto line_of = [&](const std::string& name) {
    const std::size_t at = text.find("\n" + name);
    return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  };
  EXPECT_EQ(line_of("first.weight"),
            "first.weight      7.07e-01          -          -          -   0.00e+00   0.00e+00          0");
}

TEST(NetworkStatistics, FiguresBeyondTheirRangeAreNullInJson) {
  nn::Linear net({.in = 1, .out = 1, .bias = false});
  net.to(float64);
  {
    const NoGrad guard;
    fill_(net.weight, 1e200);
  }
  NetworkStatistics statistics(net);
  statistics.begin_step(0);
  sum(net(ones({1, 1}, {.dtype = float64}))).backward();
  statistics.before_update();
  statistics.end_step();
  const Json weight = Json::parse(statistics.history().back().json().text()).at("parameters").items()[0].at("weight");
  EXPECT_EQ(weight.at("max_abs").number(), 1e200);
  EXPECT_EQ(weight.at("rms").kind(), Json::Kind::null);
}

TEST(NetworkStatistics, CapturedStepsAreMeasuredEagerly) {
  Net net;
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  NetworkStatistics statistics(net, {.every = 4});
  test::NoGraphs driver;
  CapturedStep step(
      [&](const Tensor& batch) {
        optimizer.zero_grad();
        sum(net(batch)).backward();
        statistics.before_update();
        optimizer.step();
        return Tensor(batch);
      },
      {.warmup = 1, .driver = &driver});
  step.watch(net);
  step.watch(optimizer);
  for (int n = 0; n < 9; ++n) {
    statistics.begin_step(n);
    if (statistics.is_measuring()) step.call_eagerly({x});
    else step.call({x});
    statistics.end_step();
  }
  EXPECT_EQ(step.counts().captured, 1) << "an eager step leaves the graph as it is";
  EXPECT_EQ(step.counts().replayed, 5);
  EXPECT_EQ(step.counts().eager, 4) << "three measured, one to warm up";
  EXPECT_EQ(step.reason(), "it was called eagerly");
  ASSERT_EQ(statistics.history().size(), 3u);
  for (const StepStatistics& measured : statistics.history()) EXPECT_EQ(module(measured, "first").calls, 1);
}

TEST(NetworkStatistics, AReplayedStepHasNoModules) {
  Net net;
  NetworkStatistics statistics(net, {.every = 1});
  statistics.begin_step(0);
  statistics.before_update();
  statistics.end_step();
  EXPECT_TRUE(statistics.history().back().modules.empty());
  EXPECT_CONTAINS(statistics.history().back().text(), "a captured step that is replayed runs no hooks");
}

TEST(NetworkStatistics, EventsTextAndJsonHaveTheFigures) {
  const test::TemporaryFolder folder;
  Net net;
  NetworkStatistics statistics(net, {.every = 2, .history = 2});
  EventWriter events(folder.path());
  statistics.log(events);
  for (int step = 0; step < 6; ++step) {
    statistics.begin_step(step);
    net.zero_grad();
    sum(net(x)).backward();
    statistics.before_update();
    if (statistics.end_step()) statistics.log(events);
  }
  ASSERT_EQ(statistics.history().size(), 2u) << "older ones are dropped";
  EXPECT_EQ(statistics.history().front().step, 2);
  std::map<std::string, std::vector<EventRecord>> found;
  for (const EventRecord& event : read_events(events.path()).events) found[event.tag].push_back(event);
  ASSERT_EQ(found["activations_rms/first"].size(), 3u);
  EXPECT_NEAR(found["activations_rms/first"][2].value, std::sqrt(30.0 / 4), 1e-6);
  EXPECT_EQ(found["activations_rms/first"][2].step, 4);
  EXPECT_EQ(found["activations_zeros/relu"].at(0).value, 0.25);
  EXPECT_EQ(found["gradients_rms/second"].at(0).value, 1);
  EXPECT_EQ(found["update_ratio/second.weight"].at(0).value, 0) << "no optimizer";
  EXPECT_NEAR(found["parameter_gradients_rms/second.weight"].at(0).value, std::sqrt(10.0), 1e-6);
  EXPECT_EQ(found["statistics/non_finite"].at(0).value, 0);

  const StepStatistics& last = statistics.history().back();
  const Json json = Json::parse(last.json().text());
  EXPECT_EQ(json.at("modules").items()[1].at("name").string(), "first");
  EXPECT_EQ(json.at("modules").items()[1].at("activations").at("max_abs").number(), 4);
  EXPECT_EQ(json.at("parameters").items()[1].at("update_ratio").number(), 0);
  EXPECT_CONTAINS(last.text(), "second.weight");
  EXPECT_CONTAINS(last.text(), "25.0%");
  EXPECT_CONTAINS(last.short_text(), "rms of activations 1.87e+00 to 5.10e+00 (Net)");
  const std::string picture = statistics_svg(statistics.history());
  for (const char* part : {"RMS of activations", "RMS of their gradients", ">first<", ">second.weight<"})
    EXPECT_CONTAINS(picture, part);
}

}  // namespace
}  // namespace minima::train::network_statistics_test
