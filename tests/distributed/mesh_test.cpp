#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/mesh.h>
#include <minima/distributed/pretend.h>
#include <minima/ops/creation/creation.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

namespace minima::distributed::mesh_test {
namespace {

using test::message_of;
using test::require;

/// Each axis sums over the ranks that share the other coordinates.
void check_grid(const ProcessGroup& world) {
  const Mesh mesh(world, {{"replica", 2}, {"shard", 3}});
  const int replica = world.rank() / 3, shard = world.rank() % 3;
  require(mesh["replica"].size() == 2 && mesh["replica"].rank() == replica, "coordinate along replica");
  require(mesh["shard"].size() == 3 && mesh["shard"].rank() == shard, "coordinate along shard");
  const auto sum = [&](const char* axis) {
    return mesh[axis].all_reduce(full({}, 1 << world.rank())).result().item<double>();
  };
  require(sum("replica") == (1 << shard) + (1 << (shard + 3)), "sum over replicas");
  require(sum("shard") == (replica == 0 ? 7 : 56), "sum over shards");
}

TEST(Mesh, GroupsDifferAlongOneAxis) {
  test::run_threads(6, [](ProcessGroup& world) { check_grid(world); });
}

TEST(Mesh, WorksBetweenProcesses) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not follow threads of a forked child";
#endif
  if (!detail::has_gloo()) GTEST_SKIP() << "built without Gloo";
  test::run_processes(6, [](ProcessGroup& world) { check_grid(world); });
}

TEST(Mesh, SizesThatDoNotFitTheWorldAreNamedWithBothProducts) {
  const ProcessGroup world = pretend(0, 6);
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)Mesh(world, {{"data", 4}, {"tensor", 2}}); }),
                  "Mesh: data 4 × tensor 2 = 8 ranks, but the world has 6");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)Mesh(world, {{"data", 3}}); }), "data 3 = 3 ranks");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)Mesh(world, {{"a", 1 << 20}, {"b", 1 << 20}, {"c", 1 << 30}}); }),
                  "but the world has 6");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)Mesh(world, {{"a", 2}, {"a", 3}}); }), "two axes are called");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)Mesh(world, {{"a", 6}, {"b", 0}}); }), "needs one at least");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)Mesh(world, {{"", 6}}); }), "has no name");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)Mesh(world, {}); }), "needs an axis");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)Mesh(ProcessGroup(), {{"a", 1}}); }), "init()");
  const Mesh mesh(world, {{"data", 3}, {"tensor", 2}});
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)mesh["pipe"]; }),
                  "no axis \"pipe\"; the mesh is data 3 × tensor 2");
}

TEST(Mesh, RanksThatDisagreeAllGetAnError) {
  test::run_threads(4, [](ProcessGroup& world) {
    const std::string text = message_of<ValueError>([&] {
      if (world.rank() == 2) (void)Mesh(world, {{"data", 4}});
      else (void)Mesh(world, {{"data", 2}, {"tensor", 2}});
    });
    require(
        text.find(world.rank() == 2 ? "rank 2's mesh differs from rank 0's: there 'data 2 × tensor 2', here 'data 4'"
                                    : "another rank's mesh differs") != text.npos,
        text);
  });
}

}  // namespace
}  // namespace minima::distributed::mesh_test
