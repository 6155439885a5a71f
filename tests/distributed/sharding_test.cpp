#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/functional.h>
#include <minima/distributed/mesh.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/tensor/allclose.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

// Sharded training is compared with one process on the whole batch, which every rank also runs. Weights and inputs are
// small whole numbers and an optimizer adds the gradient's sign, so that every sum is exact whatever its order, and
// results are equal to the bit. Most sizes are primes.

namespace minima::distributed::sharding_test {
namespace {

using test::message_of;
using test::require;

/// The numbers -1 to 1, other ones for each seed.
Tensor whole_numbers(const Shape& shape, std::int64_t seed) {
  std::vector<double> values(static_cast<std::size_t>(numel(shape)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>((static_cast<std::int64_t>(i) * 7919 + seed * 104729 + 13) % 101 % 3 - 1);
  return from_vector(values, shape);
}

void fill(nn::ModuleBase& net) {
  const NoGrad guard;
  std::int64_t seed = 1;
  for (const Tensor& parameter : net.parameters()) parameter.set_data(whole_numbers(parameter.shape(), seed++));
}

/// Two layers, the last a single output with its bias, smaller than most worlds.
struct Part : nn::Module {
  explicit Part(std::int64_t width, std::int64_t hidden)
      : a(child("a", nn::Linear({.in = width, .out = hidden}))),
        b(child("b", nn::Linear({.in = hidden, .out = width}))) {}
  Part(const Part&) = default;
  nn::Linear a, b;
  bool is_checkpointed = false;
  Tensor forward(const Tensor& x) override {
    const auto inner = [a = a](const Tensor& h) { return relu(a(h)); };
    const Tensor h = is_checkpointed ? checkpoint(inner, x) : inner(x);
    return x + b(h);
  }
};

struct Net : nn::Module {
  nn::Linear stem = child("stem", nn::Linear({.in = 3, .out = 7}));
  Part first = child("first", Part(7, 5)), second = child("second", Part(7, 1)), third = child("third", Part(7, 3));
  nn::Linear head = child("head", nn::Linear({.in = 7, .out = 1}));
  bool is_checkpointed = false;
  Tensor forward(const Tensor& x) override {
    Tensor h = relu(stem(x));
    h = is_checkpointed ? checkpoint(first, h) : first(h);
    return head(third(second(h)));
  }
  std::vector<nn::ModuleBase*> blocks() { return {&first, &second, &third}; }
};

Tensor loss_of(Net& net, const Tensor& x) {
  const Tensor y = net(x);
  return sum(y * y);
}

constexpr std::int64_t rows = 2;  // for each rank and part

Tensor inputs(int step, int part, int rank) { return whole_numbers({rows, 3}, 1000 + step * 100 + part * 10 + rank); }

/// The parameters, or their gradients, are the reference's where this rank has them.
void expect_equal(const Sharding& sharding, const Net& net, const Net& reference, bool gradients, const char* when) {
  const std::vector<ShardedTensor> state = sharding.state();
  const std::vector<Tensor> shards = net.parameters(), whole = reference.parameters();
  require(state.size() == whole.size() && shards.size() == whole.size(), "as many parameters");
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Tensor ours = gradients ? shards[i].grad() : state[i].local;
    const Tensor all = gradients ? whole[i].grad() : whole[i].detach();
    require(ours.defined() == all.defined(), str(when, ": ", state[i].name, " has a gradient in both or in none"));
    if (!ours.defined()) continue;
    require(state[i].shape == all.shape(), "the whole shape");
    const Tensor theirs = contiguous(narrow(reshape(all, {-1}), 0, state[i].offset, ours.numel()));
    if (identical(ours, theirs)) continue;
    throw Error(str(when, ": ", gradients ? "gradient of " : "", state[i].name, " from ", state[i].offset,
                    " differs by up to ", max(abs(ours - theirs)).item<double>(), " where the largest is ",
                    max(abs(theirs)).item<double>()));
  }
}

struct Variant {
  int parts = 1;              ///< gradient accumulation
  bool communicates = false;  ///< in each part
  bool is_checkpointed = false, inner_checkpoint = false;
};

void check_equal(const ProcessGroup& world, const ProcessGroup& group, const ShardingOptions& given,
                 const Variant& variant) {
  Net net;
  fill(net);
  Net reference = nn::clone(net);
  if (world.rank() > 0)  // rank 0's values count
    for (const Tensor& parameter : net.parameters()) parameter.set_data(parameter.detach() + 1);
  net.is_checkpointed = variant.is_checkpointed;
  net.first.is_checkpointed = net.third.is_checkpointed = variant.inner_checkpoint;
  ShardingOptions options = given;
  options.combine = Reduce::sum;
  Sharding sharding = shard(net, net.blocks(), group, options);
  optim::SignSGD optimizer(net.parameters(), {.lr = 1}), alone(reference.parameters(), {.lr = 1});
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    alone.zero_grad();
    double loss = 0, expected = 0;
    for (int part = 0; part < variant.parts; ++part) {
      std::optional<Sharding::NoSync> guard;
      if (part + 1 < variant.parts && !variant.communicates) guard.emplace(sharding);
      const Tensor own = loss_of(net, inputs(step, part, world.rank()));
      own.backward();
      loss += sum_over_ranks({own.item<double>()}, world)[0];
      for (int rank = 0; rank < world.size(); ++rank) {
        const Tensor theirs = loss_of(reference, inputs(step, part, rank));
        theirs.backward();
        expected += theirs.item<double>();
      }
    }
    const std::string when = str("stage ", options.stage, " on ", world.size(), " ranks, step ", step);
    require(std::abs(expected) < 1e14, str(when, ": sums are not exact any more, the loss is ", expected));
    require(loss == expected, str(when, ": the loss is ", loss, " instead of ", expected));
    expect_equal(sharding, net, reference, true, when.c_str());
    optimizer.step();
    alone.step();
    expect_equal(sharding, net, reference, false, when.c_str());
  }
  // Evaluation sees the weights of the last step, and releases them.
  net.eval();
  const NoGrad guard;
  const Tensor x = inputs(9, 0, 0);
  require(identical(net(x), reference(x)), "evaluation");
  require(identical(net(x), reference(x)), "evaluation, once more");
}

class Stages : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sharding, Stages, testing::Values(1, 2, 3));

TEST_P(Stages, EqualOneProcessToTheBit) {
  for (const int size : {1, 2, 3, 4})
    test::run_threads(size, [](ProcessGroup& group) {
      check_equal(group, group, {.stage = GetParam()}, {});
      check_equal(group, group, {.stage = GetParam(), .reshard_after_forward = false, .prefetch = false}, {});
      check_equal(group, group, {.stage = GetParam(), .offload = true}, {});  // without a GPU nothing is elsewhere
    });
}

TEST_P(Stages, AccumulateWithAndWithoutCommunication) {
  test::run_threads(3, [](ProcessGroup& group) {
    check_equal(group, group, {.stage = GetParam()}, {.parts = 3});
    check_equal(group, group, {.stage = GetParam()}, {.parts = 2, .communicates = true});
  });
}

TEST_P(Stages, RecomputeWithGatheredWeights) {
  test::run_threads(2, [](ProcessGroup& group) {
    check_equal(group, group, {.stage = GetParam()}, {.is_checkpointed = true});
    check_equal(group, group, {.stage = GetParam()}, {.inner_checkpoint = true});
    check_equal(group, group, {.stage = GetParam()}, {.parts = 2, .is_checkpointed = true, .inner_checkpoint = true});
  });
}

TEST_P(Stages, WorkOnAMeshOfReplicasAndShards) {
  test::run_threads(4, [](ProcessGroup& world) {
    const Mesh mesh(world, {{"replica", 2}, {"shard", 2}});
    check_equal(world, mesh["shard"], {.stage = GetParam(), .replicas = mesh["replica"]}, {.parts = 2});
  });
}

}  // namespace
}  // namespace minima::distributed::sharding_test
