#include <minima/ops/product/gemm/gemm.h>
#include <minima/ops/product/gemm/engine.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>

#include "tests/support/doubles.h"
#include "tests/support/draw.h"
#include "tests/support/engines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace minima::gemm_test {
namespace {

using namespace test;
using namespace detail;

#ifdef MINIMA_HAVE_ONEDNN
constexpr bool have_onednn = true;
#else
constexpr bool have_onednn = false;
#endif

/// One product with all its options; `gap` elements separate the rows of every matrix.
struct Case {
  std::int64_t m, n, k;
  bool a_transposed = false, b_transposed = false, accumulate = false, bias = false;
  Activation activation = Activation::none;
  DType c_dtype = float32;
  int gap = 0;
  bool eigen_only = false;
  DType a_dtype = c_dtype == float64 ? float64 : float32, b_dtype = a_dtype;

  DType dtype() const { return c_dtype == float64 ? float64 : float32; }
};

double activated(double x, Activation activation) {
  switch (activation) {
    case Activation::relu: return std::max(x, 0.0);
    case Activation::gelu: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    default: return x;
  }
}

HalfType half_type(DType dtype) {
  return dtype == float16 ? HalfType::float16 : dtype == bfloat16 ? HalfType::bfloat16 : HalfType::none;
}

double at(const Doubles& matrix, std::int64_t i, std::int64_t j) {
  return matrix.values[static_cast<std::size_t>(i * matrix.shape[1] + j)];
}

/// Random values as stored: `rows` rows of `columns` values and a gap.
Doubles stored(std::int64_t rows, std::int64_t columns, int gap, DType dtype, std::uint64_t seed) {
  return draw(normal({rows, columns + gap}), dtype, seed);
}

class Trial {
 public:
  explicit Trial(const Case& c)
      : case_(c),
        a_(c.a_transposed ? stored(c.k, c.m, c.gap, c.a_dtype, 1) : stored(c.m, c.k, c.gap, c.a_dtype, 1)),
        b_(c.b_transposed ? stored(c.n, c.k, c.gap, c.b_dtype, 2) : stored(c.k, c.n, c.gap, c.b_dtype, 2)),
        c_(stored(c.m, c.n, c.gap, c.c_dtype, 3)),
        bias_(draw(normal({c.n}), c.dtype(), 4)) {}

  void compute() {
    const Case& c = case_;
    const Tensor a = lay_out(a_, c.a_dtype, Form::row_major), b = lay_out(b_, c.b_dtype, Form::row_major);
    const Tensor bias = lay_out(bias_, c.dtype(), Form::row_major);
    result_ = lay_out(c_, c.c_dtype, Form::row_major);
    before_ = lay_out(c_, c.c_dtype, Form::row_major);
    const Gemm gemm{.m = c.m,
                    .n = c.n,
                    .k = c.k,
                    .a = {(c.a_transposed ? c.m : c.k) + c.gap, c.a_transposed, 0, half_type(c.a_dtype)},
                    .b = {(c.b_transposed ? c.k : c.n) + c.gap, c.b_transposed, 0, half_type(c.b_dtype)},
                    .ldc = c.n + c.gap,
                    .dtype = c.dtype(),
                    .c_dtype = c.c_dtype,
                    .accumulate = c.accumulate,
                    .epilogue = {c.bias ? bias.raw_data() : nullptr, c.activation, before_.raw_data()}};
    std::optional<EigenOnly> eigen;
    if (c.eigen_only) eigen.emplace();
    run_gemm(gemm, a.raw_data(), b.raw_data(), result_.raw_data());
  }

