#include "tests/distributed/collectives.h"
#include "tests/distributed/processes.h"

#include <minima/distributed/data_parallel.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/tensor/base/format.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <optional>

// Needs GPUs, which ranks share where there are too few. NCCL refuses two ranks of one host on one GPU, so then each
// process pretends to be a separate host.

namespace minima::test::nccl_test {
namespace {

#define SKIP_WITHOUT_NCCL \
  if (count_gpus_apart() == 0) GTEST_SKIP() << "NCCL needs a GPU, and this machine has none"

/// Queried in a child process: a process that has used CUDA must not fork.
int count_gpus_apart() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(cuda::device_count());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

void look_like_a_host(int rank) {
  const std::string host = "rank" + std::to_string(rank);
  for (const auto& [name, value] : {std::pair{"NCCL_HOSTID", host.c_str()},
                                    {"NCCL_SOCKET_IFNAME", "lo"},
                                    {"NCCL_IB_DISABLE", "1"},
                                    {"NCCL_MNNVL_ENABLE", "0"},
                                    {"NCCL_NVLS_ENABLE", "0"},
                                    {"NCCL_ALGO", "Ring"},
                                    {"NCCL_PROTO", "Simple"},
                                    {"NCCL_MAX_CTAS", "1"}})
    ::setenv(name, value, 1);
}

/// Calls body in a process for each rank, with the rank's GPU: one of `gpus`.
void run_on_gpus(int count, int gpus, const Function<void(ProcessGroup&, Device)>& body) {
  Processes processes(count, [&](const Rank& rank) {
    if (gpus < count) look_like_a_host(rank.environment.rank);
    const Device device = Device::cuda(rank.environment.rank % gpus);
    ProcessGroup group = distributed::init(rank.environment, {.backend = "nccl", .device = device, .timeout = 60});
    body(group, device);
  });
  const std::vector<Outcome> outcomes = processes.wait(150);
  for (std::size_t r = 0; r < outcomes.size(); ++r)
    EXPECT_EQ(outcomes[r].exit_code, 0) << "rank " << r << " of " << count << " said: " << outcomes[r].text;
}

TEST(Nccl, EveryCollectiveInEveryDtype) {
  SKIP_WITHOUT_NCCL;
  for (const int size : {1, 2, 3}) run_on_gpus(size, 1, check_collectives);
}

TEST(Nccl, EveryCollectiveInEveryDtypeWithAGpuPerRank) {
  if (count_gpus_apart() < 2) GTEST_SKIP() << "fewer than two GPUs here";
  for (const int size : {2, 4})
    if (size <= count_gpus_apart()) run_on_gpus(size, size, check_collectives);
}

void check_gradients(ProcessGroup& group, Device device) {
  nn::Linear net({.in = 64, .out = 32});
  net.to(device);
  distributed::DistributedDataParallel parallel(net, group, {.first_bucket_bytes = 1, .bucket_bytes = 1});
  nn::Linear reference = nn::clone(net);
  std::vector<float> values(static_cast<std::size_t>(group.size()) * 8 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 37) / 18 - 1;
  const Tensor all = from_vector(values, {group.size() * 8, 64}).to(device);
  for (int step = 0; step < 2; ++step) {
    net.zero_grad();
    reference.zero_grad();
    mean(tanh(net(slice(all, 0, group.rank() * 8, group.rank() * 8 + 8)))).backward();
    mean(tanh(reference(all))).backward();
    require(allclose(net.weight.grad(), reference.weight.grad(), {1e-4, 1e-7}).ok, "the gradient of the weight");
    require(allclose(net.bias.grad(), reference.bias.grad(), {1e-4, 1e-7}).ok, "the gradient of the bias");
  }
}

TEST(Nccl, RanksHaveTheGradientOfTheWholeBatch) {
  SKIP_WITHOUT_NCCL;
  const int gpus = count_gpus_apart();
  for (const int size : {1, 2}) run_on_gpus(size, 1, check_gradients);
  for (const int size : {2, 4})
    if (size <= gpus) run_on_gpus(size, size, check_gradients);
}

void check_shards(ProcessGroup& group, Device device) {
  for (const int stage : {1, 2, 3}) {
    manual_seed(1);
    nn::Sequential net(nn::Linear({.in = 16, .out = 17}), nn::Linear({.in = 17, .out = 16}),
                       nn::Linear({.in = 16, .out = 3}));
    net.to(device);
    nn::Sequential reference = nn::clone(net);
    const distributed::Sharding sharding =
        distributed::shard(net, distributed::children_of(net), group, {.stage = stage});
    optim::AdamW optimizer(net.parameters(), {.lr = 1e-2}), alone(reference.parameters(), {.lr = 1e-2});
    std::vector<float> values(static_cast<std::size_t>(group.size()) * 8 * 16);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 37) / 18 - 1;
    const Tensor all = from_vector(values, {group.size() * 8, 16}).to(device);
    for (int step = 0; step < 2; ++step) {
      optimizer.zero_grad();
      alone.zero_grad();
      mean(tanh(net(slice(all, 0, group.rank() * 8, group.rank() * 8 + 8)))).backward();
      mean(tanh(reference(all))).backward();
      const double norm = optim::clip_grad_norm_(net.parameters(), 0.1).item<double>();
      require(std::abs(norm - optim::clip_grad_norm_(reference.parameters(), 0.1).item<double>()) < 1e-5, "the norm");
      optimizer.step();
      alone.step();
    }
    const State ours = sharding.gather_state();
    for (const auto& [name, tensor] : reference.named_parameters())
      require(allclose(*ours.find(name), tensor.detach().to(Device::cpu()), {1e-3, 1e-4}).ok,
              str("stage ", stage, ": ", name));
  }
}

TEST(Nccl, ShardsTrainAsOneProcess) {
  SKIP_WITHOUT_NCCL;
  const int gpus = count_gpus_apart();
  for (const int size : {1, 2, 4}) run_on_gpus(size, size <= gpus ? size : 1, check_shards);
}

/// The parameters after six steps of data-parallel or sharded training, all but three replays if they are captured.
std::vector<Tensor> trained(ProcessGroup& group, Device device, bool sharded, bool captured) {
  manual_seed(1);
  nn::Sequential net(nn::Linear({.in = 16, .out = 17}), nn::Linear({.in = 17, .out = 16}),
                     nn::Linear({.in = 16, .out = 3}));
  net.to(device);
  std::optional<distributed::DistributedDataParallel> parallel;
  std::optional<distributed::Sharding> sharding;
  if (sharded) sharding.emplace(distributed::shard(net, distributed::children_of(net), group));
  else parallel.emplace(net, group, distributed::DataParallelOptions{.first_bucket_bytes = 1, .bucket_bytes = 1});
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-2});
  train::CapturedStep step(
      [&](const Tensor& x) {
        optimizer.zero_grad();
        const Tensor loss = mean(tanh(net(x)));
        loss.backward();
        optim::clip_grad_norm_(optimizer.parameters(), 0.1);
        optimizer.step();
        return loss;
      },
      {.enabled = captured});
  step.watch(net);
  step.watch(optimizer);
  std::vector<float> values(8 * 16);
  for (int i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < values.size(); ++j)
      values[j] = std::sin(static_cast<float>(j * 7 + static_cast<std::size_t>(i * 13 + group.rank() * 5)));
    step(from_vector(values, {8, 16}).to(device));
  }
  require(step.counts().replayed == (captured ? 3 : 0), step.reason());
  std::vector<Tensor> parameters;
  for (const Tensor& parameter : net.parameters()) parameters.push_back(parameter.detach().to(Device::cpu()));
  return parameters;
}

