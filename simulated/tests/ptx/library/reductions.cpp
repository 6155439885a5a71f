#include "tests/support/compare.h"
#include "tests/support/device.h"
#include "tests/support/draw.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

// Reductions over and to as many dimensions as a kernel takes, none of which merge, of numbers with ties and NaN, in
// one block for each result and in several. Each gives what the CPU gives.

namespace minima::test::reductions {
namespace {

using Reduction = std::function<std::vector<Tensor>(const Tensor&)>;

/// The numbers that are NaN.
enum class Nans {
  none,
  none_of_equals,    ///< all numbers are the same
  none_of_distinct,  ///< hardly any two are: only one place has the largest
  every_37th,
  late,  ///< some of the second half, among many ties
  few,   ///< few are, and few are the largest and the smallest: they meet late, in any order
};

/// Numbers with ties. Rows of 16 or more are read in packs.
Tensor with_gaps(const Shape& shape, DType dtype, Nans nans, std::uint64_t seed = 3) {
  Shape larger = shape;
  for (std::int64_t& size : larger) size += size == shape[shape.rank() - 1] && size % 16 == 0 ? 16 : 1;
  const int most = nans == Nans::late ? 2 : 10;
  Doubles values = draw(whole(larger, is_floating(dtype) ? 1 - most : 0, most), dtype, 3);
  if (nans == Nans::every_37th && is_floating(dtype))
    for (std::size_t i = 5; i < values.values.size(); i += 37) values.values[i] = NAN;
  if (nans == Nans::none_of_distinct)
    values = draw(is_floating(dtype) ? normal(larger) : whole(larger, 0, 1e6), dtype, seed);
  if (nans == Nans::none_of_equals) std::fill(values.values.begin(), values.values.end(), 3);
  std::mt19937 random(7);
  if (nans == Nans::late && is_floating(dtype))
    for (std::size_t i = values.values.size() / 2; i < values.values.size(); ++i)
      if (random() % 8 == 0) values.values[i] = NAN;
  if (nans == Nans::few) {
    const auto longest = static_cast<std::uint32_t>(*std::max_element(shape.begin(), shape.end()));
    for (double& value : values.values) {
      const std::uint32_t chance = random() % longest;
      if (chance < 3) value = 20;
      else if (chance < 6) value = is_floating(dtype) ? -20 : -1;
      else if (chance == 6 && is_floating(dtype)) value = NAN;
    }
  }
  Tensor x = lay_out(values, dtype, Form::row_major);
  for (int d = 0; d < shape.rank(); ++d) x = narrow(x, d, 0, shape[d]);
  return x;
}

/// In some of the patterns the first dimension is innermost in memory, so that results are in another order.
Tensor laid_out(const Shape& shape, DType dtype, Nans nans, std::uint64_t seed) {
  const Tensor x = with_gaps(shape, dtype, nans, seed);
  if (nans != Nans::every_37th && nans != Nans::none_of_distinct) return x;
  Shape order;
  for (int d = shape.rank() - 1; d >= 0; --d) order.push_back(d);
  return permute(x, order);
}

void expect_same(const Tensor& x, const Reduction& reduce, const std::string& what) {
  const std::vector<Tensor> got = reduce(x), expected = reduce(x.to(Device::cpu()));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Comparison same = compare(got[i].to(Device::cpu()), expected[i], Tolerance::of(got[i].dtype()).scaled(4));
    EXPECT_TRUE(same) << what << name(x.dtype()) << ": " << same.message;
  }
}

std::vector<Tensor> all_along(const Tensor& x, int dim) {
  const auto [most, at_most] = max(x, dim);
  const auto [least, at_least] = min(x, dim);
  std::vector<Tensor> results{most,           at_most,        least,          at_least,
                              argmax(x, dim), argmin(x, dim), amax(x, {dim}), amin(x, {dim})};
  if (is_floating(x.dtype()))
    for (const Tensor& y : {sum(x, {dim}), mean(x, {dim}), var(x, {dim}), nansum(x, {dim})}) results.push_back(y);
  return results;
}

class KernelEntriesOfReductions : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override { SKIP_WITHOUT_TEST_DEVICE(); }
  void TearDown() override { EXPECT_NO_THROW(synchronize(Device::cuda())); }
};

