#include <minima/ops/product/gemm/packed_block.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace minima::packed_block_test {
namespace {

using detail::GemmBlock;
using detail::Into;

/// Small integers: sums of their products are exact in any order.
std::vector<float> integers(std::int64_t count, std::int64_t factor) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<std::int64_t>(i) * factor % 19 - 9);
  return values;
}

float at(const std::vector<float>& x, std::int64_t index) { return x[static_cast<std::size_t>(index)]; }

/// False where the build has no such product.
bool is_the_definition(std::int64_t m, std::int64_t n, std::int64_t k, bool a_transposed, bool b_transposed,
                       Into into) {
  constexpr std::int64_t gap = 3;
  const std::int64_t lda = (a_transposed ? m : k) + gap, ldb = (b_transposed ? k : n) + gap, ldc = n + gap;
  const std::vector<float> a = integers((a_transposed ? k : m) * lda, 37),
                           b = integers((b_transposed ? n : k) * ldb, 53);
  const std::vector<float> before(static_cast<std::size_t>(m * ldc), into == Into::assign ? NAN : 3.0f);
  std::vector<float> c = before;
  if (!detail::gemm_packed({m, n, k, a.data(), lda, a_transposed, b.data(), ldb, b_transposed, c.data(), ldc, into}))
    return false;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < ldc; ++j) {
      const float got = at(c, i * ldc + j), old = at(before, i * ldc + j);
      if (j >= n) {
        EXPECT_TRUE(got == old || (std::isnan(got) && std::isnan(old))) << "gap behind row " << i << ": " << got;
        continue;
      }
      float sum = 0;
      for (std::int64_t p = 0; p < k; ++p)
        sum += at(a, a_transposed ? p * lda + i : i * lda + p) * at(b, b_transposed ? j * ldb + p : p * ldb + j);
      const float expected = into == Into::assign ? sum : into == Into::add ? old + sum : old - sum;
      EXPECT_EQ(got, expected) << "m " << m << " n " << n << " k " << k << " aT " << a_transposed << " bT "
                               << b_transposed << " into " << static_cast<int>(into) << " at " << i << ", " << j;
      if (got != expected) return true;
    }
  return true;
}

TEST(PackedBlock, IsTheDefinitionForEveryRemainderOfTiles) {
  for (std::int64_t m = 1; m <= 13; ++m)
    for (const std::int64_t n : {1, 7, 8, 9, 15, 16, 17, 24, 31})
      for (const std::int64_t k : {1, 7, 8, 17})
        for (int flags = 0; flags < 4; ++flags)
          for (const Into into : {Into::assign, Into::add, Into::subtract})
            if (!is_the_definition(m, n, k, (flags & 1) != 0, (flags & 2) != 0, into))
              GTEST_SKIP() << "a build for processors without AVX2";
}

TEST(PackedBlock, IsTheDefinitionBeyondTheFirstStripAndPartOfEverySize) {
  for (int flags = 0; flags < 4; ++flags)
    for (const Into into : {Into::assign, Into::add, Into::subtract})
      if (!is_the_definition(101, 1041, 391, (flags & 1) != 0, (flags & 2) != 0, into))
        GTEST_SKIP() << "a build for processors without AVX2";
}

}  // namespace
}  // namespace minima::packed_block_test
