#include <minima/ops/ops.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// Integers at the limits of their range: arithmetic wraps, as in PyTorch, without undefined behaviour, which the
// sanitizer preset checks.

namespace minima::integers_test {
namespace {

template <class T>
class Integers : public testing::Test {
 public:
  static constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  static Tensor ends() { return tensor<T>({low, T(-1), T(0), T(1), high}); }
  static std::vector<T> got(const Tensor& x) { return x.to_vector<T>(); }
};
using Signed = testing::Types<std::int8_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Integers, Signed);

TYPED_TEST(Integers, WrapAround) {
  using T = TypeParam;
  const T low = this->low, high = this->high;
  const Tensor x = this->ends();
  EXPECT_EQ(this->got(x + tensor<T>({1})), (std::vector<T>{T(low + 1), 0, 1, 2, low}));
  EXPECT_EQ(this->got(x - tensor<T>({1})), (std::vector<T>{high, T(-2), T(-1), 0, T(high - 1)}));
  EXPECT_EQ(this->got(x * tensor<T>({2})), (std::vector<T>{0, T(-2), 0, 2, T(-2)}));
  EXPECT_EQ(this->got(x + 1), (std::vector<T>{T(low + 1), 0, 1, 2, low}));
  EXPECT_EQ(this->got(x * 2), (std::vector<T>{0, T(-2), 0, 2, T(-2)}));
  EXPECT_EQ(this->got(-1 - x), (std::vector<T>{high, 0, T(-1), T(-2), low}));
  EXPECT_EQ(this->got(-x), (std::vector<T>{low, 1, 0, T(-1), T(low + 1)}));
  EXPECT_EQ(this->got(abs(x)), (std::vector<T>{low, 1, 0, 1, high}));
  EXPECT_EQ(this->got(sign(x)), (std::vector<T>{T(-1), T(-1), 0, 1, 1}));
  EXPECT_EQ(this->got(square(x)), (std::vector<T>{0, 1, 0, 1, 1}));
  EXPECT_EQ(this->got(scatter_add(x, 0, tensor<std::int64_t>({4, 4}), tensor<T>({1, 1}))),
            (std::vector<T>{low, T(-1), 0, 1, T(low + 1)}));
  EXPECT_EQ(this->got(index_add(x, 0, tensor<std::int64_t>({0}), tensor<T>({T(-1)}))),
            (std::vector<T>{high, T(-1), 0, 1, high}));
}

TYPED_TEST(Integers, DivideByMinusOne) {
  using T = TypeParam;
  const T low = this->low, high = this->high;
  const Tensor x = this->ends(), minus_one = tensor<T>({T(-1)});
  EXPECT_EQ(this->got(floor_divide(x, minus_one)), (std::vector<T>{low, 1, 0, T(-1), T(-high)}));
  EXPECT_EQ(this->got(remainder(x, minus_one)), std::vector<T>(5, 0));
  EXPECT_EQ(this->got(fmod(x, minus_one)), std::vector<T>(5, 0));
}

TYPED_TEST(Integers, AddUpInInt64) {
  const Tensor x = this->ends();
  EXPECT_EQ(sum(x).dtype(), DType::int64);
  EXPECT_EQ(sum(x).template item<std::int64_t>(), -1);
  EXPECT_EQ(sum(tensor<std::int8_t>({127, 127})).item<std::int64_t>(), 254);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(sum(tensor<std::int64_t>({most, 1})).item<std::int64_t>(), least);
  EXPECT_EQ(prod(tensor<std::int64_t>({most, 2})).item<std::int64_t>(), -2);
  EXPECT_EQ(cumsum(tensor<std::int64_t>({most, 1}), 0).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{most, least}));
  EXPECT_EQ(cumprod(tensor<std::int64_t>({most, 2}), 0).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{most, -2}));
}

/// Conversions of floating numbers: `row` is long enough for vector code and its remainder loop.
template <class To, class From>
std::vector<To> converted(const std::vector<From>& row) {
  std::vector<From> many;
  for (int i = 0; i < 9; ++i) many.insert(many.end(), row.begin(), row.end());
  const Tensor x = from_vector(many, {static_cast<std::int64_t>(many.size())});
  const std::vector<To> all = x.to(dtype_of<To>).template to_vector<To>(), read = x.template to_vector<To>();
  EXPECT_EQ(all, read);
  const std::vector<To> first(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(row.size()));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], first[i % row.size()]) << i;
  return first;
}

template <class From>
void expect_defined_conversions() {
  const From inf = std::numeric_limits<From>::infinity(), nan = std::numeric_limits<From>::quiet_NaN();
  const std::vector<From> row{nan, inf, -inf, From(1e20), From(-1e20), From(3e9), From(-3e9),
                              300, -1,  -200, From(2.9),  From(-2.9),  0x1p31f,   -0x1p31f};
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max(),
                         least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ((converted<std::int32_t>(row)),
            (std::vector<std::int32_t>{0, most, least, most, least, most, least, 300, -1, -200, 2, -2, most, least}));
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max(), low = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ((converted<std::int64_t>(row)),
            (std::vector<std::int64_t>{0, far, low, far, low, 3000000000, -3000000000, 300, -1, -200, 2, -2,
                                       std::int64_t{1} << 31, -(std::int64_t{1} << 31)}));
  EXPECT_EQ((converted<std::uint8_t>(row)),
            (std::vector<std::uint8_t>{0, 255, 0, 255, 0, 255, 0, 44, 255, 56, 2, 254, 255, 0}));
  EXPECT_EQ((converted<std::int8_t>(row)),
            (std::vector<std::int8_t>{0, -1, 0, -1, 0, -1, 0, 44, -1, 56, 2, -2, -1, 0}));
}

TEST(Conversion, OfFloatingNumbersToIntegersIsDefined) {
  expect_defined_conversions<float>();
  expect_defined_conversions<double>();
  const Tensor half = tensor<float>({NAN, INFINITY, -INFINITY, 2.5f, -2.5f}).to(DType::float16);
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max(),
                         least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(half.to(DType::int32).to_vector<std::int32_t>(), (std::vector<std::int32_t>{0, most, least, 2, -2}));
}

}  // namespace
}  // namespace minima::integers_test
