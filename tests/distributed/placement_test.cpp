#include "tests/support/expect_error.h"

#include <minima/distributed/distributed.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/minima.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/models/vision/resnet.h>
#include <minima/ops/op.h>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace minima::distributed::placement_test {
namespace {

using test::message_of;

/// An operator of a user: x², without a rule.
struct Cubed {
  static constexpr Traits traits{.name = "cubed_by_a_user"};
  TensorSpec result(const Tensor& x) const { return spec_like(x); }
  void cpu(const Tensor& x, Tensor& y) const { copy_(y, x * x * x); }
  void cuda(const Tensor& x, Tensor& y) const { copy_(y, x * x * x); }
  Tensor gradient(Grad g, Input<0> x) const { return g * 3 * x * x; }
};
struct Twice {
  static constexpr Traits traits{.name = "twice_by_a_user"};
  TensorSpec result(const Tensor& x) const { return spec_like(x); }
  void cpu(const Tensor& x, Tensor& y) const { copy_(y, x * 2); }
  void cuda(const Tensor& x, Tensor& y) const { copy_(y, x * 2); }
  Tensor gradient(Grad g) const { return g * 2; }
};

struct Checked {
  Mesh mesh{pretend(0, 4), {{"data", 2}, {"tensor", 2}}};
  PlacementCheck check{mesh, {.data = {"data"}}};
  Tensor placed(Placement placement) const {
    const Tensor x = randn({4, 4});
    const_cast<PlacementCheck&>(check).declare(x, "tensor", placement);
    return x;
  }
  Placement of(const Tensor& x, const char* axis = "tensor") const { return check.placement_of(x, axis).value(); }
};

TEST(Placement, OperatorsPropagateByFamily) {
  const Checked c;
  const Tensor same = c.placed(Placement::replicated), varies = c.placed(Placement::varying),
               part = c.placed(Placement::partial);
  EXPECT_EQ(c.of(same + same), Placement::replicated);
  EXPECT_EQ(c.of(exp(varies)), Placement::varying);
  EXPECT_EQ(c.of(same * varies), Placement::varying);
  EXPECT_EQ(c.of(part + part), Placement::partial);
  EXPECT_EQ(c.of(part * 2), Placement::partial);
  EXPECT_EQ(c.of(matmul(part, same)), Placement::partial);
  EXPECT_EQ(c.of(matmul(same, part)), Placement::partial);
  EXPECT_EQ(c.of(sum(transpose(part, 0, 1), {0})), Placement::partial);
  EXPECT_EQ(c.of(cat({part, part})), Placement::partial);
  EXPECT_EQ(c.of(select(part, 0, 1)), Placement::partial);
  EXPECT_EQ(c.of(part.to(float64)), Placement::partial);
  EXPECT_EQ(c.of(div(part, same)), Placement::partial);
  EXPECT_EQ(c.of(same, "data"), Placement::varying) << "what is not declared is a share of the batch";
  const Tensor target = empty({4, 4});
  copy_(target, part);
  EXPECT_EQ(c.of(target), Placement::partial);
  fill_(target, 0);
  EXPECT_EQ(c.of(target), Placement::replicated);
  EXPECT_EQ(c.of(Tensor(empty({0, 4})) + 1), Placement::replicated);
  EXPECT_EQ(c.of(sum(part)), Placement::partial) << "scalars, too";
}

TEST(Placement, PartialSumsAreRefusedByNonlinearOperators) {
  const Checked c;
  const Tensor same = c.placed(Placement::replicated), varies = c.placed(Placement::varying),
               part = c.placed(Placement::partial);
  EXPECT_EQ(message_of<PlacementError>([&] { (void)exp(part); }),
            "placement: exp outside of modules is not linear, but gets a partial sum along axis \"tensor\" (from its "
            "declaration); sum it before: sum_from_ranks over axis \"tensor\"");
  const auto refuses = [&](auto&& f) { return !message_of<PlacementError>(f).empty(); };
  EXPECT_TRUE(refuses([&] { (void)(part + same); }));
  EXPECT_TRUE(refuses([&] { (void)(part + 1); }));
  EXPECT_TRUE(refuses([&] { (void)(1 - part); }));
  EXPECT_TRUE(refuses([&] { (void)(part * part); }));
  EXPECT_TRUE(refuses([&] { (void)(part * varies); }));
  EXPECT_TRUE(refuses([&] { (void)(1 / part); }));
  EXPECT_TRUE(refuses([&] { (void)div(same, part); }));
  EXPECT_TRUE(refuses([&] { (void)softmax(part, 0); }));
  EXPECT_TRUE(refuses([&] { (void)max(part); }));
  EXPECT_TRUE(refuses([&] { (void)(part > 0); }));
  EXPECT_TRUE(refuses([&] { (void)c.mesh["tensor"].all_reduce(clone(part), Reduce::max); }));
  EXPECT_TRUE(refuses([&] { (void)c.mesh["tensor"].reduce(clone(part), 0, Reduce::max); }));
}

TEST(Placement, CollectivesConvert) {
  const Checked c;
  const ProcessGroup& tensor = c.mesh["tensor"];
  const Tensor varies = c.placed(Placement::varying), part = c.placed(Placement::partial);
  EXPECT_EQ(c.of(sum_from_ranks(part, tensor)), Placement::replicated);
  EXPECT_EQ(c.of(all_reduce_sum(part, tensor)), Placement::replicated);
  EXPECT_EQ(c.of(scatter_sum_to_ranks(part, tensor)), Placement::varying);
  EXPECT_EQ(c.of(gather_from_ranks(varies, tensor, 1)), Placement::replicated);
  EXPECT_EQ(c.of(all_to_all_ranks(varies, tensor, 0, 1)), Placement::varying);
  EXPECT_EQ(c.of(copy_to_ranks(c.placed(Placement::replicated), tensor)), Placement::replicated);
  tensor.all_reduce(part).wait();
  EXPECT_EQ(c.of(part), Placement::replicated);
  tensor.broadcast(varies).wait();
  EXPECT_EQ(c.of(varies), Placement::replicated);
  EXPECT_EQ(c.of(varies, "data"), Placement::varying) << "the other axis stays";
  const Tensor rooted = c.placed(Placement::partial);
  tensor.reduce(rooted).wait();
  EXPECT_EQ(c.of(rooted), Placement::varying) << "only the root has the sum";
  EXPECT_CONTAINS(message_of<PlacementError>([&] { (void)tensor.reduce(c.placed(Placement::replicated)); }),
                  "sums a tensor that is replicated");
  const Tensor both = c.placed(Placement::partial);
  c.mesh.world().all_reduce(both).wait();
  EXPECT_EQ(c.of(both), Placement::replicated) << "the world is all axes";
}

TEST(Placement, InvariantParametersNeedWholeGradientsWhenBackwardEnds) {
  Checked c;
  const Tensor w = randn({4}).requires_grad(true), x = c.placed(Placement::varying);
  sum(w * x).backward();  // a partial gradient is no error before a step
  EXPECT_EQ(c.of(w.grad()), Placement::partial);
  w.zero_grad();
  c.check.declare(w, "tensor", Placement::invariant);
  EXPECT_CONTAINS(message_of<PlacementError>([&] { sum(w * x).backward(); }),
                  "was declared invariant; pass it through");
  w.zero_grad();
  sum(copy_to_ranks(w, c.mesh["tensor"]) * x).backward();
  EXPECT_EQ(c.of(w.grad()), Placement::replicated);
  EXPECT_EQ(c.of(w.grad(), "data"), Placement::partial);
  EXPECT_CONTAINS(message_of<PlacementError>([&] { c.check.expect_complete_gradients({w}); }), "axis \"data\"");
}

TEST(Placement, UsersOperatorsDeclareARuleOrAreRefused) {
  const Checked c;
  const Tensor same = randn({4}).requires_grad(true), varies = c.placed(Placement::varying),
               part = c.placed(Placement::partial);
  EXPECT_CONTAINS(message_of<PlacementError>([&] { (void)apply(Cubed{}, varies); }),
                  "cubed_by_a_user outside of modules has no rule, and its input 0 varies along axis \"data\"; "
                  "distributed::declare_operator(\"cubed_by_a_user\", …) gives it one");
  EXPECT_NO_THROW((void)apply(Cubed{}, same)) << "replicated inputs need no rule";
  declare_operator("cubed_by_a_user", OperatorPlacement::nonlinear);
  declare_operator("twice_by_a_user", OperatorPlacement::linear);
  EXPECT_EQ(c.of(apply(Cubed{}, varies)), Placement::varying);
  EXPECT_CONTAINS(message_of<PlacementError>([&] { (void)apply(Cubed{}, part); }), "is not linear");
  EXPECT_EQ(c.of(apply(Twice{}, part)), Placement::partial);
  EXPECT_CONTAINS(message_of<ValueError>([&] { declare_operator("exp", OperatorPlacement::linear); }),
                  "exp is an operator of minima");
  EXPECT_CONTAINS(message_of<ValueError>([&] { declare_operator("", OperatorPlacement::linear); }), "is empty");
}

TEST(Placement, BadDeclarationsAreRefused) {
  Checked c;
  const Tensor x = ones({2, 3});
  EXPECT_CONTAINS(message_of<ValueError>([&] { c.check.declare(x, "pipe", Placement::varying); }), "no axis \"pipe\"");
  EXPECT_CONTAINS(message_of<ValueError>([&] { c.check.declare(x, "tensor", Placement::varying, 2); }), "dimension 2");
  EXPECT_CONTAINS(message_of<ValueError>([&] { c.check.declare(x, "tensor", Placement::partial, 0); }),
                  "only a varying tensor has");
  EXPECT_CONTAINS(message_of<ValueError>([&] { c.check.declare({}, "tensor", Placement::partial); }), "undefined");
  EXPECT_CONTAINS(message_of<ValueError>([&] { PlacementCheck(c.mesh, {.data = {"pipe"}}); }), "no axis \"pipe\"");
  const Mesh one(pretend(0, 2), {{"data", 2}, {"single", 1}});
  PlacementCheck check(one);
  check.declare(x, "single", Placement::partial);
  EXPECT_NO_THROW((void)exp(x)) << "the sum of one rank is whole";
}

TEST(Placement, EndsWithItsScopeAndLeavesOtherObserversInPlace) {
  const Tensor part = ones({4});
  Observer* const before = observer();
  {
    Checked c;
    c.check.declare(part, "tensor", Placement::partial);
    EXPECT_THROW((void)exp(part), PlacementError);
    std::thread([&] { EXPECT_NO_THROW((void)exp(part)) << "another thread's tensors are not checked"; }).join();
    const Checked inner;
    EXPECT_THROW((void)exp(part), PlacementError);
  }
  EXPECT_EQ(observer(), before);
  EXPECT_NO_THROW((void)exp(part));
}

TEST(Placement, ReusedMemoryIsAnotherTensor) {
  Checked c;
  for (int i = 0; i < 50; ++i) {
    const Tensor x = from_vector<float>({1, 2, 3, 4}, {4});
    EXPECT_EQ(c.of(x), Placement::replicated);
    c.check.declare(x, "tensor", Placement::partial);
  }
}

/// Real networks in all ways of data parallelism: nothing is found.
template <class Net, class Loss>
void expect_clean(const Net& made, const Loss& loss_of,
                  const std::function<std::vector<nn::ModuleBase*>(Net&)>& blocks) {
  for (const int stage : {0, 1, 2, 3}) {
    const Mesh mesh(pretend(1, 4), {{"replica", 2}, {"shard", 2}});
    const PlacementCheck check(mesh, {.data = {"replica", "shard"}});
    Net net = nn::clone(made);
    std::unique_ptr<DistributedDataParallel> parallel;
    std::optional<Sharding> sharding;
    if (stage == 0) parallel = std::make_unique<DistributedDataParallel>(net, mesh.world());
    else sharding = shard(net, blocks(net), mesh["shard"], {.stage = stage, .replicas = mesh["replica"]});
    optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
    for (int step = 0; step < 2; ++step) {
      optimizer.zero_grad();
      {
        std::optional<DistributedDataParallel::NoSync> ddp;
        std::optional<Sharding::NoSync> sharded;
        if (parallel) {
          const auto guard = parallel->no_sync();
          loss_of(net).backward();
        } else {
          const auto guard = sharding->no_sync();
          loss_of(net).backward();
        }
      }
      const amp::Autocast lower(DeviceType::cpu);
      loss_of(net).backward();
      optim::clip_grad_norm_(net.parameters(), 1.0);
      optimizer.step();
    }
  }
}

TEST(Placement, ShardsWhoseGradientsWereNeverReducedAreNamed) {
  for (const int stage : {1, 2, 3}) {
    const Mesh mesh(pretend(1, 2), {{"data", 2}});
    const PlacementCheck check(mesh);
    nn::Sequential net(nn::Linear({.in = 40, .out = 3}), nn::ReLU());
    const Sharding sharding = shard(net, children_of(net), mesh["data"], {.stage = stage});
    optim::SGD optimizer(net.parameters(), {.lr = 0.1});
    {
      const auto guard = sharding.no_sync();
      sum(net(ones({2, 40}))).backward();
    }
    EXPECT_CONTAINS(
        message_of<PlacementError>([&] { optimizer.step(); }),
        "the optimizer's step reads the gradient of 0.weight, which is a partial sum along axis \"data\"; a "
        "backward() without no_sync() has to combine it first");
    sum(net(ones({2, 40}))).backward();
    optimizer.step();
  }
}

TEST(Placement, GradientsStartAgainAfterZeroGrad) {
  const Mesh mesh(pretend(1, 2), {{"data", 2}});
  const PlacementCheck check(mesh);
  nn::Linear net({.in = 16, .out = 16});
  DistributedDataParallel parallel(net, mesh["data"], {.sum = true});
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const amp::Autocast lower(DeviceType::cpu);  // products write into the gradients of what they get converted
  for (int step = 0; step < 3; ++step) {
    {
      const auto guard = parallel.no_sync();
      sum(net(ones({2, 16}))).backward();
    }
    sum(net(ones({2, 16}))).backward();
    optimizer.step();
    optimizer.zero_grad();
  }
}

// Without a PlacementCheck, the checker learns of groups as they are used: here of one, and of a grid of it.
TEST(Placement, DataParallelNetsOverTheWorldAndShardsOverItsAxesGetAlong) {
  for (const bool shards_come_first : {false, true}) {
    const detail::PlacementUser user;
    const Mesh mesh(pretend(1, 4), {{"replica", 2}, {"shard", 2}});
    nn::Linear a({.in = 16, .out = 16});
    nn::Sequential b(nn::Linear({.in = 16, .out = 16}), nn::ReLU(), nn::Linear({.in = 16, .out = 16}));
    DistributedDataParallel parallel(a, mesh.world());
    const Sharding sharding = shard(b, children_of(b), mesh["shard"], {.replicas = mesh["replica"]});
    std::vector<Tensor> all = a.parameters();
    for (const Tensor& shard : b.parameters()) all.push_back(shard);
    optim::AdamW optimizer(all, {.lr = 0.01});
    const auto train = [&] {
      optimizer.zero_grad();
      const Tensor x = randn({2, 16});
      mean(square(shards_come_first ? a(b(x)) : b(a(x)))).backward();
      optim::clip_grad_norm_(all, 1.0);
      optimizer.step();
    };
    for (int step = 0; step < 3; ++step) train();
    const auto guard = parallel.no_sync();
    EXPECT_CONTAINS(message_of<PlacementError>(train), "reads the gradient of weight, which is a partial sum along");
  }
}

TEST(Placement, NothingIsFoundInGpt2) {
  models::GPT2 net({.vocabulary = 29, .positions = 16, .width = 12, .layers = 2, .heads = 2, .dropout = 0.2});
  const auto loss_of = [](models::GPT2& of) {
    const Tensor text = randint(29, {2, 9});
    return cross_entropy(reshape(of(narrow(text, 1, 0, 8)), {16, 29}),
                         reshape(contiguous(narrow(text, 1, 1, 8)), {16}));
  };
  expect_clean<models::GPT2>(net, loss_of, [](models::GPT2& of) { return children_of(of.transformer.h); });
}

TEST(Placement, NothingIsFoundInLlama) {
  models::Llama net({.vocabulary = 31, .width = 12, .mlp = 20, .layers = 2, .heads = 2, .key_heads = 1});
  const auto loss_of = [](models::Llama& of) {
    const Tensor text = randint(31, {2, 9});
    return checkpoint(
        [text](const Tensor& logits) {
          return cross_entropy(reshape(logits, {16, 31}), reshape(contiguous(narrow(text, 1, 1, 8)), {16}));
        },
        of(narrow(text, 1, 0, 8)));
  };
  expect_clean<models::Llama>(net, loss_of, [](models::Llama& of) { return children_of(of.model.layers); });
}

TEST(Placement, NothingIsFoundInResNetWithStatisticsOfAllRanks) {
  const Mesh mesh(pretend(1, 2), {{"data", 2}});
  const PlacementCheck check(mesh);
  models::ResNet net({.depth = 18, .classes = 5, .width = 2});
  synchronize_batch_norm(net, mesh["data"]);
  const DistributedDataParallel parallel(net, mesh["data"]);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  cross_entropy(net(randn({2, 3, 32, 32})), randint(5, {2})).backward();
  optimizer.step();
}

}  // namespace
}  // namespace minima::distributed::placement_test
