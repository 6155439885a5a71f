#include <minima/ops/reduce/work.h>

#include <gtest/gtest.h>

#include <cstdint>

namespace minima::schedule_test {
namespace {

// A GPU faults on a vector load whose address is not a multiple of its size.
TEST(ReductionSchedule, PartsOfALargeReductionBeginAtPacks) {
  // Touches no memory.
  alignas(16) static std::uint16_t nothing[8];
  for (const std::int64_t count :
       {(std::int64_t{1} << 31) + 8, (std::int64_t{1} << 32) + 24, (std::int64_t{1} << 31) * 3 + 8}) {
    const Layout in = Layout::contiguous({count}), out = Layout::contiguous({1});
    const pointwise::Operand outs[] = {{static_cast<void*>(nothing), out, DType::float32}};
    const reduction::Schedule s =
        reduction::schedule(outs, 1, {static_cast<void*>(nothing), in, DType::bfloat16}, false, 8);
    ASSERT_GT(s.reduced.size(), 1u);
    std::int64_t next = 0;
    for (const auto& part : s.reduced) {
      EXPECT_TRUE(part.packed);
      EXPECT_EQ(part.elements.start[0], next);
      EXPECT_EQ(part.elements.start[0] % 8, 0) << count;
      EXPECT_EQ(part.elements.geometry.count % 8, 0) << count;
      next += part.elements.geometry.count;
    }
    EXPECT_EQ(next, count);
  }
}

}  // namespace
}  // namespace minima::schedule_test
