#include <minima/minima.h>
#include <minima/profiler/profile.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

// What a GPU's work belongs to, and that its time adds up: on a GPU by CUPTI, on simulated ones by what stands in for
// it.

namespace minima::profiler::gpu_activity_test {
namespace {

class GpuActivity : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
    x_ = randn({16, 24}, {.device = device_});
    net_.to(device_);
  }
  Tensor loss() { return sum(net_(x_)); }
  void step() {
    net_.zero_grad();
    loss().backward();
  }

  const Device device_ = Device::cuda();
  nn::Sequential net_{nn::Linear({.in = 24, .out = 32}), nn::ReLU(), nn::Linear({.in = 32, .out = 8})};
  Tensor x_;
};

/// The rows of an operator, of all modules.
Row sum_of(const Report& report, const std::string& op, bool backward) {
  for (const Row& row : report.by_op())
    if (row.op == op && row.backward == backward) return row;
  return {};
}

double busy_seconds(const Recording& recording) {
  double seconds = 0;
  for (const GpuWork& work : recording.gpu.work) seconds += work.seconds();
  return seconds;
}

TEST_F(GpuActivity, BelongsToTheOperatorThatLaunchedIt) {
  Profile profile({.skip = 1, .steps = 2});
  profile.watch(net_);
  do step();
  while (profile.step());
  const Report report = profile.report();
  ASSERT_EQ(report.gpu, GpuSource::cupti) << report.without_cupti;
  std::set<std::string> modules;
  double seconds = 0;
  for (const Row& row : report.rows) {
    EXPECT_GT(row.kernels, 0) << row.op;
    seconds += row.seconds;
    if (row.op == "linear" && !row.backward) modules.insert(row.module);
  }
  EXPECT_EQ(modules, (std::set<std::string>{"0", "2"})) << report.text(20, true);
  EXPECT_DOUBLE_EQ(sum_of(report, "linear", false).flops, 2 * 2.0 * 16 * (24 * 32 + 32 * 8));
  EXPECT_GT(sum_of(report, "linear", false).host_seconds, 0);
  EXPECT_GT(sum_of(report, "linear", false).seconds, 0);
  EXPECT_EQ(sum_of(report, "linear", false).calls, 4);
  EXPECT_GT(sum_of(report, "linear_weight_gradient", true).kernels, 0) << report.text(20);
  EXPECT_NEAR(seconds, busy_seconds(profile.recording()), 1e-9);
}

TEST_F(GpuActivity, LedgerAddsUpToTheStep) {
  Profile profile({.skip = 2, .steps = 5});
  do {
    step();
    static_cast<void>(loss().item<float>());
  } while (profile.step());
  const Report report = profile.report();
  const double step_seconds = report.seconds / 5;
  EXPECT_NEAR(report.ledger.total(), step_seconds, 0.02 * step_seconds) << report.text();
  EXPECT_GT(report.ledger.memory + report.ledger.compute, 0);
  EXPECT_GT(report.ledger.launch, 0);
  EXPECT_GT(report.ledger.synchronization, 0);
  EXPECT_GE(report.from_device.bytes, 4) << "the loss is copied";
  EXPECT_EQ(report.ledger.calls, 0);
  EXPECT_LE(busy_seconds(profile.recording()), report.seconds);
}

