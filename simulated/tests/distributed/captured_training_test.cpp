#include "simulated/tests/distributed/ranks.h"

#include <minima/amp/grad_scaler.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/mesh.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>
#include <minima/train/captured_step/captured_step.h>

#include <cmath>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

// Data-parallel and sharded training in captured steps, with the communication in the graphs, has the bits of eager
// steps.

namespace minima::captured_training_test {
namespace {

using distributed::ProcessGroup;
using distributed::Sharding;
using test::require;
using train::CapturedStep;

class SimulatedCapturedTraining : public DistributedOnSimulatedGpus {};

struct Part : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 7, .out = 5})), b = child("b", nn::Linear({.in = 5, .out = 7}));
  nn::BatchNorm1d norm = child("norm", nn::BatchNorm1d({.features = 7}));
  Tensor forward(const Tensor& x) override { return norm(x + b(tanh(a(x)))); }
};

struct Net : nn::Module {
  nn::Linear stem = child("stem", nn::Linear({.in = 3, .out = 7}));
  Part first = child("first", Part()), second = child("second", Part());
  nn::Linear head = child("head", nn::Linear({.in = 7, .out = 2}));
  Tensor forward(const Tensor& x) override { return head(second(first(tanh(stem(x))))); }
  std::vector<nn::ModuleBase*> blocks() { return {&first, &second}; }
};

/// The same in every thread; they share the generator.
Net initial_net() {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  manual_seed(7);
  return Net();
}

Tensor batch(int rank, int step, std::int64_t rows) {
  std::vector<float> values(static_cast<std::size_t>(rows * 3));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i * 7 + static_cast<std::size_t>(step * 13 + rank * 5)));
  return from_vector(values, {rows, 3});
}

enum class Kind : std::uint8_t { replicas, shards, mesh };

struct Plan {
  Kind kind = Kind::replicas;
  int stage = 3;
  int parts = 1;  ///< make a step; all but the last do not communicate
  bool prefetch = true;
  int steps = 9;
  int refuses = -1;  ///< the rank whose step reads a value while it is captured
};

struct Course {
  std::vector<double> losses;
  std::vector<Tensor> parameters;
  CapturedStep::Counts counts;
  std::string reason;
};

/// A training with clipping and a loss scaler, which an infinity on one rank makes skip a step on all.
Course trained(const ProcessGroup& group, Device device, const Plan& plan, bool captured) {
  Net net = initial_net();
  net.to(device);
  std::optional<distributed::DistributedDataParallel> parallel;
  std::optional<distributed::Mesh> mesh;
  std::optional<Sharding> sharding;
  if (plan.kind == Kind::replicas) {
    parallel.emplace(net, group, distributed::DataParallelOptions{.first_bucket_bytes = 1, .bucket_bytes = 128});
  } else if (plan.kind == Kind::shards) {
    sharding.emplace(distributed::shard(net, net.blocks(), group, {.stage = plan.stage, .prefetch = plan.prefetch}));
  } else {
    mesh.emplace(group, std::vector<distributed::Axis>{{"replica", 2}, {"shard", group.size() / 2}});
    sharding.emplace(
        distributed::shard(net, net.blocks(), (*mesh)["shard"], {.stage = plan.stage, .replicas = (*mesh)["replica"]}));
  }
  optim::AdamW optimizer(net.parameters(), {.lr = 0.02});
  amp::GradScaler scaler({.init_scale = 8});
  int runs = 0;
  CapturedStep step(
      [&](const Tensor& x) {
        optimizer.zero_grad();
        Tensor total;
        for (int part = 0; part < plan.parts; ++part) {
          const auto differentiate = [&] {
            const std::int64_t rows = x.size(0) / plan.parts;
            const Tensor loss = mean(square(net(slice(x, 0, part * rows, (part + 1) * rows))));
            scaler.scale(loss).backward();
            total = total.defined() ? total + loss.detach() : loss.detach();
          };
          if (part + 1 == plan.parts) {
            differentiate();
          } else if (parallel) {
            const auto guard = parallel->no_sync();
            differentiate();
          } else {
            const auto guard = sharding->no_sync();
            differentiate();
          }
        }
        if (++runs == 4 && group.rank() == plan.refuses) total.item<float>();
        scaler.unscale(optimizer);
        optim::clip_grad_norm_(optimizer.parameters(), 0.05);
        scaler.step(optimizer);
        scaler.update();
        return total;
      },
      {.enabled = captured});
  step.watch(net);
  step.watch(optimizer);
  Course course;
  std::vector<Tensor> losses;
  for (int i = 0; i < plan.steps; ++i) {
    Tensor x = batch(group.rank(), i, 4 * plan.parts);
    if (i == 6 && group.rank() == 1) x = x * HUGE_VAL;
    losses.push_back(step(x.to(device)));
  }
  for (const Tensor& loss : losses) course.losses.push_back(loss.item<double>());
  course.counts = step.counts();
  course.reason = step.reason();
  for (const Tensor& parameter : net.parameters()) course.parameters.push_back(parameter.detach().to(Device::cpu()));
  for (const Tensor& buffer : net.buffers()) course.parameters.push_back(buffer.detach().to(Device::cpu()));
  group.barrier();
  return course;
}

