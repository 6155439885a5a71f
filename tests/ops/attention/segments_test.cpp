#include <minima/ops/attention/segments.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ctime>
#include <vector>

namespace minima::segments_test {
namespace {

/// Numbers that ascend with gaps, for documents of these lengths.
Tensor numbers_of(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    numbers.insert(numbers.end(), static_cast<std::size_t>(lengths[i]), static_cast<std::int64_t>(3 * i) - 1);
  return from_vector(numbers, {static_cast<std::int64_t>(numbers.size())});
}

/// y and the gradients of q, k and v for a gradient g of y.
std::vector<Tensor> attend(const std::vector<Tensor>& values, const AttentionOptions& options) {
  std::vector<Tensor> x;
  for (int i = 0; i < 3; ++i) x.push_back(clone(values[static_cast<std::size_t>(i)].detach()).requires_grad(true));
  const Tensor y = scaled_dot_product_attention(x[0], x[1], x[2], options);
  std::vector<Tensor> results = grad({y}, x, {values[3]});
  results.insert(results.begin(), y.detach());
  return results;
}

std::vector<Tensor> inputs(const Shape& q, const Shape& k, DType dtype = float32) {
  RandomGenerator generator(11);
  std::vector<Tensor> all;
  for (const Shape& shape : {q, k, k, q}) all.push_back(randn(shape, {}, &generator).to(dtype));
  return all;
}

const std::vector<std::int64_t> lengths{1, 130, 16, 1, 140, 3};
constexpr std::int64_t total = 291;

TEST(Segments, DocumentsEqualThoseInRowsOfTheirOwn) {
  for (const std::int64_t batch : {1, 9})  // few heads, and enough for a task each
    for (const std::int64_t window : {0, 50})
      for (const bool causal : {true, false}) {
        const std::vector<Tensor> all = inputs({batch, 4, total, 24}, {batch, 2, total, 24});
        AttentionOptions options{.causal = causal, .window = window, .segments = numbers_of(lengths), .grouped = true};
        const std::vector<Tensor> packed = attend(all, options);
        options.segments = {};
        std::int64_t start = 0;
        for (const std::int64_t length : lengths) {
          const auto part = [&](const Tensor& x) { return contiguous(narrow(x, 2, start, length)); };
          std::vector<Tensor> own;
          for (const Tensor& x : all) own.push_back(part(x));
          const std::vector<Tensor> alone = attend(own, options);
          EXPECT_EQ(part(packed[0]).to_vector<float>(), alone[0].to_vector<float>()) << "length " << length;
          for (std::size_t i = 1; i < 4; ++i)
            EXPECT_TRUE(allclose(part(packed[i]), alone[i], {.rtol = 1e-6, .atol = 1e-6}))
                << i << ", batch " << batch << ", window " << window << ", causal " << causal << ", length " << length;
          start += length;
        }
      }
}

TEST(Segments, EqualTheirMaskAlsoInAGraphOfTheGradient) {
  const std::vector<Tensor> all = inputs({2, 2, 40, 6}, {2, 2, 40, 6}, float64);
  const Tensor rows = from_vector<std::int64_t>(
      [] {
        std::vector<std::int64_t> numbers(80, 0);
        for (std::size_t i = 0; i < 80; ++i) numbers[i] = static_cast<std::int64_t>(i < 40 ? i / 7 : i / 13);
        return numbers;
      }(),
      {2, 40});
  const Tensor mask = unsqueeze(unsqueeze(rows, 2) == unsqueeze(rows, 1), 1);
  std::vector<Tensor> x;
  for (int i = 0; i < 3; ++i) x.push_back(clone(all[static_cast<std::size_t>(i)]).requires_grad(true));
  const auto second = [&](const AttentionOptions& options) {
    const Tensor y = scaled_dot_product_attention(x[0], x[1], x[2], options);
    const std::vector<Tensor> first = grad({y}, x, {all[3]}, {.create_graph = true});
    return grad({first[0], first[1], first[2]}, x, {all[3], all[3], all[3]});
  };
  const auto found = second({.causal = true, .segments = rows});
  const auto wanted = second({.causal = true, .mask = mask});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(allclose(found[i], wanted[i], {.rtol = 1e-9, .atol = 1e-11})) << i;
}

// Even NaN in one document leaves the others' bits alone.
TEST(Segments, ADocumentKnowsNothingOfItsNeighbours) {
  for (const std::int64_t batch : {1, 16}) {
    const std::vector<Tensor> before = inputs({batch, 2, total, 16}, {batch, 2, total, 16});
    for (const float value : {1e4f, NAN}) {
      std::vector<Tensor> after;
      for (const Tensor& x : before) {
        after.push_back(clone(x));
        fill_(narrow(after.back(), 2, 131, 16), value);  // the third document
      }
      const AttentionOptions options{.causal = true, .segments = numbers_of(lengths)};
      const std::vector<Tensor> one = attend(before, options), two = attend(after, options);
      for (std::size_t i = 0; i < 4; ++i)
        for (const auto& [start, length] : {std::pair{0, 131}, {147, 144}})
          EXPECT_EQ(contiguous(narrow(one[i], 2, start, length)).to_vector<float>(),
                    contiguous(narrow(two[i], 2, start, length)).to_vector<float>())
              << i << " from " << start << ", batch " << batch;
    }
  }
}

TEST(Segments, TimeFallsWithTheSquaresOfLengthsAndMemoryStaysLinear) {
  const int threads = num_threads();
  set_num_threads(1);
  const std::vector<Tensor> all = inputs({1, 1, 2048, 32}, {1, 1, 2048, 32});
  const auto seconds = [&](std::int64_t length) {
    const AttentionOptions options{
        .causal = true,
        .segments = numbers_of(std::vector<std::int64_t>(static_cast<std::size_t>(2048 / length), length))};
    double best = INFINITY;
    for (int i = 0; i < 2; ++i) {
      const std::clock_t start = std::clock();
      attend(all, options);
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
  };
  const double whole = seconds(2048), parts = seconds(128);
  EXPECT_LT(parts, whole / 6) << "16 documents: " << parts << " s, one: " << whole << " s";
  empty_cache();
  reset_peak();
  const std::int64_t before = memory_stats().allocated;
  seconds(512);
  EXPECT_LT(memory_stats().peak_allocated - before, 2048 * 2048 * 4 / 5);
  set_num_threads(threads);
}

TEST(Segments, PositionsRestartWithEachDocument) {
  const Tensor segments = from_vector<std::int64_t>({0, 0, 0, 1, 2, 2, 5, 5, 5, 5, 5, 9}, {2, 6});
  EXPECT_EQ(segment_positions(segments).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 1, 2, 0, 0, 1, 0, 1, 2, 3, 4, 0}));
  EXPECT_EQ(segment_positions(zeros({2, 0}, {.dtype = int64})).shape(), (Shape{2, 0}));
  EXPECT_THROW(segment_positions(tensor<std::int64_t>({1, 0})), ValueError);
  EXPECT_THROW(segment_positions(zeros({3})), DTypeError);
  EXPECT_THROW(segment_positions(zeros({}, {.dtype = int64})), ShapeError);
}

/// A GPU's kernels tile rows, not documents.
TEST(GpuSegments, EqualTheCpus) {
  const Device gpu = Device::cuda();
  for (const DType dtype : {float32, float64, bfloat16})
    for (const std::int64_t window : {0, 20}) {
      const std::vector<std::int64_t> some{1, 40, 16, 1, 70, 3};
      std::vector<Tensor> all = inputs({2, 2, 131, 24}, {2, 1, 131, 24}, dtype), there;
      for (const Tensor& x : all) there.push_back(x.to(gpu));
      AttentionOptions options{.causal = true, .window = window, .segments = numbers_of(some), .grouped = true};
      const std::vector<Tensor> wanted = attend(all, options);
      options.segments = options.segments.to(gpu);
      const std::vector<Tensor> found = attend(there, options);
      const double tolerance = dtype == float64 ? 1e-10 : dtype == float32 ? 1e-5 : 0.03;
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_TRUE(allclose(found[i].to(Device::cpu()), wanted[i], {.rtol = tolerance, .atol = tolerance}))
            << i << " in " << name(dtype) << ", window " << window;
      std::vector<Tensor> other;
      for (const Tensor& x : all) {
        other.push_back(clone(x));
        fill_(narrow(other.back(), 2, 41, 16), 100);
        other.back() = other.back().to(gpu);
      }
      const std::vector<Tensor> changed = attend(other, options);
      for (std::size_t i = 0; i < 4; ++i)
        for (const auto& [start, length] : {std::pair{0, 41}, {57, 74}})
          EXPECT_EQ(contiguous(narrow(found[i], 2, start, length)).to(float32).to_vector<float>(),
                    contiguous(narrow(changed[i], 2, start, length)).to(float32).to_vector<float>())
              << i << " from " << start << " in " << name(dtype);
    }
}

TEST(GpuSegments, DescendingNumbersAreAnErrorOnceTheProgramWaits) {
  const Device gpu = Device::cuda();
  const Tensor x = zeros({1, 1, 3, 8}, {.device = gpu});
  EXPECT_THROW(
      {
        scaled_dot_product_attention(x, x, x, {.segments = tensor<std::int64_t>({0, 2, 1}).to(gpu)});
        synchronize(gpu);
      },
      IndexError);
  EXPECT_EQ(segment_positions(tensor<std::int64_t>({0, 0, 1}).to(gpu)).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 1, 0}));
}

[[maybe_unused]] const bool segment_positions_calls =
    test::FunctionCases("segment_positions").undefined([](const Tensor& none) { segment_positions(none); }).check();

}  // namespace
}  // namespace minima::segments_test