TEST_F(GpuActivity, WorkOfTwoStreamsIsInTwoRows) {
  const Tensor a = randn({64, 64}, {.device = device_});
  const Stream other = Stream::create(device_);
  synchronize(device_);
  Profile profile;
  const NoGrad guard;
  static_cast<void>(matmul(a, a));
  {
    const StreamGuard on(other);
    static_cast<void>(relu(a));
  }
  profile.step();
  synchronize(device_);
  const std::string trace = profile.chrome_trace();
  std::set<std::int32_t> matmul_streams, relu_streams;
  const Recording& recording = profile.recording();
  for (const GpuWork& work : recording.gpu.work) {
    ASSERT_GE(work.span, 0);
    const std::string& op = recording.name(recording.spans[static_cast<std::size_t>(work.span)]);
    (op == "relu" ? relu_streams : matmul_streams).insert(work.stream);
  }
  EXPECT_EQ(matmul_streams.size(), 1u);
  EXPECT_EQ(relu_streams.size(), 1u);
  EXPECT_NE(matmul_streams, relu_streams);
  for (const std::int32_t stream : matmul_streams)
    EXPECT_NE(trace.find("cuda:0, stream " + std::to_string(stream) + "\""), std::string::npos) << trace;
  // An arrow from each launch to its kernel.
  const Json events = Json::parse(trace).at("traceEvents");
  std::multiset<std::uint64_t> begins, ends;
  for (const Json& event : events.items())
    if (const Json* const kind = event.find("cat"); kind && kind->string() == "launch")
      (event.at("ph").string() == "s" ? begins : ends).insert(event.at("id").unsigned_integer());
  EXPECT_EQ(begins, ends);
  EXPECT_EQ(begins.size(), recording.gpu.work.size());
}

/// Replays launch one graph, whose kernels belong to the operators that were captured.
TEST_F(GpuActivity, OfACapturedStepBelongsToItsOperators) {
  train::CapturedStep captured([&](const Tensor& x) {
    net_.zero_grad();
    const Tensor result = sum(net_(x));
    result.backward();
    return result.detach();
  });
  captured.watch(net_);
  Profile profile({.skip = 6, .steps = 3});
  profile.watch(net_);
  do captured(x_);
  while (profile.step());
  ASSERT_GT(captured.counts().replayed, 3) << captured.reason();
  const Report report = profile.report();
  const Row forward = sum_of(report, "linear", false), backward = sum_of(report, "linear_weight_gradient", true);
  EXPECT_EQ(forward.calls, 6) << report.text(20, true);
  EXPECT_GT(forward.kernels, 0);
  EXPECT_DOUBLE_EQ(forward.flops, 3 * 2.0 * 16 * (24 * 32 + 32 * 8));
  EXPECT_GT(backward.kernels, 0);
  EXPECT_TRUE(std::any_of(report.rows.begin(), report.rows.end(),
                          [](const Row& row) { return row.op == "linear" && row.module == "2"; }));
}

TEST_F(GpuActivity, OfAStepCapturedBeforeTheProfileBelongsToItsLaunch) {
  train::CapturedStep captured([&](const Tensor& x) { return relu(x); }, {.warmup = 1});
  for (int i = 0; i < 3; ++i) captured(x_);
  Profile profile({.steps = 2});
  do captured(x_);
  while (profile.step());
  const Report report = profile.report();
  EXPECT_EQ(sum_of(report, "captured_step", false).calls, 2) << report.text();
  EXPECT_GE(sum_of(report, "captured_step", false).kernels, 2);
}

TEST_F(GpuActivity, WithoutAnOperatorBelongsToTheRange) {
  optim::SGD optimizer(net_.parameters(), {.lr = 0.1});
  step();
  Profile profile;
  {
    const Range range("update");
    optimizer.step();
  }
  profile.step();
  const Report report = profile.report();
  EXPECT_GT(sum_of(report, "range update", false).kernels, 0) << report.text();
}

TEST_F(GpuActivity, IsLeftOutOnRequest) {
  Profile profile({.steps = 1, .gpu = false});
  step();
  profile.step();
  const Report report = profile.report(Roof{.bytes_per_second = 1e10, .flops_per_second = 1e10, .call_seconds = 1e-6});
  EXPECT_EQ(report.gpu, GpuSource::none);
  EXPECT_TRUE(profile.recording().gpu.work.empty());
  EXPECT_EQ(report.json().find("gpu"), nullptr);
  EXPECT_EQ(report.ledger.launch, 0);
}

}  // namespace
}  // namespace minima::profiler::gpu_activity_test