void require_equal(const Course& found, const Course& expected, const std::string& when) {
  for (std::size_t i = 0; i < expected.losses.size(); ++i)
    require(found.losses[i] == expected.losses[i] || (std::isnan(found.losses[i]) && std::isnan(expected.losses[i])),
            str(when, ": the loss of step ", i, " is ", found.losses[i], " instead of ", expected.losses[i]));
  require(found.parameters.size() == expected.parameters.size(), when + ": as many parameters");
  for (std::size_t i = 0; i < expected.parameters.size(); ++i)
    require(identical(found.parameters[i], expected.parameters[i]), str(when, ": parameter ", i));
}

void require_captured(const Course& found, const Plan& plan, const std::string& when) {
  require(found.counts.captured == 1 && found.counts.replayed == plan.steps - 3,
          str(when, ": ", found.counts.captured, " captures and ", found.counts.replayed, " replays; ", found.reason));
}

TEST_F(SimulatedCapturedTraining, DataParallelStepsHaveTheBitsOfEagerOnes) {
  for (const int ranks : {2, 4})
    expect_all_well(run_ranks(ranks, [&](const ProcessGroup& group, Device device) {
      const DeviceGuard guard(device);
      for (const int parts : {1, 2}) {
        if (group.is_first()) simulated::reseed(static_cast<std::uint64_t>(ranks + parts));
        const Plan plan{.parts = parts};
        const Course expected = trained(group, device, plan, false), found = trained(group, device, plan, true);
        const std::string when = str(ranks, " ranks, ", parts, " parts");
        require_equal(found, expected, when);
        require_captured(found, plan, when);
      }
    }));
}

TEST_F(SimulatedCapturedTraining, ShardedStepsHaveTheBitsOfEagerOnes) {
  for (const int ranks : {2, 4})
    expect_all_well(run_ranks(ranks, [&](const ProcessGroup& group, Device device) {
      const DeviceGuard guard(device);
      for (const int stage : {1, 2, 3})
        for (const int parts : {1, 2}) {
          if (ranks == 4 && parts == 1 + stage % 2) continue;
          if (group.is_first()) simulated::reseed(static_cast<std::uint64_t>(ranks + 10 * parts + 100 * stage));
          const Plan plan{.kind = Kind::shards, .stage = stage, .parts = parts, .prefetch = parts == 1 || stage < 3};
          const Course expected = trained(group, device, plan, false), found = trained(group, device, plan, true);
          const std::string when = str(ranks, " ranks, stage ", stage, ", ", parts, " parts");
          require_equal(found, expected, when);
          require_captured(found, plan, when);
        }
    }));
}

TEST_F(SimulatedCapturedTraining, ShardsWithReplicasHaveTheBitsOfEagerSteps) {
  expect_all_well(run_ranks(4, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    for (const int stage : {2, 3}) {
      const Plan plan{.kind = Kind::mesh, .stage = stage};
      const Course expected = trained(group, device, plan, false), found = trained(group, device, plan, true);
      require_equal(found, expected, str("stage ", stage));
      require_captured(found, plan, str("stage ", stage));
    }
  }));
}

