#include <minima/ops/loops/geometry.h>
#include <minima/ops/loops/plan.h>

#include <gtest/gtest.h>

#include <vector>

// What the rules for equivalent mutants of kernels (simulated/ptx/mutations.h) rely on.

namespace minima::pointwise::geometry_test {
namespace {

TEST(Geometry, DimensionsPastTheLastHaveNoStride) {
  const Layout rows{{3, 4}, {8, 1}, 0}, columns{{3, 4}, {1, 5}, 0};
  const Layout* const layouts[] = {&rows, &columns};
  const std::vector<Part> parts = parts_of(make_plan(layouts, 2));
  ASSERT_EQ(parts.size(), 1u);
  const Geometry& g = parts[0].geometry;
  ASSERT_EQ(g.rank, 2);
  for (const auto& strides : g.strides)
    for (int d = g.rank; d < Geometry::max_rank; ++d) EXPECT_EQ(strides[d], 0);
}

TEST(Geometry, AResultIsNeverRepeated) {
  alignas(16) float memory[32] = {};
  const Layout rows{{2, 8}, {8, 1}, 0}, one{{2, 8}, {0, 0}, 0};
  const DType types[] = {float32, float32};
  for (const Layout* result : {&rows, &one}) {
    const Layout* const layouts[] = {result, &one};
    Plan plan = make_plan(layouts, 2);
    const Operand operands[] = {{memory, *result, float32}, {memory, one, float32}};
    std::uint32_t repeated = 0;
    EXPECT_EQ(pack(plan, operands, types, 4, repeated), result == &rows);
    EXPECT_EQ(repeated & 1u, 0u);
  }
}

}  // namespace
}  // namespace minima::pointwise::geometry_test
