#include "simulated/tests/distributed/ranks.h"

#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/train/captured_step/captured_step.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

// Sharded training over simulated NCCL: the numbers are the CPU's in every order, and ranks that die or stop while the
// others gather are named. MINIMA_SIMULATED_SEEDS orders and MINIMA_FAULTS faults, or a few.

namespace minima::sharding_test {
namespace {

using distributed::ProcessGroup;

class SimulatedSharding : public DistributedOnSimulatedGpus {};

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

nn::Sequential layers() {
  nn::Sequential net;
  for (int i = 0; i < 3; ++i) net.push_back(nn::Sequential(nn::Linear({.in = 7, .out = 7}), nn::Tanh()));
  return net;
}

/// The same in every thread; they share the generator.
nn::Sequential initial_net() {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  manual_seed(7);
  return layers();
}

constexpr std::int64_t per_rank = 3;

/// Inputs of a step, of all ranks.
Tensor batch(std::int64_t ranks, int step) {
  std::vector<float> values(static_cast<std::size_t>(ranks * per_rank * 7));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i * 5 + static_cast<std::size_t>(step) * 11));
  return from_vector(values, {ranks * per_rank, 7});
}

/// The parameters after three steps of one process on the CPU, or of a rank that is late at random.
std::vector<double> trained(Device device, int ranks, const ProcessGroup* group = nullptr, int stage = 3,
                            std::uint64_t seed = 0) {
  nn::Sequential net = initial_net();
  net.to(device);
  std::optional<distributed::Sharding> sharding;
  if (group) sharding.emplace(distributed::shard(net, distributed::children_of(net), *group, {.stage = stage}));
  std::mt19937_64 random(seed * 64 + static_cast<std::uint64_t>(group ? group->rank() : 0));
  const auto be_late = [&] {
    if (group && random() % 4 == 0) pause(1e-6 * static_cast<double>(random() % 2000));
  };
  optim::SGD optimizer(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  for (int i = 0; i < 3; ++i) {
    const Tensor all = batch(ranks, i);
    const Tensor x = group ? slice(all, 0, group->rank() * per_rank, (group->rank() + 1) * per_rank) : all;
    optimizer.zero_grad();
    be_late();
    const Tensor loss = mean(square(net(x.to(device))));
    be_late();
    loss.backward();
    be_late();
    optim::clip_grad_norm_(net.parameters(), 0.05);
    optimizer.step();
  }
  const State state = sharding ? sharding->gather_state() : net.state_dict();
  std::vector<double> values;
  for (const auto& [name, tensor] : state.tensors())
    for (const double value : tensor.to_vector<double>()) values.push_back(value);
  return values;
}

TEST_F(SimulatedSharding, FollowsTheCpuInEveryOrder) {
  const char* const given = std::getenv("MINIMA_SIMULATED_SEEDS");
  const std::uint64_t seeds = given ? std::stoull(given) : 3;
  const std::vector<double> expected = trained(Device::cpu(), 4);
  expect_all_well(run_ranks(4, [&](const ProcessGroup& group, Device device) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      if (group.is_first()) simulated::reseed(seed);
      const int stage = static_cast<int>(seed % 3) + 1;
      const std::vector<double> ours = trained(device, 4, &group, stage, seed);
      test::require(ours.size() == expected.size(), "as many parameters");
      for (std::size_t i = 0; i < ours.size(); ++i)
        test::require(std::abs(ours[i] - expected[i]) < 1e-6,
                      "seed " + std::to_string(seed) + ", stage " + std::to_string(stage));
    }
  }));
}

// --- faults, in processes of their own ---

constexpr double timeout = 2;
constexpr const char* pipe_variable = "MINIMA_TEST_PIPE";
constexpr const char* captured_variable = "MINIMA_TEST_CAPTURED";

