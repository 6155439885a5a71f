#include <minima/profiler/profile.h>

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace minima::profiler::profile_test {
namespace {

constexpr Roof roof{.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};

struct Net : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 24, .out = 32}));
  nn::Linear b = child("b", nn::Linear({.in = 32, .out = 10}));
  bool fails = false;
  Tensor forward(const Tensor& x) {
    Tensor h = relu(a(x));
    if (fails) throw std::runtime_error("planted");
    return b(h);
  }
};

const Row* find(const Report& report, const std::string& op, const std::string& module, bool backward) {
  const auto found = std::find_if(report.rows.begin(), report.rows.end(), [&](const Row& row) {
    return row.op == op && row.module == module && row.backward == backward;
  });
  return found == report.rows.end() ? nullptr : &*found;
}

void train(Net& net, Profile& profile, int steps) {
  const Tensor x = randn({16, 24}), y = randint(0, 10, {16}, {.dtype = int64});
  for (int i = 0; i < steps; ++i) {
    net.zero_grad();
    cross_entropy(net(x), y).backward();
    profile.step();
  }
}

TEST(Profile, CountsForwardAndBackwardByModule) {
  Net net;
  Profile profile;
  profile.watch(net);
  train(net, profile, 3);
  const Report report = profile.report(roof);
  EXPECT_EQ(report.steps, 3);
  const double product = 2.0 * 16 * 24 * 32;  // multiply-adds of a call of `a`, of which backward skips the one for x
  const Row* const forward = find(report, "linear", "a", false);
  ASSERT_TRUE(forward) << report.text(50, true);
  EXPECT_EQ(forward->calls, 3);
  EXPECT_NEAR(forward->flops, 3 * product, 3 * 16 * 32);  // and the bias
  const Row* const backward = find(report, "linear_weight_gradient", "a", true);
  ASSERT_TRUE(backward) << report.text(50, true);
  EXPECT_EQ(backward->calls, 3);
  EXPECT_DOUBLE_EQ(backward->flops, 3 * product);
  EXPECT_FALSE(find(report, "linear_input_gradient", "a", true));
  EXPECT_TRUE(find(report, "linear_input_gradient", "b", true)) << report.text(50, true);
  EXPECT_TRUE(find(report, "cross_entropy", "", false)) << report.text(50, true);
}

TEST(Profile, AccountsForAllTime) {
  Net net;
  Profile profile;
  profile.watch(net);
  train(net, profile, 5);
  const Report report = profile.report(roof);
  const Ledger& ledger = report.ledger;
  EXPECT_NEAR(ledger.total(), report.seconds / 5, 1e-6 * report.seconds);
  for (const double part : {ledger.calls, ledger.engine, ledger.host}) EXPECT_GT(part, 0);
  EXPECT_EQ(ledger.loader, 0);
}

TEST(Profile, SkipsStepsAndEndsByItself) {
  Net net;
  Profile profile({.skip = 2, .steps = 3});
  profile.watch(net);
  EXPECT_FALSE(profile.is_recording());
  train(net, profile, 2);
  EXPECT_TRUE(profile.is_recording());
  train(net, profile, 3);
  EXPECT_FALSE(profile.is_recording());
  EXPECT_FALSE(profile.step());
  EXPECT_EQ(observer(), nullptr);
  const Report report = profile.report(roof);
  EXPECT_EQ(report.steps, 3);
  EXPECT_EQ(find(report, "linear", "b", false)->calls, 3);
}

