#include "tests/distributed/layers.h"
#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/distributed/in_process.h>
#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>

namespace minima::distributed::sharding_refusals_test {
namespace {

using test::layers;
using test::message_of;
using test::require;

TEST(ShardingRefusals, WhatCannotWorkIsRefused) {
  const ProcessGroup group = pretend(0, 2);
  const auto said = [](auto&& call) { return message_of<Error>(call); };
  nn::Sequential net = layers(2, 4), other = layers(1, 4);
  const std::vector<nn::ModuleBase*> blocks = children_of(net);
  EXPECT_CONTAINS(said([&] { (void)shard(net, blocks, ProcessGroup()); }), "init()");
  EXPECT_CONTAINS(said([&] { (void)shard(net, blocks, group, {.stage = 4}); }), "there is no stage 4");
  EXPECT_CONTAINS(said([&] { (void)shard(net, blocks, group, {.compute = int32}); }),
                  "compute must be a floating dtype");
  EXPECT_CONTAINS(said([&] { (void)shard(net, blocks, group, {.combine = Reduce::max}); }), "not by max");
  EXPECT_CONTAINS(said([&] { (void)shard(net, {blocks[0], blocks[0]}, group); }), "block 0 is named twice");
  EXPECT_CONTAINS(said([&] { (void)shard(net, children_of(other), group); }), "is no part of the Sequential");
  EXPECT_CONTAINS(said([&] { (void)shard(net, {&net}, group); }), "the whole net");
  const Sharding sharding = shard(net, blocks, group);
  EXPECT_CONTAINS(said([&] { (void)shard(net, {}, group); }), "0.0.weight is sharded already");
  EXPECT_CONTAINS(said([&] { (void)nn::clone(net); }), "clone the module before");
  sum(net(ones({1, 4}))).backward();
  optim::LBFGS lbfgs(net.parameters());
  EXPECT_CONTAINS(said([&] { lbfgs.step([&] { return sum(net(ones({1, 4}))); }); }),
                  "LBFGS: computes with whole tensors");
  EXPECT_CONTAINS(said([&] { (void)optim::Muon(net.parameters(), {.lr = 0.1}); }), "not a matrix");
  const Tensor loss = sum(net(ones({1, 4})));
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  sgd.step();
  EXPECT_CONTAINS(said([&] { loss.backward(); }),
                  "changed in place, by an optimizer's step between forward and backward");
}

TEST(ShardingRefusals, TrainingGoesOnAfterAnException) {
  nn::Sequential net = layers(3, 4), reference = nn::clone(net);
  const Sharding sharding = shard(net, children_of(net), pretend(0, 1));
  const auto step = [](nn::Sequential& of) {
    of.zero_grad();
    sum(of(ones({2, 4}))).backward();
  };
  step(net);
  EXPECT_THROW((void)net(ones({2, 5})), Error);
  Tensor leaf = ones({2, 4});
  leaf.requires_grad(true);
  register_hook(leaf, [](const Tensor&) -> Tensor { throw ValueError("a hook fails"); });
  EXPECT_THROW(sum(net(leaf)).backward(), ValueError);
  step(net);
  step(reference);
  for (std::size_t i = 0; i < reference.parameters().size(); ++i)
    EXPECT_EQ(net.parameters()[i].grad().to_vector<float>(),
              reshape(reference.parameters()[i].grad(), {-1}).to_vector<float>());
}

TEST(ShardingRefusals, AParameterUsedOutsideOfItsBlockIsNamed) {
  nn::Linear net({.in = 2, .out = 2});
  const Tensor weight = net.weight;
  const Sharding sharding = shard(net, {}, pretend(0, 2), {.stage = 1});
  EXPECT_CONTAINS(message_of<Error>([&] { sum(weight * 2).backward(); }),
                  "weight got a gradient, but its block was not called");
}

TEST(ShardingRefusals, RanksThatDisagreeOrFailEndOnEveryRank) {
  test::run_threads(3, [](ProcessGroup& group) {
    nn::Sequential net = layers(2, 4);
    const std::string text = message_of<ValueError>(
        [&] { (void)shard(net, group.rank() == 1 ? std::vector<nn::ModuleBase*>{} : children_of(net), group); });
    require(text.find(group.rank() == 1 ? "rank 1's call differs from rank 0's: there 'block 0', here"
                                        : "another rank's call differs") != text.npos,
            text);
    const std::string stage =
        message_of<ValueError>([&] { (void)shard(net, {}, group, {.stage = 1 + (group.rank() == 2)}); });
    require(stage.find("differs from rank 0's") != stage.npos, stage);
  });
}

/// Returns what each of three ranks says when rank 1 fails in the forward of its second block.
TEST(ShardingRefusals, AForwardThatThrowsOnOneRankEndsAllOfThemInALineEach) {
  std::vector<std::string> said(3);
  std::vector<ProcessGroup> groups = in_process_groups(3, 10);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      const ProcessGroup group = std::exchange(groups[rank], {});
      nn::Sequential net = layers(3, 4);
      const auto fails = children_of(net)[1]->add_forward_pre_hook([rank](nn::ModuleBase&, std::vector<Tensor>&) {
        if (rank == 1) throw ValueError("rank 1 has no more data");
      });
      try {
        const Sharding sharding = shard(net, children_of(net), group);
        sum(net(ones({1, 4}))).backward();
      } catch (const Error& error) {
        said[rank] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_CONTAINS(said[0], "rank 1");  // and rank 2, if it was the second to leave
  EXPECT_CONTAINS(said[0], "did not join");
  EXPECT_CONTAINS(said[1], "no more data");
  EXPECT_CONTAINS(said[2], "did not join");
  for (const std::string& line : said) EXPECT_EQ(line.find('\n'), line.npos) << line;
}

TEST(ShardingRefusals, ABlockSharedByTwoShardingsIsNamedOnEveryRank) {
  test::run_threads(2, [](ProcessGroup& group) {
    const nn::Sequential first = layers(2, 4);
    nn::Sequential second = layers(1, 4);
    second.push_back(first[1]);
    const Sharding sharding = shard(first, children_of(first), group);
    const std::string text = message_of<ValueError>([&] { (void)shard(second, children_of(second), group); });
    require(text == "shard: 1.0.weight is sharded already; a module, and so a block, belongs to one Sharding", text);
  });
}

}  // namespace
}  // namespace minima::distributed::sharding_refusals_test
