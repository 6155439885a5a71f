#include <minima/ops/cudnn/usage.h>
#include <minima/ops/cudnn/graph.h>

#include <gtest/gtest.h>

namespace minima::usage_test {
namespace {

TEST(CudnnUsage, CountsPlansAndKeepsTheLastRefusal) {
  const cudnn::Usage before = cudnn::usage();
  detail::count_graph(true, "");
  detail::count_graph(false, "head width 60");
  detail::count_graph(false, "no headers");
  detail::count_graph(true, "");
  const cudnn::Usage after = cudnn::usage();
  EXPECT_EQ(after.planned - before.planned, 2);
  EXPECT_EQ(after.refused - before.refused, 2);
  EXPECT_EQ(after.refusal, "no headers");
}

}  // namespace
}  // namespace minima::usage_test
