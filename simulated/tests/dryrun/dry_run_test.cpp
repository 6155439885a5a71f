#include "simulated/dryrun/dry_run.h"

#include "simulated/simulation.h"

#include <minima/minima.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace minima::dry_run_test {

using simulated::DryRun;
using simulated::DryRunReport;

namespace {

struct Net : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 64, .out = 64}));
  nn::Linear b = child("b", nn::Linear({.in = 64, .out = 64}));
  Tensor forward(const Tensor& x) override { return b(gelu(a(x))); }
};

class DryRunOfAStep : public ::testing::Test {
 protected:
  const Device device = Device::cuda();
  DryRun dry{device};
  Net net;
  Tensor x = zeros({32, 64}, {.device = device});
  void SetUp() override { net.to(device); }
  Tensor loss() { return mean(net(x)); }
};

std::int64_t count(const DryRunReport& report, const std::string& op, const std::string& module, bool backward) {
  std::int64_t found = 0;
  for (const simulated::Piece& piece : report.pieces)
    found += piece.label.op.starts_with(op) && piece.label.module == module && piece.label.backward == backward;
  return found;
}

TEST_F(DryRunOfAStep, LabelsWorkWithOperatorAndModule) {
  const DryRunReport report = dry.run(net, [&] {
    net.zero_grad();
    const Tensor y = loss();
    y.backward();
    return y;
  });
  EXPECT_EQ(count(report, "linear", "a", false), 1);
  EXPECT_EQ(count(report, "linear", "b", false), 1);
  EXPECT_EQ(count(report, "gelu", "", false), 1) << "between the layers";
  EXPECT_GE(count(report, "linear", "a", true), 1);
  EXPECT_GE(count(report, "linear", "b", true), 2) << "gradients by input and weight";
  EXPECT_EQ(count(report, "gelu", "", true), 1);
  for (const simulated::Piece& piece : report.pieces) EXPECT_FALSE(piece.label.op.empty()) << piece.name;
}

TEST_F(DryRunOfAStep, SteadyStepsNeitherWaitNorAllocate) {
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
  const DryRunReport report = dry.run(net, [&] {
    optimizer.zero_grad();
    const Tensor y = loss();
    y.backward();
    optim::clip_grad_norm_(net.parameters(), 1.0);
    optimizer.step();
    return y;
  });
  EXPECT_EQ(report.synchronisations, 0);
  EXPECT_EQ(report.allocations, 0);
  EXPECT_EQ(report.page_moves, 0);
  EXPECT_GT(report.predicted_ms, 0);
  EXPECT_GE(report.predicted_ms, report.host_ms);
}

TEST_F(DryRunOfAStep, ConvertsItsWeightsInOneLaunch) {
  const DryRunReport report = dry.run(net, [&] {
    net.zero_grad();
    Tensor y;
    {
      const amp::Autocast guard(device.type);
      y = loss();
    }
    y.backward();
    return y;
  });
  EXPECT_EQ(count(report, "copy", "a", false), 2) << "one of the input, one of four weights";
  EXPECT_EQ(count(report, "copy", "b", false), 0);
}

/// Beside 256 MiB of gradients and a workspace, of which a graph has its own.
TEST(DryRuns, ACaptureNeedsOneWorkspaceMoreThanEagerSteps) {
  const Device device = Device::cuda();
  DryRun dry(device);
  nn::Linear net({.in = 8192, .out = 8192});
  net.to(device);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const Tensor x = zeros({32, 8192}, {.device = device});
  const auto run = [&](bool captured) {
    train::CapturedStep step(
        [&](const Tensor& inputs) {
          optimizer.zero_grad();
          const Tensor y = mean(net(inputs));
          y.backward();
          optimizer.step();
          return y;
        },
        {.enabled = captured});
    step.watch(net);
    step.watch(optimizer);
    reset_peak(device);
    const DryRunReport report = dry.run(net, [&] { return step(x); });
    EXPECT_EQ(step.reason().empty(), captured) << step.reason();
    return report;
  };
  const DryRunReport eager = run(false), captured = run(true);
  constexpr std::int64_t workspace = 80 << 20, input = 1 << 20, result = 512;
  EXPECT_LE(captured.peak_bytes, eager.peak_bytes + workspace + input + result);
  EXPECT_LE(captured.launches, eager.launches + 2) << "copies of the input and the result";
}

TEST_F(DryRunOfAStep, MeasuresWhatTheProgramTakesBetweenTheCalls) {
  const double in_calls = simulated::seconds_in_calls();
  const double program = dry.program_ms([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return loss();
  });
  EXPECT_GE(program, 3);
  EXPECT_GT(simulated::seconds_in_calls(), in_calls);
}

TEST_F(DryRunOfAStep, MayReadTheLossWhichIsOne) {
  Tensor last;
  double read = 0;
  dry.run(net, [&] {
    if (last.defined()) read = last.item<float>();
    return last = loss();
  });
  EXPECT_EQ(read, 1);
}

TEST_F(DryRunOfAStep, MayReadWhatWasAnnounced) {
  const Tensor steps = zeros({1}, {.dtype = int64, .device = device});
  DryRun::will_read(steps, 7);
  EXPECT_EQ(steps.item<std::int64_t>(), 7);
  EXPECT_THROW(DryRun::will_read(x, 0), ValueError);
}

TEST_F(DryRunOfAStep, ThrowsAtOtherReadsAndNamesTheOperator) {
  try {
    dry.run(net, [&] {
      const Tensor y = net(x);
      y[0][0].item<float>();
      return y;
    });
    FAIL() << "it read a value";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("linear of b"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("will_read"), std::string::npos) << error.what();
  }
}

TEST_F(DryRunOfAStep, CountsPeakMemoryByPurpose) {
  const DryRunReport report = dry.run(net, [&] {
    net.zero_grad();
    const Tensor y = loss();
    y.backward();
    return y;
  });
  std::int64_t sum = 0;
  for (const std::int64_t bytes : report.peak_by) sum += bytes;
  EXPECT_LE(sum, report.peak_bytes);
  const auto by = [&](Purpose purpose) { return report.peak_by[static_cast<std::size_t>(purpose)]; };
  const std::int64_t weights = 2 * 4 * (64 * 64 + 64);
  EXPECT_GE(by(Purpose::parameters), weights);
  EXPECT_LE(by(Purpose::parameters), weights + 4 * 512) << "each is rounded up";
  EXPECT_GE(by(Purpose::gradients), weights / 2) << "of the second layer, when backward is in the first";
  EXPECT_LE(by(Purpose::gradients), weights + 4 * 512);
  EXPECT_GT(by(Purpose::activations), 0);
  EXPECT_GE(report.peak_bytes, 3 * 4 * 64 * 64) << "weights and half of their gradients";
}

TEST(DryRuns, NeedAGpu) { EXPECT_THROW(DryRun(Device::cpu()), DeviceError); }

}  // namespace
}  // namespace minima::dry_run_test