TEST_P(KernelEntriesOfReductions, TakeManyDimensions) {
  const DType dtype = GetParam();
  const std::vector<Shape> shapes = {{33, 5},
                                     {5, 3, 7},
                                     {2, 3, 2, 9},
                                     {2, 3, 2, 3, 5},
                                     {2, 3, 2, 2, 3, 5},
                                     {2, 2, 2, 2, 2, 300},
                                     {300, 2, 2, 2, 2, 2},
                                     {3, 4, 5, 16},
                                     {2, 3, 3, 3, 16},
                                     {2, 2, 3, 2, 2, 32},
                                     {2, 2, 2, 2, 2, 2, 2, 16},
                                     {2, 2, 2, 2, 2, 2, 2, 2, 16},
                                     {2, 2, 2, 2, 2, 2, 2, 3}};
  struct Pattern {
    Nans nans;
    std::uint64_t seed = 3;
  };
  std::vector<Pattern> patterns = {{Nans::none},       {Nans::none_of_equals}, {Nans::none_of_distinct},
                                   {Nans::every_37th}, {Nans::late},           {Nans::few}};
  if (std::getenv("MINIMA_SIMULATED_MUTANTS"))  // only one place has the largest: each time another one
    for (const std::uint64_t seed : {4, 5, 6}) patterns.push_back({Nans::none_of_distinct, seed});
  for (const auto& [nans, seed] : patterns)
    for (const Shape& shape : shapes) {
      const Tensor x = laid_out(shape, dtype, nans, seed);
      const int last = shape.rank() - 1;
      if (x.numel() > 5000 && nans != Nans::none_of_distinct && nans != Nans::few) continue;
      Shape all, inner, outer, every_other;
      for (int d = 0; d <= last; ++d) {
        all.push_back(d);
        if (d > 0) inner.push_back(d);
        if (d < last) outer.push_back(d);
        if (d % 2) every_other.push_back(d);
      }
      for (const Shape& dims : {Shape{0}, Shape{last}, all, inner, outer, every_other})
        expect_same(
            x,
            [&](const Tensor& t) {
              std::vector<Tensor> results{sum(t, dims), amax(t, dims), amin(t, dims)};
              if (is_floating(dtype))
                for (const Tensor& y : {mean(t, dims), var(t, dims), nansum(t, dims)}) results.push_back(y);
              if (dims.rank() == t.rank())
                for (const Tensor& y : {argmax(t), argmin(t)}) results.push_back(y);
              return results;
            },
            str("over ", dims, " of ", x.shape(), " "));
      for (const int dim : {0, last / 2, last})
        expect_same(
            x,
            [&](const Tensor& t) {
              const auto [most, at_most] = max(t, dim);
              const auto [least, at_least] = min(t, dim);
              return std::vector<Tensor>{most, at_most, least, at_least, argmax(t, dim), argmin(t, dim)};
            },
            str("along ", dim, " of ", shape, " "));
    }
}

/// Lines without gaps, which are read in packs, of lengths around the packs' and the warps'.
TEST_P(KernelEntriesOfReductions, TakeLinesWithoutGaps) {
  const DType dtype = GetParam();
  for (const Shape& shape : {Shape{33, 5}, Shape{5, 33}, Shape{7, 258}, Shape{258, 7}, Shape{3, 64}, Shape{2, 9, 16},
                             Shape{700, 40}, Shape{3, 300, 24}, Shape{24, 2300}, Shape{2300, 24}})
    for (const Nans nans : {Nans::none_of_equals, Nans::none_of_distinct, Nans::late, Nans::few}) {
      const Tensor x = with_gaps(shape, dtype, nans);
      const Tensor rows = contiguous(x);
      for (int dim = 0; dim < shape.rank(); ++dim)
        expect_same(rows, [&](const Tensor& t) { return all_along(t, dim); }, str("along ", dim, " of ", shape, " "));
    }
}

/// The worst numbers that there are: the first wins nevertheless.
TEST_P(KernelEntriesOfReductions, TakeNothingButTheWorst) {
  const DType dtype = GetParam();
  if (is_integer(dtype) && dtype != int64) GTEST_SKIP() << "its numbers are reduced as int64";
  const TensorOptions options{.dtype = dtype, .device = test_device()};
  const Shape shape{33, 80};
  const Tensor low = dtype == int64 ? full(shape, INT64_MIN, options) : full(shape, -INFINITY, options),
               high = dtype == int64 ? full(shape, INT64_MAX, options) : full(shape, INFINITY, options);
  for (const int dim : {0, 1})
    for (const Tensor& at : {argmax(low, dim), max(low, dim).indices, argmin(high, dim), min(high, dim).indices})
      EXPECT_EQ(sum(at).item<std::int64_t>(), 0) << dim;
}

/// So few results that several blocks share each: their parts are combined.
TEST_P(KernelEntriesOfReductions, AreSharedByBlocks) {
  const DType dtype = GetParam();
  for (const Shape& shape : {Shape{9000, 3}, Shape{3, 9000}, Shape{4000, 8}, Shape{5000, 33}})
    for (const Nans nans : {Nans::none_of_equals, Nans::none_of_distinct, Nans::late, Nans::few}) {
      if (shape[1] == 33 && (nans != Nans::few || size_of(dtype) == 2 || dtype == int32)) continue;  // once per state
      const bool all_same = nans == Nans::none_of_equals, distinct = nans == Nans::none_of_distinct;
      if (shape[0] != 3 && (all_same || distinct)) continue;  // packs show most
      const Tensor x = with_gaps(shape, dtype, nans);
      const Tensor rows = contiguous(x);  // without gaps, in packs
      for (const bool gaps : shape[0] < 10 ? std::vector{true, false} : std::vector{true})
        for (const int dim : {0, 1})
          expect_same(
              gaps ? x : rows, [&](const Tensor& t) { return all_along(t, dim); },
              str("along ", dim, " of ", x.shape(), " "));
    }
}

/// Likewise, to results in several dimensions, which are in another order than the numbers.
TEST_P(KernelEntriesOfReductions, AreSharedByBlocksInOtherOrders) {
  const DType dtype = GetParam();
  for (const Nans nans : {Nans::none_of_distinct, Nans::few}) {
    const Tensor planes = with_gaps({300, 3, 5}, dtype, nans), columns = with_gaps({300, 3, 2, 16}, dtype, nans),
                 rows = with_gaps({3, 2, 8300}, dtype, nans);
    for (const Tensor& x : {permute(planes, {0, 2, 1}), permute(columns, {0, 2, 1, 3}), permute(rows, {2, 1, 0})})
      expect_same(x, [](const Tensor& t) { return all_along(t, 0); }, str("along 0 of ", x.shape(), " "));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, KernelEntriesOfReductions,
                         testing::Values(float64, float32, float16, bfloat16, int32, int64),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace minima::test::reductions