/// A rank's program: it trains until another fails. Started by the test below.
TEST(SimulatedShardingRank, DISABLED_Trains) {
  const char* const pipe = std::getenv(pipe_variable);
  if (!pipe) return;
  const distributed::Environment environment = distributed::environment();
  const test::Rank rank{environment, std::atoi(pipe)};
  try {
    const Device device = Device::cuda(environment.local_rank);
    const ProcessGroup group =
        distributed::init(environment, {.backend = "nccl", .device = device, .timeout = timeout});
    nn::Sequential net = layers();
    net.to(device);
    const distributed::Sharding sharding = distributed::shard(net, distributed::children_of(net), group);
    const Tensor x = ones({3, 7}, {.device = device});
    train::CapturedStep step(
        [&](const Tensor& input) {
          net.zero_grad();
          const Tensor loss = mean(square(net(input)));
          loss.backward();
          return loss;
        },
        {.enabled = std::getenv(captured_variable) != nullptr});
    for (int i = 0; i < 1'000'000; ++i) {
      if (i == 5) rank.say("here");
      step(x).item<float>();  // at most a step's work is on its way
    }
  } catch (const std::exception& error) {
    rank.say(error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

/// Replaces a forked process by this program as a rank: nothing of CUDA survives a fork.
void become_rank(const test::Rank& rank) {
  const auto set = [](const char* name, int value) { ::setenv(name, std::to_string(value).c_str(), 1); };
  set("RANK", rank.environment.rank);
  set("WORLD_SIZE", rank.environment.world_size);
  set("LOCAL_RANK", rank.environment.local_rank);
  set("LOCAL_WORLD_SIZE", rank.environment.local_world_size);
  set("MASTER_PORT", rank.environment.port);
  ::setenv("MASTER_ADDR", "127.0.0.1", 1);
  ::setenv("MINIMA_JOB_TOKEN", rank.environment.token.c_str(), 1);
  set(pipe_variable, ::dup(rank.pipe));  // the other is closed
  ::setenv("MINIMA_SIMULATED_GPUS", "4xH100", 1);
  if (!std::freopen("/dev/null", "w", stdout)) ::_exit(3);
  ::execl("/proc/self/exe", "rank", "--gtest_also_run_disabled_tests", "--gtest_filter=SimulatedShardingRank.*",
          static_cast<char*>(nullptr));
  ::_exit(3);
}

/// A survivor's mistake; none if it named the victim and the operation.
std::string complaint(int rank, int victim, const test::Outcome& outcome) {
  const std::string who = "rank " + std::to_string(rank) + " ";
  if (outcome.hung) return who + "hung";
  if (outcome.exit_code != 1) return who + "ended with " + std::to_string(outcome.exit_code) + ": " + outcome.text;
  const auto says = [&](const std::string& text) { return outcome.text.find(text) != std::string::npos; };
  const std::string number = std::to_string(victim);
  if (!says("rank " + number + " ") && !says("rank " + number + ",") && !says("ranks " + number))
    return who + "does not name rank " + number + ": " + outcome.text;
  if (!says("all_gather") && !says("reduce_scatter") && !says("all_reduce") && !says("captured"))
    return who + "does not name the operation: " + outcome.text;
  return "";
}

TEST(SimulatedShardingFaults, EveryRankNamesTheOneThatDiesOrStops) {
  const char* const given = std::getenv("MINIMA_FAULTS");
  const int count = given ? std::atoi(given) : 4;
  std::mt19937 random(1);
  int complaints = 0;
  double longest[2] = {};
  for (int i = 0; i < count; ++i) {
    const bool stops = i % 2 == 1, is_captured = i / 2 % 2 == 1;
    if (is_captured) ::setenv(captured_variable, "1", 1);
    else ::unsetenv(captured_variable);
    const int victim = static_cast<int>(random() % 4);
    test::Processes processes(4, become_rank);
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    processes.wait_for_line(victim, 30);
    pause(1e-3 * static_cast<double>(random() % 300));
    const double at = seconds();
    ::kill(processes.id(victim), stops ? SIGSTOP : SIGKILL);
    std::vector<int> survivors;
    for (int rank = 0; rank < 4; ++rank)
      if (rank != victim) survivors.push_back(rank);
    const std::vector<test::Outcome> outcomes = processes.wait(at + timeout + 15, survivors);
    for (const int rank : survivors) {
      const test::Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
      const std::string wrong = complaint(rank, victim, outcome);
      EXPECT_EQ(wrong, "") << "fault " << i << "; rank " << survivors[0] << ": "
                           << outcomes[static_cast<std::size_t>(survivors[0])].text;
      EXPECT_LT(outcome.seconds - at, timeout + 5) << "fault " << i;
      complaints += !wrong.empty();
      longest[stops ? 1 : 0] = std::max(longest[stops ? 1 : 0], outcome.seconds - at);
    }
  }
  std::printf("%d faults, %d wrong or missing messages; the last rank ended %.2f s after a kill, %.2f s after a stop\n",
              count, complaints, longest[0], longest[1]);
}

}  // namespace
}  // namespace minima::sharding_test
