#include "simulated/tests/distributed/ranks.h"

#include <minima/distributed/data_parallel.h>
#include <minima/minima.h>
#include <minima/tensor/base/format.h>
#include <minima/train/captured_step/captured_step.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace minima::data_parallel_test {
namespace {

using distributed::ProcessGroup;

class SimulatedDataParallel : public DistributedOnSimulatedGpus {};

struct Net : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 6, .out = 8}));
  nn::Linear b = child("b", nn::Linear({.in = 8, .out = 3}));
  Tensor forward(const Tensor& x) override { return b(tanh(a(x))); }
};

/// The same in every thread; they share the generator.
Net initial_net() {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  manual_seed(7);
  return Net();
}

constexpr std::int64_t per_rank = 4;

/// Inputs of a step, of all ranks.
Tensor batch(std::int64_t ranks, int step) {
  std::vector<float> values(static_cast<std::size_t>(ranks * per_rank * 6));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i * 7 + static_cast<std::size_t>(step) * 13));
  return from_vector(values, {ranks * per_rank, 6});
}

std::vector<double> all_values(const nn::ModuleBase& net) {
  std::vector<double> values;
  for (const Tensor& parameter : net.parameters())
    for (const double value : parameter.detach().to_vector<double>()) values.push_back(value);
  return values;
}

/// The parameters after three steps: of one process on the CPU with the whole batch, or of a rank.
std::vector<double> trained(const Device device, const ProcessGroup* group, bool captured = false, int ranks = 2) {
  Net net = initial_net();
  net.to(device);
  std::optional<distributed::DistributedDataParallel> parallel;
  if (group)
    parallel.emplace(net, *group, distributed::DataParallelOptions{.first_bucket_bytes = 1, .bucket_bytes = 64});
  optim::SGD optimizer(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  train::CapturedStep step(
      [&](const Tensor& x) {
        optimizer.zero_grad();
        const Tensor loss = mean(square(net(x)));
        loss.backward();
        optimizer.step();
        return loss;
      },
      {.enabled = captured});
  step.watch(net);
  step.watch(optimizer);
  for (int i = 0; i < (captured ? 6 : 3); ++i) {
    const Tensor all = batch(ranks, i);
    step((group ? slice(all, 0, group->rank() * per_rank, (group->rank() + 1) * per_rank) : all).to(device));
  }
  if (captured && device.is_cuda())
    test::require(step.counts().replayed == 3, str(step.counts().replayed, " replays; ", step.reason()));
  return all_values(net);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

constexpr double rounding = 1e-6;

// MINIMA_SIMULATED_SEEDS orders, as many as a test has time for unless that says otherwise.
TEST_F(SimulatedDataParallel, FollowsTheCpuInEveryOrder) {
  const char* const given = std::getenv("MINIMA_SIMULATED_SEEDS");
  const std::uint64_t seeds = given ? std::stoull(given) : 6;
  for (const int ranks : {2, 4}) {
    const std::vector<double> expected = trained(Device::cpu(), nullptr, false, ranks);
    expect_all_well(run_ranks(ranks, [&](const ProcessGroup& group, Device device) {
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        if (group.is_first()) simulated::reseed(seed);
        const double difference = distance(trained(device, &group, false, ranks), expected);
        test::require(difference < rounding, "seed " + std::to_string(seed) + ": " + std::to_string(difference));
      }
    }));
  }
}

// A bucket's all-reduce starts inside backward, which the step captures.
TEST_F(SimulatedDataParallel, ACapturedStepFollowsTheCpu) {
  const std::vector<double> expected = trained(Device::cpu(), nullptr, true);
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const double difference = distance(trained(device, &group, true), expected);
    test::require(difference < rounding, "the difference from the CPU: " + std::to_string(difference));
  }));
}

// One process started by hand: the same program as for several, but nothing to communicate.
TEST_F(SimulatedDataParallel, AProcessThatIsAloneReplaysItsCapturedStep) {
  const ProcessGroup group = distributed::init(distributed::Environment{}, {.device = Device::cuda(1)});
  Net net = initial_net();
  net.to(group.device());
  const distributed::DistributedDataParallel parallel(net, group);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  train::CapturedStep step([&](const Tensor& x) {
    optimizer.zero_grad();
    const Tensor loss = mean(square(net(x)));
    loss.backward();
    optimizer.step();
    return loss;
  });
  step.watch(net);
  step.watch(optimizer);
  double last = 1e9;
  for (int i = 0; i < 6; ++i) {
    const double loss = step(batch(1, 0).to(group.device())).item<double>();
    EXPECT_LT(loss, last) << "step " << i;
    last = loss;
  }
  EXPECT_GE(step.counts().replayed, 1) << step.reason();
}

}  // namespace
}  // namespace minima::data_parallel_test
