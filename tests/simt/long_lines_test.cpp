#include "tests/simt/device/device.h"
#include "tests/simt/harness/simt.h"

#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// Few lines of many elements keep more than one thread, and more than one block, busy.

namespace minima {
namespace {

std::int64_t launches_of(const std::string& kernel) {
  const auto found = simt::launches().find(kernel);
  return found == simt::launches().end() ? 0 : found->second;
}

Tensor indices(std::int64_t count, std::int64_t size) { return randint(0, size, {count}, {.dtype = DType::int64}); }

/// The difference between what `f` computes with CUDA's kernels and with the CPU's, which is small; and every order of
/// threads gives the same bits.
template <class F>
void expect_the_cpus(const F& f, double tolerance) {
  const std::vector<double> got = f().to(DType::float64).template to_vector<double>();
  for (const std::uint64_t seed : {1, 2, 3}) {
    simt::set_seed(seed);
    const std::vector<double> again = f().to(DType::float64).template to_vector<double>();
    simt::set_seed(0);
    EXPECT_EQ(again, got) << "seed " << seed;
  }
  const test::OnCpu guard;
  const std::vector<double> expected = f().to(DType::float64).template to_vector<double>();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], tolerance) << i;
}

TEST(SimtLongLines, ScatterAddSumsRunsOfSortedTargets) {
  const std::int64_t before = launches_of("scatter_add");
  const Tensor index = indices(5000, 7), values = randn({5000});
  expect_the_cpus([&] { return scatter_add(ones({7}), 0, index, values); }, 1e-3);
  expect_the_cpus([&] { return index_add(ones({7}, {.dtype = DType::float16}), 0, index, values.to(DType::float16)); },
                  0.5);
  EXPECT_EQ(launches_of("scatter_add"), before) << "one thread adds a whole line";
}

TEST(SimtLongLines, ScatterAddTakesAnyNumberOfTheLongLines) {
  const Tensor index = randint(0, 9, {3, 700, 2}, {.dtype = DType::int64}), values = randn({3, 700, 2});
  expect_the_cpus([&] { return scatter_add(randn({3, 9, 2}) * 0, 1, index, values); }, 1e-3);
}

TEST(SimtLongLines, RowsAreAddedWhole) {
  const Tensor index = indices(600, 5), rows = randn({600, 24});
  expect_the_cpus([&] { return index_add(zeros({5, 24}), 0, index, rows); }, 1e-3);
  const Tensor one = zeros({600}, {.dtype = DType::int64});  // one run over all chunks
  expect_the_cpus([&] { return index_add(zeros({5, 24}), 0, one, rows); }, 1e-3);
}

TEST(SimtLongLines, GradientsOfEmbeddingsCutLongRuns) {
  const Tensor mixed = where(randn({2000}) > 0, zeros({2000}, {.dtype = DType::int64}), indices(2000, 40));
  for (const DType dtype : {DType::float32, DType::bfloat16})
    expect_the_cpus(
        [&] {
          const Tensor weight = ones({40, 16}, {.dtype = dtype}).requires_grad(true);
          manual_seed(3);
          const Tensor y = embedding(weight, mixed);
          sum(y * randn({2000, 16}).to(dtype)).backward();
          return weight.grad();
        },
        dtype == DType::float32 ? 1e-3 : 1.0);
}

TEST(SimtLongLines, GradientsOfOverlappingViewsAreSummedInParallel) {
  const std::int64_t before = launches_of("add_in_order");
  expect_the_cpus(
      [] {
        const Tensor x = ones({130}).requires_grad(true);
        manual_seed(5);
        sum(as_strided(x, {{120, 10}, {1, 1}, 0}) * randn({120, 10})).backward();
        return x.grad();
      },
      1e-4);
  EXPECT_EQ(launches_of("add_in_order"), before);
}

TEST(SimtLongLines, ScansAreSplitOverBlocks) {
  const std::int64_t before = launches_of("scan");
  const Tensor x = rand({40000}), wide = randint(-5, 9, {3, 9000}, {.dtype = DType::int64});
  expect_the_cpus([&] { return cumsum(x, 0); }, 0.05);
  expect_the_cpus([&] { return cumsum(x.to(DType::float64), 0); }, 1e-9);
  expect_the_cpus([&] { return cumsum(wide, 1); }, 0);
  expect_the_cpus([&] { return cumsum(transpose(wide, 0, 1), 0); }, 0);
  expect_the_cpus([&] { return cumprod(1 + x.to(DType::float64) / 40000, 0); }, 1e-9);
  expect_the_cpus(
      [&] {
        const Tensor y = x.to(DType::float64).detach().requires_grad(true);
        sum(cumsum(y, 0) * y.detach()).backward();
        return y.grad();
      },
      1e-6);
  EXPECT_EQ(launches_of("scan"), before) << "one block scans a whole line";
}

TEST(SimtLongLines, SoftmaxOverFewInterleavedLinesUsesBlocks) {
  const Tensor x = randn({3000, 3});
  expect_the_cpus([&] { return softmax(x, 0); }, 1e-6);
  expect_the_cpus([&] { return log_softmax(x, 0); }, 1e-4);
}

}  // namespace
}  // namespace minima
