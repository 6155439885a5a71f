#include "simulated/kernels/simt.h"
#include "simulated/tests/library/library.h"

#include <minima/autograd/backward.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/index/kernels.h>
#include <minima/ops/loops/runs/runs.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

// Few lines of many elements keep more than one thread, and more than one block, busy.

namespace minima::long_lines_test {
namespace {

std::int64_t runs_of(const std::string& kernel) {
  synchronize(first_gpu);
  const auto runs = simulated::simt::runs();
  const auto found = runs.find(kernel + "_kernel");
  return found == runs.end() ? 0 : found->second;
}

Tensor indices(std::int64_t count, std::int64_t size) { return randint(0, size, {count}, {.dtype = DType::int64}); }

/// f(device) computes much the same on both; and every order of threads gives the same bits.
template <class F>
void expect_the_cpus(const F& f, double tolerance) {
  const auto on = [&](Device device) { return f(device).to(DType::float64).to(Device()).template to_vector<double>(); };
  const std::vector<double> got = on(first_gpu);
  for (const std::uint64_t seed : {1, 2, 3}) {
    simulated::simt::set_seed(seed);
    const std::vector<double> again = on(first_gpu);
    simulated::simt::set_seed(0);
    EXPECT_EQ(again, got) << "seed " << seed;
  }
  const std::vector<double> expected = on(Device());
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], tolerance) << i;
}

class LongLines : public LibraryOnSimulatedGpus {};

TEST_F(LongLines, ScatterAddSumsRunsOfSortedTargets) {
  const std::int64_t before = runs_of("scatter_add");
  const Tensor index = indices(5000, 7), values = randn({5000});
  expect_the_cpus(
      [&](Device device) { return scatter_add(ones({7}, {.device = device}), 0, index.to(device), values.to(device)); },
      1e-3);
  expect_the_cpus(
      [&](Device device) {
        return index_add(ones({7}, {.dtype = DType::float16, .device = device}), 0, index.to(device),
                         values.to(DType::float16).to(device));
      },
      0.5);
  EXPECT_EQ(runs_of("scatter_add"), before) << "one thread adds a whole line";
}

TEST_F(LongLines, ScatterAddTakesAnyNumberOfTheLongLines) {
  const Tensor index = randint(0, 9, {3, 700, 2}, {.dtype = DType::int64}), values = randn({3, 700, 2});
  expect_the_cpus(
      [&](Device device) {
        return scatter_add(zeros({3, 9, 2}, {.device = device}), 1, index.to(device), values.to(device));
      },
      1e-3);
}

/// Keys of one digit and of several, in tiles that are full, one short of it, one more, and several to a block.
TEST_F(LongLines, SortsAreStable) {
  const auto expect_stable = [](std::int64_t count, std::int64_t limit) {
    const Tensor keys = indices(count, limit);
    const sorting::Sorted sorted = sorting::radix_sort_cuda(keys.to(first_gpu), limit, 2);
    std::vector<std::int64_t> places(static_cast<std::size_t>(count));
    std::iota(places.begin(), places.end(), 0);
    const std::vector<std::int64_t> values = keys.to_vector<std::int64_t>();
    const auto key_of = [&](std::int64_t place) { return values[static_cast<std::size_t>(place)]; };
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return key_of(a) < key_of(b); });
    EXPECT_EQ(sorted.positions.to(Device()).to_vector<std::int64_t>(), places) << count << " below " << limit;
    for (std::int64_t& place : places) place = key_of(place);
    EXPECT_EQ(sorted.keys.to(Device()).to_vector<std::int64_t>(), places) << count << " below " << limit;
  };
  for (const std::int64_t count : {1, 31, 33, 2047, 2048, 2049})
    for (const std::int64_t limit : {1, 3, 70000}) expect_stable(count, limit);
  for (const std::uint64_t seed : {1, 2}) {
    simulated::simt::set_seed(seed);
    expect_stable(9000, 300);
  }
  simulated::simt::set_seed(0);
}

TEST_F(LongLines, RowsAreAddedWhole) {
  const Tensor index = indices(600, 5), rows = randn({600, 24});
  expect_the_cpus(
      [&](Device device) {
        return index_add(zeros({5, 24}, {.device = device}), 0, index.to(device), rows.to(device));
      },
      1e-3);
  const Tensor one = zeros({600}, {.dtype = DType::int64});  // one run over all chunks
  expect_the_cpus(
      [&](Device device) { return index_add(zeros({5, 24}, {.device = device}), 0, one.to(device), rows.to(device)); },
      1e-3);
}

