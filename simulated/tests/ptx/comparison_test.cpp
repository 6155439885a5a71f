#include "simulated/ptx/comparison.h"

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace simulated::ptx::comparison_test {
namespace {

template <class T> Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The difference of a kernel that was given zeros.
template <class T> Difference compare_values(const std::string& signature, const std::vector<T>& a,
                                             const std::vector<T>& b) {
  return compare(signature, {{bytes_of(std::vector<T>(a.size()))}, {bytes_of(a)}, {bytes_of(b)}});
}

const std::string of_floats = "void k<float>(float*)";

TEST(Comparison, EqualBitsAreEqual) {
  EXPECT_EQ(compare_values<float>(of_floats, {1, 2}, {1, 2}).numbers, 0u);
  EXPECT_EQ(compare_values<float>(of_floats, {0.0f, NAN}, {-0.0f, -NAN}).numbers, 0u);
}

TEST(Comparison, DistancesAreInUnitsOfTheLastPlace) {
  const Difference floats =
      compare_values<float>(of_floats, {1, 8}, {std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f), 8});
  EXPECT_EQ(floats.numbers, 1u);
  EXPECT_EQ(floats.ulps, 2);
  EXPECT_EQ(floats.ulps_of_largest, 0.25);
  const Difference doubles = compare_values<double>("k(double*)", {1}, {std::nextafter(1.0, 0.0)});
  EXPECT_EQ(doubles.ulps, 1);
  EXPECT_EQ(doubles.ulps_of_largest, 1);
  // 1 and the next larger number, twice; in the other type they are far apart.
  EXPECT_EQ(compare_values<std::uint16_t>("k(minima::BFloat16*)", {0x3f80}, {0x3f81}).ulps_of_largest, 1);
  EXPECT_EQ(compare_values<std::uint16_t>("k(minima::Float16*)", {0x3c00}, {0x3c01}).ulps_of_largest, 1);
  EXPECT_EQ(compare_values<std::uint16_t>("k(minima::Float16*)", {0x0001}, {0x8001}).ulps, 2);
}

TEST(Comparison, NothingExcusesNanOrIntegers) {
  EXPECT_TRUE(std::isinf(compare_values<float>(of_floats, {1}, {NAN}).ulps));
  EXPECT_TRUE(std::isinf(compare_values<float>(of_floats, {INFINITY}, {std::numeric_limits<float>::max()}).ulps));
  EXPECT_TRUE(std::isinf(compare_values<int>("void k<int>(int*)", {5}, {6}).ulps));
}

TEST(Comparison, BoundsAreForParts) {
  const Difference cancelled{.launches = 1, .numbers = 1, .ulps = 1000, .ulps_of_largest = 1};
  EXPECT_FALSE(judge({{of_floats, cancelled}}, {}).kept);
  EXPECT_FALSE(judge({{of_floats, cancelled}}, {{"k<float>", {.ulps = 1}}}).kept);
  EXPECT_FALSE(judge({{of_floats, cancelled}}, {{"k<double>", {.ulps = 1, .of_largest = true}}}).kept);
  EXPECT_TRUE(judge({{of_floats, cancelled}}, {{"k<float>", {.ulps = 1, .of_largest = true}}}).kept);
  EXPECT_NE(judge({{of_floats, cancelled}, {"k(int*)", {.launches = 3}}}, {})
                .report.find("2 kernels in both executors, 4 launches; 1 kernels are equal bit for bit"),
            std::string::npos);
}

TEST(Comparison, ReadsBounds) {
  const minima::test::TemporaryFolder folder;
  const std::string file = folder / "bounds.txt";
  std::ofstream(file) << "# contractions\n\neach 2 functor::Exp, float\nlargest inf f\n";
  const auto bounds = read_bounds(file);
  ASSERT_EQ(bounds.size(), 2u);
  EXPECT_EQ(bounds.at("functor::Exp, float").ulps, 2);
  EXPECT_TRUE(bounds.at("f").of_largest && std::isinf(bounds.at("f").ulps));
  std::ofstream(file) << "some 2 f\n";
  EXPECT_THROW(read_bounds(file), std::runtime_error);
  EXPECT_THROW(read_bounds("/no/such/file"), std::runtime_error);
}

}  // namespace
}  // namespace simulated::ptx::comparison_test
