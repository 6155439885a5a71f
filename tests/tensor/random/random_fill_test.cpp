#include <minima/tensor/random/random_fill.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/tensor/random/random_golden.h"

namespace minima::random_fill_test {
namespace {

RandomGenerator& golden_generator() {
  static RandomGenerator generator;
  generator.set_state({golden::seed, golden::offset});
  return generator;
}

template <class T, std::size_t N>
std::vector<T> drawn(void (*fill)(RandomGenerator&, DType, void*, std::int64_t, double, double), const auto (&)[N],
                     double a, double b) {
  std::vector<T> values(N);
  fill(golden_generator(), dtype_of<T>, values.data(), N, a, b);
  return values;
}

TEST(RandomFill, UniformFollowsTheCounterLayout) {
  const auto narrow = drawn<float>(detail::fill_uniform, golden::uniform, 0, 1);
  for (std::size_t i = 0; i < narrow.size(); ++i) EXPECT_EQ(narrow[i], golden::uniform[i]) << i;
  const auto wide = drawn<double>(detail::fill_uniform, golden::wide_uniform, 0, 1);
  for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_EQ(wide[i], golden::wide_uniform[i]) << i;
}

TEST(RandomFill, NormalFollowsTheCounterLayout) {
  const auto narrow = drawn<float>(detail::fill_normal, golden::normal, 0, 1);
  for (std::size_t i = 0; i < narrow.size(); ++i) EXPECT_NEAR(narrow[i], golden::normal[i], 1e-6) << i;
  const auto wide = drawn<double>(detail::fill_normal, golden::wide_normal, 0, 1);
  for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_NEAR(wide[i], golden::wide_normal[i], 2e-15) << i;
}

TEST(RandomFill, IntegersFollowTheCounterLayout) {
  std::int32_t narrow[12];
  detail::fill_integers(golden_generator(), int32, narrow, 12, 0, 1000);
  std::int64_t wide[12];
  detail::fill_integers(golden_generator(), int64, wide, 12, -5, 995);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(narrow[i], golden::integers_below_1000[i]) << i;
    EXPECT_EQ(wide[i], golden::wide_integers_below_1000[i] - 5) << i;
  }
}

TEST(RandomFill, PermutationIsTheDocumentedOne) {
  std::int64_t values[12];
  detail::fill_permutation(golden_generator(), values, 12);
  EXPECT_TRUE(std::equal(values, values + 12, golden::permutation));
}

TEST(RandomFill, HalfTypesAreTheRoundedFloats) {
  std::vector<float> exact(1000);
  std::vector<Float16> half(1000);
  std::vector<BFloat16> brain(1000);
  detail::fill_normal(golden_generator(), float32, exact.data(), 1000, 1.5, 2.0);
  detail::fill_normal(golden_generator(), float16, half.data(), 1000, 1.5, 2.0);
  detail::fill_normal(golden_generator(), bfloat16, brain.data(), 1000, 1.5, 2.0);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(half[i].bits, Float16(exact[i]).bits) << i;
    ASSERT_EQ(brain[i].bits, BFloat16(exact[i]).bits) << i;
  }
}

/// FNV-1a over the bytes of n values.
template <class T>
std::uint64_t fingerprint(const std::vector<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

template <class T>
std::uint64_t normal_fingerprint() {
  std::vector<T> values(20001);
  detail::fill_normal(golden_generator(), dtype_of<T>, values.data(), 20001, 0.25, 3.0);
  return fingerprint(values);
}

// Bit for bit, regardless of compiler, flags and vector instructions.
TEST(RandomFill, NormalsAreTheSameEverywhere) {
  EXPECT_EQ(normal_fingerprint<float>(), 11667598439524887148u);
  EXPECT_EQ(normal_fingerprint<double>(), 4809235085414400690u);
}

TEST(RandomFill, UsesUpAsManyCountersAsTheLayoutSays) {
  std::vector<double> memory(64);
  for (std::int64_t n = 0; n <= 33; ++n) {
    for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8, boolean}) {
      RandomGenerator generator(1);
      detail::fill_bernoulli(generator, dtype, memory.data(), n, 0.5);
      const auto per_counter = size_of(dtype) == 8 ? 2 : 4;
      ASSERT_EQ(generator.state().offset, static_cast<std::uint64_t>((n + per_counter - 1) / per_counter))
          << n << " elements of " << name(dtype);
    }
  }
}

template <class T>
std::vector<T> normals(std::int64_t count, int threads) {
  const int before = num_threads();
  set_num_threads(threads);
  std::vector<T> values(static_cast<std::size_t>(count) + 1, T(-77.0f));
  RandomGenerator generator(5);
  detail::fill_normal(generator, dtype_of<T>, values.data(), count, 0, 1);
  set_num_threads(before);
  EXPECT_EQ(static_cast<float>(values.back()), -77.0f) << "written beyond the end";
  values.pop_back();
  return values;
}