TEST_F(LongLines, GradientsOfEmbeddingsCutLongRuns) {
  const Tensor mixed = where(randn({2000}) > 0, zeros({2000}, {.dtype = DType::int64}), indices(2000, 40));
  for (const DType dtype : {DType::float32, DType::bfloat16})
    expect_the_cpus(
        [&](Device device) {
          const Tensor weight = ones({40, 16}, {.dtype = dtype, .device = device}).requires_grad(true);
          manual_seed(3);
          const Tensor y = embedding(weight, mixed.to(device));
          sum(y * randn({2000, 16}).to(dtype).to(device)).backward();
          return weight.grad();
        },
        dtype == DType::float32 ? 1e-3 : 1.0);
}

TEST_F(LongLines, GradientsOfOverlappingViewsAreSummedInParallel) {
  const std::int64_t before = runs_of("add_in_order");
  expect_the_cpus(
      [](Device device) {
        const Tensor x = ones({130}, {.device = device}).requires_grad(true);
        manual_seed(5);
        sum(as_strided(x, {{120, 10}, {1, 1}, 0}) * randn({120, 10}).to(device)).backward();
        return x.grad();
      },
      1e-4);
  EXPECT_EQ(runs_of("add_in_order"), before);
}

TEST_F(LongLines, ScansAreSplitOverBlocks) {
  const std::int64_t before = runs_of("scan");
  const Tensor x = rand({40000}), wide = randint(-5, 9, {3, 9000}, {.dtype = DType::int64});
  expect_the_cpus([&](Device device) { return cumsum(x.to(device), 0); }, 0.05);
  expect_the_cpus([&](Device device) { return cumsum(x.to(DType::float64).to(device), 0); }, 1e-9);
  expect_the_cpus([&](Device device) { return cumsum(wide.to(device), 1); }, 0);
  expect_the_cpus([&](Device device) { return cumsum(transpose(wide.to(device), 0, 1), 0); }, 0);
  expect_the_cpus([&](Device device) { return cumprod(1 + x.to(DType::float64).to(device) / 40000, 0); }, 1e-9);
  expect_the_cpus(
      [&](Device device) {
        const Tensor y = x.to(DType::float64).to(device).detach().requires_grad(true);
        sum(cumsum(y, 0) * y.detach()).backward();
        return y.grad();
      },
      1e-6);
  EXPECT_EQ(runs_of("scan"), before) << "one block scans a whole line";
}

TEST_F(LongLines, SoftmaxOverFewInterleavedLinesUsesBlocks) {
  const std::int64_t before = runs_of("softmax");
  for (const Tensor& x : {randn({3000, 3}), randn({64, 5})}) {
    expect_the_cpus([&](Device device) { return softmax(x.to(device), 0); }, 1e-6);
    expect_the_cpus([&](Device device) { return log_softmax(x.to(device), 0); }, 1e-4);
  }
  EXPECT_EQ(runs_of("softmax"), before) << "one thread has a whole line";
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "no error";
}

/// Counts of more positions would wrap around. The views below repeat one element, so nothing is large but their sizes.
TEST_F(LongLines, OfMorePositionsThanASortCountsAreRefused) {
  constexpr std::int64_t count = std::int64_t{1} << 32;
  const auto repeated = [&](DType dtype, const Shape& shape) {
    Shape one = shape;
    for (int d = 0; d < one.rank(); ++d) one[d] = 1;
    return expand(zeros(one, {.dtype = dtype, .device = first_gpu}), shape);
  };
  const auto expected = [](const char* op) {
    return std::string(op) + ": sorts 4294967296 positions, and CUDA sorts at most 2^32 - 1 at once; split the tensor";
  };
  Tensor rows = zeros({3, 1}, {.device = first_gpu});
  const Tensor values = repeated(float32, {count}), places = repeated(int64, {count});
  EXPECT_EQ(error_of([&] { detail::add_kernel_cuda(values, repeated(float32, {count})); }),
            expected("adding to a view that overlaps itself"));
  EXPECT_EQ(error_of([&] { detail::embedding_gradient_kernel_cuda(repeated(float32, {count, 1}), places, -1, rows); }),
            expected("embedding"));
  EXPECT_EQ(error_of([&] { detail::put_rows_kernel_cuda(places, repeated(float32, {count, 1}), rows); }),
            expected("index_put"));
  synchronize(first_gpu);
}

}  // namespace
}  // namespace minima::long_lines_test
