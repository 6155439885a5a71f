#include <minima/ops/attention/attention_tiles.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace minima::attention_products_test {
namespace {

template <class T>
class AttentionProducts : public testing::Test {};
using Computed = testing::Types<float, double>;
TYPED_TEST_SUITE(AttentionProducts, Computed);

/// Distinct small integers: products of them have exact sums in any order.
template <class T>
std::vector<T> integers(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(static_cast<std::int64_t>(i * 37 % 19) - 9);
  return values;
}

TYPED_TEST(AttentionProducts, AreTheDefinitionForEveryRemainderOfRowsAndColumns) {
  using T = TypeParam;
  constexpr std::int64_t k = 5;
  for (std::int64_t m = 0; m <= 19; ++m)
    for (const std::int64_t n : {1, 7, 16, 17, 32, 33, 48, 70})
      for (const bool accumulate : {false, true})
        for (const bool turned : {false, true}) {
          const std::int64_t ld = detail::whole_vectors<T>(n);
          const std::vector<T> a = integers<T>(m * k), b = integers<T>(k * ld);
          std::vector<T> c(static_cast<std::size_t>(m * ld), 3);
          detail::multiply_tile<T>(m, n, k, {a.data(), turned ? 1 : k, turned ? m : 1}, {b.data(), ld}, c.data(), ld,
                                   accumulate);
          for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
              T sum = accumulate ? 3 : 0;
              for (std::int64_t p = 0; p < k; ++p)
                sum += a[static_cast<std::size_t>(turned ? p * m + i : i * k + p)] *
                       b[static_cast<std::size_t>(p * ld + j)];
              ASSERT_EQ(c[static_cast<std::size_t>(i * ld + j)], sum)
                  << "m " << m << " n " << n << " accumulate " << accumulate << " turned " << turned << " at " << i
                  << ", " << j;
            }
        }
}

TYPED_TEST(AttentionProducts, TransposedAndPaddedRowsEndInZeros) {
  using T = TypeParam;
  for (const std::int64_t count : {1, 5, 16, 31, 64})
    for (const std::int64_t columns : {0, 1, 7, 16, 33, 48}) {
      const std::int64_t ld = columns + 3;
      const std::vector<T> x = integers<T>(count * ld);
      const auto at = [&](std::int64_t i, std::int64_t j) { return x[static_cast<std::size_t>(i * ld + j)]; };
      detail::Buffer<T> turned_buffer, padded_buffer;
      const detail::Rows<T> turned = detail::transposed<T>({x.data(), ld}, count, columns, turned_buffer);
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < turned.ld; ++i)
          ASSERT_EQ(turned.data[j * turned.ld + i], i < count ? at(i, j) : T(0))
              << count << " by " << columns << " at " << i << ", " << j;
      const detail::Rows<T> whole = detail::padded<T>({x.data(), ld}, count, columns, padded_buffer);
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t j = 0; j < detail::whole_vectors<T>(columns); ++j)
          ASSERT_EQ(whole.data[i * whole.ld + j], j < columns ? at(i, j) : T(0))
              << count << " by " << columns << " at " << i << ", " << j;
    }
}

}  // namespace
}  // namespace minima::attention_products_test