  /// |difference| ≤ 4·eps·√k·(|a|·|b| + |c| + |bias|), and the gaps between C's rows are unchanged.
  void check() const {
    const Case& c = case_;
    const double eps = c.dtype() == float64 ? 0x1p-52 : 0x1p-23;
    const double rounding = c.c_dtype == float16 ? 0x1p-10 : c.c_dtype == bfloat16 ? 0x1p-7 : eps;
    const Doubles got = doubles_of(result_), before = doubles_of(before_);
    int wrong = 0;
    for (std::int64_t i = 0; i < c.m; ++i)
      for (std::int64_t j = 0; j < c.n + c.gap; ++j) {
        const double start = at(c_, i, j);
        if (j >= c.n) {
          wrong += at(got, i, j) != start;
          continue;
        }
        double sum = c.accumulate ? start : 0, size = std::fabs(sum);
        for (std::int64_t k = 0; k < c.k; ++k) {
          const double product =
              (c.a_transposed ? at(a_, k, i) : at(a_, i, k)) * (c.b_transposed ? at(b_, j, k) : at(b_, k, j));
          sum += product;
          size += std::fabs(product);
        }
        if (c.bias) {
          sum += bias_.values[static_cast<std::size_t>(j)];
          size += std::fabs(bias_.values[static_cast<std::size_t>(j)]);
        }
        const double expected = activated(sum, c.activation);
        const double allowed = 4 * eps * std::sqrt(static_cast<double>(c.k + 1)) * size;
        const bool good = std::fabs(at(got, i, j) - expected) <= 1.2 * allowed + rounding * std::fabs(expected) &&
                          std::fabs(at(before, i, j) - sum) <= allowed + rounding * std::fabs(sum);
        if (!good && ++wrong < 4)
          ADD_FAILURE() << "(" << i << ", " << j << "): got " << at(got, i, j) << " from " << at(before, i, j)
                        << ", expected " << expected << " from " << sum;
      }
    EXPECT_EQ(wrong, 0);
  }

  std::vector<double> values() const { return doubles_of(result_).values; }

 private:
  Case case_;
  Doubles a_, b_, c_, bias_;
  Tensor result_, before_;
};

void expect_right(const Case& c) {
  SCOPED_TRACE(str("m ", c.m, " n ", c.n, " k ", c.k, " aT ", c.a_transposed, " bT ", c.b_transposed,
                   " += ", c.accumulate, " bias ", c.bias, " activation ", static_cast<int>(c.activation), " gap ",
                   c.gap, " A ", c.a_dtype, " B ", c.b_dtype, " C ", c.c_dtype, c.eigen_only ? " Eigen" : ""));
  Trial run(c);
  run.compute();
  run.check();
}

TEST(Gemm, EveryEngineEqualsTheDoubleReference) {
  const std::int64_t sizes[][3] = {{1, 1, 1},    {3, 5, 7},     {17, 1, 33}, {1, 40, 9},
                                   {40, 36, 20}, {129, 130, 5}, {5, 600, 3}};
  for (const auto& [m, n, k] : sizes)
    for (const bool eigen : {false, true})
      for (const DType dtype : {float32, float64})
        for (int flags = 0; flags < 16; ++flags)
          expect_right({.m = m,
                        .n = n,
                        .k = k,
                        .a_transposed = (flags & 1) != 0,
                        .b_transposed = (flags & 2) != 0,
                        .accumulate = (flags & 4) != 0,
                        .c_dtype = dtype,
                        .gap = (flags & 8) ? 3 : 0,
                        .eigen_only = eigen});
}

TEST(Gemm, AddsManyBlocksAndALongInnerSize) {
  for (const bool eigen : {false, true})
    for (const bool accumulate : {false, true})
      expect_right(
          {.m = 200, .n = 140, .k = 1100, .b_transposed = true, .accumulate = accumulate, .eigen_only = eigen});
}

TEST(Gemm, FinishesEveryBlockWithBiasAndActivation) {
  for (const DType dtype : {float32, float64, float16, bfloat16})
    for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh})
      for (const bool accumulate : {false, true})
        expect_right({.m = 140,
                      .n = 135,
                      .k = 6,
                      .accumulate = accumulate,
                      .bias = true,
                      .activation = activation,
                      .c_dtype = dtype,
                      .gap = 2});
}

TEST(Gemm, HalfOperandsEqualTheDoubleReference) {
  const std::int64_t sizes[][3] = {{1, 1, 1},   {1, 43, 39}, {2, 17, 70}, {3, 9, 16},    {4, 40, 33},
                                   {7, 25, 37}, {33, 5, 18}, {40, 1, 35}, {37, 130, 11}, {1, 6, 4133}};
  for (const auto& [m, n, k] : sizes)
    for (const DType half : {float16, bfloat16})
      for (int flags = 0; flags < 16; ++flags)
        expect_right({.m = m,
                      .n = n,
                      .k = k,
                      .a_transposed = (flags & 1) != 0,
                      .b_transposed = (flags & 2) != 0,
                      .accumulate = (flags & 4) != 0,
                      .c_dtype = (flags & 4) ? half : float32,
                      .gap = (flags & 8) ? 3 : 0,
                      .a_dtype = half,
                      .b_dtype = half});
}

TEST(Gemm, OneOperandMayBeHalf) {
  for (const std::int64_t m : {3, 50})
    for (const bool transposed : {false, true}) {
      expect_right({.m = m, .n = 70, .k = 600, .b_transposed = transposed, .b_dtype = bfloat16});
      expect_right({.m = m, .n = 70, .k = 600, .a_transposed = transposed, .a_dtype = bfloat16, .b_dtype = float32});
    }
}