// Micro-batches under no_sync in one captured step, and the last one with the optimizer's step in another. Gradients in
// buckets are found again; those that stages keep for a later pass are not, so that such steps run eagerly.
TEST_F(SimulatedCapturedTraining, StepsThatShareTheirGradientsHaveTheBitsOfEagerOnes) {
  for (const int parts : {2, 3})
    for (const int stage : {0, 1, 2, 3})
      expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
        const DeviceGuard guard(device);
        std::vector<Tensor> results[2];
        for (const bool captured : {false, true}) {
          Net net = initial_net();
          net.to(device);
          std::optional<distributed::DistributedDataParallel> parallel;
          std::optional<Sharding> sharding;
          if (stage == 0) parallel.emplace(net, group);
          else sharding.emplace(distributed::shard(net, net.blocks(), group, {.stage = stage}));
          optim::AdamW optimizer(net.parameters(), {.lr = 0.02});
          const auto differentiate = [&](const Tensor& x) {
            const Tensor loss = mean(square(net(x)));
            loss.backward();
            return loss.detach();
          };
          CapturedStep part(
              [&](const Tensor& x) {
                if (parallel) {
                  const auto guard = parallel->no_sync();
                  return differentiate(x);
                }
                const auto guard = sharding->no_sync();
                return differentiate(x);
              },
              {.enabled = captured});
          CapturedStep last(
              [&](const Tensor& x) {
                const Tensor loss = differentiate(x);
                optimizer.step();
                optimizer.zero_grad();
                return loss;
              },
              {.enabled = captured});
          for (CapturedStep* step : {&part, &last}) {
            step->watch(net);
            step->watch(optimizer);
          }
          for (int i = 0; i < 8 * parts; ++i) {
            const Tensor x = batch(group.rank(), i, 4).to(device);
            results[captured].push_back((i % parts + 1 == parts ? last : part)(x).to(Device::cpu()));
          }
          for (const Tensor& parameter : net.parameters())
            results[captured].push_back(parameter.detach().to(Device::cpu()));
          if (captured && stage == 0) require(part.counts().replayed > 2, part.reason());
          if (captured && stage > 0)
            require(part.reason().find("kept under no_sync") != std::string::npos, part.reason());
          group.barrier();
        }
        for (std::size_t i = 0; i < results[0].size(); ++i)
          require(identical(results[1][i], results[0][i]), str(parts, " parts, stage ", stage, ": result ", i));
      }));
}

// If one rank cannot capture, none replays, and all say why.
TEST_F(SimulatedCapturedTraining, ARankWhoseCaptureFailsMakesAllRunEagerly) {
  expect_all_well(run_ranks(4, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    for (const Plan& plan : {Plan{.refuses = 2}, Plan{.kind = Kind::shards, .stage = 1, .refuses = 2},
                             Plan{.kind = Kind::shards, .stage = 3, .refuses = 2}}) {
      const std::string when = str("stage ", plan.kind == Kind::shards ? plan.stage : 0);
      Plan eager = plan;
      eager.refuses = -1;
      const Course expected = trained(group, device, eager, false), found = trained(group, device, plan, true);
      require_equal(found, expected, when);
      require(found.counts.replayed == 0 && found.counts.eager == plan.steps, when + ": no replay");
      const std::string wanted =
          group.rank() == 2 ? "item() inside a captured step" : "rank 2: item() inside a captured";
      require(found.reason.find(wanted) == 0, str(when, ": ", found.reason));
    }
  }));
}

// Gathered weights of a captured step are not taken for those of an evaluation between its replays.
TEST_F(SimulatedCapturedTraining, EvaluationsBetweenReplaysSeeTheNewWeights) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    for (const int stage : {1, 2, 3}) {
      std::vector<double> seen[2];
      for (const bool captured : {false, true}) {
        Net net = initial_net();
        net.to(device);
        const Sharding sharding = distributed::shard(net, net.blocks(), group, {.stage = stage});
        optim::SGD optimizer(net.parameters(), {.lr = 0.1});
        CapturedStep step(
            [&](const Tensor& x) {
              optimizer.zero_grad();
              const Tensor loss = mean(square(net(x)));
              loss.backward();
              optimizer.step();
              return loss;
            },
            {.enabled = captured});  // neither net nor optimizer is watched
        for (int i = 0; i < 7; ++i) {
          step(batch(group.rank(), i, 4).to(device));
          const NoGrad off;
          seen[captured].push_back(sum(net(batch(0, 1, 4).to(device))).item<double>());
        }
        require(!captured || step.counts().replayed == 4, step.reason());
        group.barrier();
      }
      require(seen[0] == seen[1], str("stage ", stage));
    }
  }));
}

}  // namespace
}  // namespace minima::captured_training_test