TEST(Profile, RecordsInCycles) {
  Net net;
  std::vector<std::int64_t> ends;
  std::int64_t step = 0;
  Profile profile({.skip = 1, .steps = 2, .wait = 3, .warmup = 1, .repeat = 2, .ready = [&](Profile& p) {
                     const Report report = p.report(roof);
                     EXPECT_EQ(report.steps, 2);
                     EXPECT_EQ(find(report, "linear", "b", false)->calls, 2) << "not those of the warm-up";
                     ends.push_back(step);
                   }});
  profile.watch(net);
  std::vector<std::int64_t> recorded;
  const Tensor x = randn({16, 24}), y = randint(0, 10, {16}, {.dtype = int64});
  for (bool goes_on = true; goes_on;) {
    ++step;
    if (profile.is_recording()) recorded.push_back(step);
    cross_entropy(net(x), y).backward();
    goes_on = profile.step();
  }
  EXPECT_EQ(recorded, (std::vector<std::int64_t>{5, 6, 7, 11, 12, 13})) << "with the warm-up";
  EXPECT_EQ(ends, (std::vector<std::int64_t>{7, 13}));
  EXPECT_FALSE(profile.is_recording());
  EXPECT_EQ(profile.report(roof).steps, 2) << "the last cycle's";
}

TEST(Profile, RepeatsUntilStopped) {
  int cycles = 0;
  Profile profile({.steps = 1, .wait = 1, .repeat = 0, .ready = [&](Profile&) { ++cycles; }});
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(profile.step());
  EXPECT_EQ(cycles, 10);
  profile.stop();
  EXPECT_FALSE(profile.step());
}

TEST(Profile, WithoutStepsIsOneStep) {
  Profile profile;
  relu(ones({8}));
  const Report report = profile.report(roof);
  EXPECT_EQ(report.steps, 1);
  EXPECT_EQ(find(report, "relu", "", false)->calls, 1);
}

TEST(Profile, NestsAndRestoresWhatWasObserved) {
  Profile outer;
  {
    Profile inner;
    relu(ones({8}));
    EXPECT_EQ(find(inner.report(roof), "relu", "", false)->calls, 1);
  }
  relu(ones({8}));
  EXPECT_EQ(find(outer.report(roof), "relu", "", false)->calls, 2);
  EXPECT_EQ(observer(), nullptr);
}

TEST(Profile, SurvivesExceptions) {
  Net net;
  Profile profile;
  profile.watch(net);
  net.fails = true;
  EXPECT_THROW(net(zeros({16, 24})), std::exception);
  EXPECT_THROW(matmul(zeros({2, 3}), zeros({2, 3})), ShapeError);
  profile.step();
  net.fails = false;
  train(net, profile, 1);
  const Report report = profile.report(roof);
  EXPECT_EQ(find(report, "linear", "a", false)->calls, 2);
  EXPECT_EQ(find(report, "cross_entropy", "", false)->calls, 1);
  for (const Span& span : profile.recording().spans) EXPECT_GE(span.end, span.begin);
}

TEST(Profile, HasTheUsersRanges) {
  { Range range("unrecorded"); }
  Profile profile;
  {
    Range range("augment");
    relu(ones({8}));
  }
  profile.stop();
  const Recording& recording = profile.recording();
  ASSERT_GE(recording.spans.size(), 2u);
  EXPECT_EQ(recording.spans[0].kind, SpanKind::range);
  EXPECT_EQ(recording.name(recording.spans[0]), "augment");
  EXPECT_EQ(recording.spans.back().parent, 0);
}

TEST(Profile, AsksWatchedLoadersHowLongTheLoopWaited) {
  struct {
    struct Stage {
      double waiting_for_input = 0;
    };
    struct Stats {
      Stage compute;
    };
    Stats stats() const { return {{waited}}; }
    double waited = 5;
  } loader;
  Profile profile({.skip = 1});
  profile.watch_loader(loader);
  loader.waited = 6;
  profile.step();
  loader.waited = 6.25;
  profile.step();
  profile.stop();
  EXPECT_DOUBLE_EQ(profile.recording().loader_seconds, 0.25);
}

TEST(Profile, RefusesNegativeCounts) {
  EXPECT_THROW(Profile({.skip = -1}), ValueError);
  EXPECT_THROW(Profile({.wait = -1}), ValueError);
  EXPECT_THROW(Profile({.repeat = -1}), ValueError);
}

}  // namespace
}  // namespace minima::profiler::profile_test