template <class T>
void expect_prefixes_agree() {
  const std::vector<T> whole = normals<T>(100'000, 1);
  for (const std::int64_t count : {1, 2, 3, 511, 512, 513, 1023, 1024, 1025, 4097, 50'001}) {
    for (const int threads : {1, 2, 3}) {
      const std::vector<T> part = normals<T>(count, threads);
      ASSERT_EQ(std::memcmp(part.data(), whole.data(), part.size() * sizeof(T)), 0)
          << count << " elements on " << threads << " threads";
    }
  }
}

TEST(RandomFill, ElementsDependNeitherOnTheCountNorOnThreads) {
  expect_prefixes_agree<float>();
  expect_prefixes_agree<double>();
  expect_prefixes_agree<Float16>();
}

TEST(RandomFill, UniformStaysBelowItsUpperBound) {
  // Bounds where low + (high - low)·u rounds up to high in the element's precision.
  const auto check = []<class T>(double low, double high) {
    std::vector<T> values(300'000);
    RandomGenerator generator(3);
    detail::fill_uniform(generator, dtype_of<T>, values.data(), static_cast<std::int64_t>(values.size()), low, high);
    for (const T value : values) {
      ASSERT_GE(static_cast<double>(value), low) << name(dtype_of<T>);
      ASSERT_LT(static_cast<double>(value), high) << name(dtype_of<T>);
    }
  };
  check.operator()<Float16>(0, 1);
  check.operator()<BFloat16>(0, 1);
  check.operator()<BFloat16>(-1, 1e-3);
  check.operator()<float>(16'777'210, 16'777'216);
  check.operator()<float>(0.1, 0.3);
  check.operator()<double>(4503599627370490.0, 4503599627370496.0);
  check.operator()<Float16>(-0.7, -0.1);
}

TEST(RandomFill, IntegersReachBothEndsAndNoFurther) {
  const auto check = []<class T>(std::int64_t low, std::int64_t high) {
    const auto values = std::make_unique<T[]>(200'000);  // std::vector<bool> has no array of bool
    RandomGenerator generator(3);
    detail::fill_integers(generator, dtype_of<T>, values.get(), 200'000, low, high);
    const auto [least, most] = std::minmax_element(values.get(), values.get() + 200'000);
    EXPECT_EQ(static_cast<std::int64_t>(*least), low) << name(dtype_of<T>);
    EXPECT_EQ(static_cast<std::int64_t>(*most), high - 1) << name(dtype_of<T>);
  };
  check.operator()<std::uint8_t>(0, 256);
  check.operator()<std::int8_t>(-128, 128);
  check.operator()<std::int32_t>(-1000, 7);
  check.operator()<std::int64_t>(1'000'000'000'000, 1'000'000'000'500);
  check.operator()<float>(-16'777'216, -16'777'000);
  check.operator()<Float16>(-2048, 0);
  check.operator()<bool>(0, 2);
}

TEST(RandomFill, IntegersOfTheFullRangeAreTheWordsThemselves) {
  std::int32_t values[12];
  detail::fill_integers(golden_generator(), int32, values, 12, INT32_MIN, std::int64_t{INT32_MAX} + 1);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(static_cast<std::uint32_t>(values[i]), golden::words[i] + 0x80000000u) << i;
}

TEST(RandomFill, BernoulliKeepsItsPromisesAtTheEnds) {
  std::vector<std::uint8_t> values(10'000);
  RandomGenerator generator(3);
  detail::fill_bernoulli(generator, uint8, values.data(), 10'000, 0.0);
  EXPECT_EQ(std::count(values.begin(), values.end(), 0), 10'000);
  detail::fill_bernoulli(generator, uint8, values.data(), 10'000, 1.0);
  EXPECT_EQ(std::count(values.begin(), values.end(), 1), 10'000);
}

TEST(RandomFill, BernoulliComparesTheUniformNumber) {
  std::vector<float> uniform(1000), mask(1000);
  detail::fill_uniform(golden_generator(), float32, uniform.data(), 1000, 0, 1);
  detail::fill_bernoulli(golden_generator(), float32, mask.data(), 1000, 0.3);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(mask[i], uniform[i] < 0.3 ? 1.0f : 0.0f) << i;
}

TEST(RandomFill, PermutationsHoldEveryIndexOnce) {
  RandomGenerator generator(3);
  for (const std::int64_t count : {0, 1, 2, 3, 511, 512, 513, 10'000}) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    detail::fill_permutation(generator, values.data(), count);
    std::sort(values.begin(), values.end());
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i);
  }
}

template <class E>
void expect_error(auto&& call, const char* text) {
  try {
    call();
    FAIL() << "no error; expected: " << text;
  } catch (const E& error) {
    EXPECT_STREQ(error.what(), text);
  }
}

TEST(RandomFill, SaysWhatIsWrongWithArguments) {
  RandomGenerator generator;
  std::vector<double> memory(8);
  void* data = memory.data();
  expect_error<ValueError>([&] { detail::fill_uniform(generator, float32, data, 8, 1, 1); },
                           "uniform: no range of float32 from 1 to below 1");
  expect_error<ValueError>([&] { detail::fill_uniform(generator, bfloat16, data, 8, 1.001, 1.002); },
                           "uniform: no range of bfloat16 from 1.001 to below 1.002");
  expect_error<ValueError>([&] { detail::fill_uniform(generator, float32, data, 8, -3e38, 3e38); },
                           "uniform: no range of float32 from -3e+38 to below 3e+38");
  expect_error<DTypeError>([&] { detail::fill_uniform(generator, int32, data, 8, 0, 1); },
                           "uniform: no kernel for int32");
  expect_error<ValueError>([&] { detail::fill_normal(generator, float32, data, 8, 0, -1); },
                           "normal: mean 0 and standard deviation -1; both must be finite, the latter ≥ 0");
  expect_error<ValueError>([&] { detail::fill_integers(generator, int64, data, 8, 3, 3); },
                           "randint: no integers from 3 to below 3");
  expect_error<ValueError>([&] { detail::fill_integers(generator, uint8, data, 8, 0, 257); },
                           "randint: uint8 does not hold all integers from 0 to 256");
  expect_error<ValueError>([&] { detail::fill_bernoulli(generator, float32, data, 8, std::nan("")); },
                           "bernoulli: probability nan is not between 0 and 1");
  EXPECT_EQ(generator.state().offset, 0u) << "a refused call used up counters";
}

}  // namespace
}  // namespace minima::random_fill_test