TEST(Gemm, BlocksOfHalfOperandsAreFinishedWithBiasAndActivation) {
  for (const std::int64_t m : {2, 140})
    expect_right({.m = m,
                  .n = 535,
                  .k = 20,
                  .b_transposed = true,
                  .bias = true,
                  .activation = Activation::gelu,
                  .c_dtype = bfloat16,
                  .a_dtype = bfloat16,
                  .b_dtype = bfloat16});
}

TEST(Gemm, NaNAndInfinityOfHalfOperandsReachTheirColumnsOnly) {
  constexpr std::int64_t n = 21, k = 35;
  for (const std::int64_t m : {1, 3, 40})
    for (const bool transposed : {false, true})
      for (const std::int64_t p : {0, 17, 34}) {
        std::vector<BFloat16> a(static_cast<std::size_t>(m * k), BFloat16(1)), b(n * k, BFloat16(1));
        const auto place = [&](std::int64_t j) { return static_cast<std::size_t>(transposed ? j * k + p : p * n + j); };
        b[place(2)] = BFloat16(NAN), b[place(20)] = BFloat16(-INFINITY);
        std::vector<float> c(static_cast<std::size_t>(m * n), NAN), expected(c.size(), k);
        for (std::size_t i = 0; i < c.size(); i += n) expected[i + 2] = NAN, expected[i + 20] = -INFINITY;
        run_gemm({.m = m,
                  .n = n,
                  .k = k,
                  .a = {.ld = k, .half = HalfType::bfloat16},
                  .b = {.ld = transposed ? k : n, .transposed = transposed, .half = HalfType::bfloat16},
                  .ldc = n},
                 a.data(), b.data(), c.data());
        for (std::size_t i = 0; i < c.size(); ++i)
          ASSERT_TRUE(c[i] == expected[i] || (std::isnan(c[i]) && std::isnan(expected[i])))
              << "m " << m << " element " << i << ": got " << c[i] << ", expected " << expected[i];
      }
}

TEST(Gemm, WithoutTermsIsTheEpilogueAlone) {
  for (const bool accumulate : {false, true})
    for (const DType dtype : {float32, bfloat16})
      expect_right({.m = 4,
                    .n = 6,
                    .k = 0,
                    .accumulate = accumulate,
                    .bias = true,
                    .activation = Activation::relu,
                    .a_dtype = dtype,
                    .b_dtype = dtype});
}

TEST(Gemm, DoesNotReadCUnlessItAccumulates) {
  for (const bool eigen : {false, true}) {
    std::optional<EigenOnly> only;
    if (eigen) only.emplace();
    std::vector<float> a(64, 1), b(64, 2), c(64, NAN);
    run_gemm({.m = 8, .n = 8, .k = 8, .a = {8, false}, .b = {8, false}, .ldc = 8}, a.data(), b.data(), c.data());
    EXPECT_EQ(c, std::vector<float>(64, 16));
  }
}

TEST(Gemm, RunsOnTheIntendedEngine) {
  const auto calls = [](const Case& c, Engine engine) { return calls_of(engine, [&] { expect_right(c); }); };
  const Case single{.m = 8, .n = 8, .k = 8};
  EXPECT_EQ(calls(single, have_onednn ? Engine::onednn : Engine::eigen), 1);
  EXPECT_EQ(calls({.m = 8, .n = 8, .k = 8, .eigen_only = true}, Engine::eigen), 1);
  EXPECT_EQ(calls({.m = 8, .n = 8, .k = 8, .c_dtype = float64}, Engine::eigen), 1);
  EXPECT_EQ(calls({.m = 8, .n = 8, .k = 8, .c_dtype = bfloat16}, have_onednn ? Engine::onednn : Engine::eigen), 1);
}

TEST(Gemm, IsBitwiseTheSameForAnyNumberOfThreadsIfDeterministic) {
  const int threads = num_threads();
  deterministic(true);
  for (const bool eigen : {false, true}) {
    Trial run({.m = 700, .n = 530, .k = 300, .a_transposed = true, .eigen_only = eigen});
    run.compute();
    const std::vector<double> reference = run.values();
    for (const int count : {1, 2, 5}) {
      set_num_threads(count);
      run.compute();
      EXPECT_EQ(run.values(), reference) << count << " threads";
    }
  }
  set_num_threads(threads);
  deterministic(false);
}

}  // namespace
}  // namespace minima::gemm_test