void check_captured_steps(ProcessGroup& group, Device device) {
  for (const bool sharded : {false, true}) {
    const std::vector<Tensor> found = trained(group, device, sharded, true);
    const std::vector<Tensor> expected = trained(group, device, sharded, false);
    for (std::size_t i = 0; i < expected.size(); ++i)
      require(allclose(found[i], expected[i], {1e-5, 1e-6}).ok, str(sharded ? "sharded" : "replicated", ": ", i));
  }
}

TEST(Nccl, CapturedStepsTrainAsEagerOnes) {
  SKIP_WITHOUT_NCCL;
  const int gpus = count_gpus_apart();
  for (const int size : {1, 2, 4}) run_on_gpus(size, size <= gpus ? size : 1, check_captured_steps);
}

/// Each rank trains in eager or captured steps until rank 2 dies.
void expect_dead_rank_named(bool captured) {
  Processes processes(3, [captured](const Rank& rank) {
    look_like_a_host(rank.environment.rank);
    const Device device = Device::cuda(0);
    const ProcessGroup group =
        distributed::init(rank.environment, {.backend = "nccl", .device = device, .timeout = 10});
    train::CapturedStep step(
        [&](const Tensor& x) {
          const Tensor y = x * 1;
          group.all_reduce(y, distributed::Reduce::mean).wait();
          return y;
        },
        {.enabled = captured});
    for (int i = 0;; ++i) {
      if (rank.environment.rank == 2 && i == 8) ::raise(SIGKILL);
      const Tensor x = step(ones({1 << 20}, {.device = device}));
      synchronize(device);
      (void)group.all_reduce(x, distributed::Reduce::mean).is_done();
      if (captured && i == 6) require(step.counts().replayed > 0, step.reason());
    }
  });
  const std::vector<Outcome> outcomes = processes.wait(60);
  for (int r = 0; r < 2; ++r) {
    const Outcome& outcome = outcomes[static_cast<std::size_t>(r)];
    EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
    EXPECT_NE(outcome.text.find("rank 2 died"), std::string::npos) << outcome.text;
  }
}

TEST(Nccl, ADeadRankIsNamedAndTheCommunicatorAborted) {
  SKIP_WITHOUT_NCCL;
  expect_dead_rank_named(false);
  expect_dead_rank_named(true);
}

}  // namespace
}  // namespace minima::test::nccl_test
