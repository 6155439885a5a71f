#include "tests/support/expect_error.h"

#include <minima/distributed/data_parallel.h>
#include <minima/distributed/functional.h>
#include <minima/distributed/mesh.h>
#include <minima/distributed/pretend.h>
#include <minima/minima.h>

#include <gtest/gtest.h>

namespace minima::distributed::pretend_test {
namespace {

using test::message_of;

TEST(Pretend, AnswersAsIfAllRanksHadThisRanksTensors) {
  const ProcessGroup group = pretend(1, 3);
  EXPECT_EQ(group.size(), 3);
  EXPECT_EQ(group.rank(), 1);
  const Tensor x = from_vector<float>({1, 2}, {2});
  EXPECT_EQ(group.all_reduce(clone(x)).result().to_vector<float>(), (std::vector<float>{3, 6}));
  EXPECT_EQ(group.all_reduce(clone(x), Reduce::mean).result().to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(group.all_reduce(clone(x), Reduce::product).result().to_vector<float>(), (std::vector<float>{1, 8}));
  EXPECT_EQ(group.reduce(clone(x), 1).result().to_vector<float>(), (std::vector<float>{3, 6}));
  EXPECT_FALSE(group.reduce(x, 2).result().defined());
  EXPECT_EQ(group.broadcast(clone(x), 0).result().to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(group.gather(x, 1).result().to_vector<float>(), (std::vector<float>{1, 2, 1, 2, 1, 2}));
  EXPECT_FALSE(group.gather(x, 0).result().defined());
  EXPECT_EQ(group.scatter(ones({2}), stack({x, 2 * x, x}), 1).result().to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(group.scatter(ones({2}), {}, 0).result().to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(group.all_gather(x).result().to_vector<float>(), (std::vector<float>{1, 2, 1, 2, 1, 2}));
  const Tensor rows = from_vector<float>({1, 2, 3}, {3, 1});
  EXPECT_EQ(group.reduce_scatter(rows).result().to_vector<float>(), std::vector<float>{6});
  EXPECT_EQ(group.all_to_all(rows).result().to_vector<float>(), (std::vector<float>{2, 2, 2}));
  const Tensor received = ones({2});
  group.exchange({send_to(x, 0), receive_from(received, 2)}).wait();
  EXPECT_EQ(received.to_vector<float>(), (std::vector<float>{0, 0}));
  const Tensor swapped = ones({4});
  group.all_to_all_into(swapped, ones({5}), {1, 2, 2}, {1, 2, 1}).wait();
  EXPECT_EQ(swapped.to_vector<float>(), (std::vector<float>{0, 1, 1, 0}));
  const Tensor joined = ones({6});
  group.all_gather_into(joined, x, {1, 2, 3}).wait();
  EXPECT_EQ(joined.to_vector<float>(), (std::vector<float>{0, 1, 2, 0, 0, 0}));
  group.barrier();
}

TEST(Pretend, CountsTheBytesThatTheRankSends) {
  const Traffic traffic;
  const ProcessGroup world = pretend(0, 4, {.traffic = traffic});
  world.all_reduce(ones({10})).wait();  // parts of 3, 3, 3 and 1 elements
  EXPECT_EQ(traffic.of(Collective::all_reduce).bytes, 2 * (10 - 3) * 4);
  world.all_gather(ones({5})).wait();
  EXPECT_EQ(traffic.of(Collective::all_gather).bytes, 3 * 5 * 4);
  (void)world.reduce_scatter(ones({4, 5}, {.dtype = float64})).result();
  EXPECT_EQ(traffic.of(Collective::reduce_scatter).bytes, 3 * 5 * 8);
  (void)world.all_to_all(ones({4, 2})).result();
  EXPECT_EQ(traffic.of(Collective::all_to_all).bytes, 3 * 2 * 4);
  EXPECT_EQ(traffic.bytes(), 56 + 60 + 120 + 24);
  for (const int root : {0, 1}) {
    world.broadcast(ones({6}), root).wait();
    (void)world.reduce(ones({6}), root).result();
    (void)world.gather(ones({6}), root).result();
    (void)world.scatter(ones({6}), root == 0 ? ones({4, 6}) : Tensor(), root).result();
  }
  EXPECT_EQ(traffic.of(Collective::broadcast).bytes, 6 * 4) << "to root 0";
  EXPECT_EQ(traffic.of(Collective::reduce).bytes, 6 * 4) << "to root 1";
  EXPECT_EQ(traffic.of(Collective::gather).bytes, 6 * 4) << "to root 1";
  EXPECT_EQ(traffic.of(Collective::scatter).bytes, 3 * 6 * 4) << "to the three others";
  (void)world.all_to_all_into(empty({3}), ones({7}), {1, 2, 3, 1}, {1, 0, 0, 2}).result();
  EXPECT_EQ(traffic.of(Collective::all_to_all).bytes, 3 * 2 * 4 + 6 * 4) << "in uneven parts, without its own";
  EXPECT_EQ(traffic.of(Collective::reduce).calls, 2);
  Traffic(traffic).reset();
  world.send(ones({7}), 2).wait();
  EXPECT_EQ(traffic.of(Collective::send).bytes, 7 * 4);
  world.barrier();
  EXPECT_EQ(traffic.of(Collective::barrier).calls, 1);
  EXPECT_EQ(traffic.bytes(), 28);
  Traffic(traffic).reset();
  const Mesh mesh(world, {{"a", 2}, {"b", 2}});
  Traffic(traffic).reset();
  mesh["b"].all_gather(ones({5})).wait();
  EXPECT_EQ(traffic.bytes(), 5 * 4) << "subgroups count, too";
}

TEST(Pretend, RunsARankOfALargeWorld) {
  const Traffic traffic;
  const ProcessGroup world = pretend(8191, 8192, {.traffic = traffic});
  nn::Linear net({.in = 64, .out = 64});
  DistributedDataParallel parallel(net, world);
  Traffic(traffic).reset();
  sum(net(ones({1, 64}))).backward();
  EXPECT_EQ(net.bias.grad().to_vector<float>()[0], 1);
  // 64 × 64 + 64 elements are less than one for each rank: the last has none.
  EXPECT_EQ(traffic.of(Collective::all_reduce).bytes, 2 * (64 * 64 + 64) * 4);
}

TEST(Pretend, RanksThatDoNotExistAreRefused) {
  EXPECT_CONTAINS(message_of<ValueError>([] { (void)pretend(3, 3); }), "there is no rank 3 of 3");
  EXPECT_CONTAINS(message_of<ValueError>([] { (void)pretend(0, 0); }), "size");
}

}  // namespace
}  // namespace minima::distributed::pretend_test
