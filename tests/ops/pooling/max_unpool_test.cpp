#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/pooling/max_unpool.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::max_unpool_test {
namespace {

using namespace test;

/// Windows of 2: element i of each dimension came from position 2i + (i mod 2) of the `spatial` last ones.
Shape place_of(const Shape& at, int spatial) {
  Shape to = at;
  for (int d = at.rank() - spatial; d < at.rank(); ++d) to[d] = 2 * at[d] + at[d] % 2;
  return to;
}
Tensor places(const Tensor& x, int spatial) {
  if (!x.defined()) return {};
  const Shape& s = x.shape();
  const Tensor index = empty(s, {.dtype = int64});
  std::int64_t* next = index.data<std::int64_t>();
  if (x.numel() > 0)
    each_index(s, [&](const Shape& at) {
      const Shape to = place_of(at, spatial);
      std::int64_t place = 0;
      for (int d = s.rank() - spatial; d < s.rank(); ++d) place = place * 2 * s[d] + to[d];
      *next++ = place;
    });
  return index.to(x.device());
}
auto spread(int spatial) {
  return [=](const std::vector<Doubles>& in) {
    Shape shape = in[0].shape;
    for (int d = shape.rank() - spatial; d < shape.rank(); ++d) shape[d] *= 2;
    Doubles y(shape);
    if (in[0].numel() > 0) each_index(in[0].shape, [&](const Shape& at) { y[place_of(at, spatial)] = in[0][at]; });
    return y;
  };
}

OpCases unpooling(const char* name) {
  OpCases cases(name);
  cases.also_calls("scatter")
      .without("hidden", "it is made of other operators")
      .without("large", "scatter, which does its work, has large rows")
      .dtypes(all_dtypes());
  return cases;
}

[[maybe_unused]] const bool max_unpool1d_cases =
    unpooling("max_unpool1d")
        .on([](In in) { return max_unpool1d(in[0], places(in[0], 1), {.kernel = 2}); }, spread(1))
        .inputs(normal({2, 3, 4}))
        .inputs(normal({0, 3, 4}))
        .inputs(normal({3, 14, 120}))
        .huge([](auto v) { max_unpool1d(ones({1, 1, 2}), zeros({1, 1, 2}, {.dtype = int64}), {.kernel = v}); })
        .huge([](auto v) {
          max_unpool1d(ones({1, 1, 2}), zeros({1, 1, 2}, {.dtype = int64}), {.kernel = 2, .stride = v});
        })
        .huge([](auto v) {
          max_unpool1d(ones({1, 1, 2}), zeros({1, 1, 2}, {.dtype = int64}), {.kernel = 2, .padding = v});
        })
        .huge([](auto v) {
          max_unpool1d(ones({1, 1, 2}), zeros({1, 1, 2}, {.dtype = int64}), {.kernel = 2, .size = {v}});
        })
        .error<ShapeError>([] { max_unpool1d(ones({1, 1, 1, 2}), zeros({2}, {.dtype = int64}), {.kernel = 2}); },
                           "max_unpool1d: x must have 3 dimensions, or 2 without a batch, got float32 [1, 1, 1, 2]")
        .error<ShapeError>([] { max_unpool1d(ones({1, 1, 2}), zeros({1, 1, 3}, {.dtype = int64}), {.kernel = 2}); },
                           "max_unpool1d: x and indices need one shape, got float32 [1, 1, 2] and int64 [1, 1, 3]")
        .error<ShapeError>(
            [] { max_unpool1d(ones({1, 1, 2}), zeros({1, 1, 2}, {.dtype = int64}), {.kernel = 2, .size = {6}}); },
            "max_unpool1d: dimension -1 of x float32 [1, 1, 2] cannot become 6; its windows come from about 4 elements")
        .error<ValueError>(
            [] { max_unpool1d(ones({1, 1, 2}), zeros({1, 1, 2}, {.dtype = int64}), {.kernel = 0}); },
            "max_unpool1d: kernel and stride must be at least 1 and padding not negative, got 0, 0 and 0")
        .error<DTypeError>([] { max_unpool1d(ones({1, 1, 2}), ones({1, 1, 2}), {.kernel = 2}); },
                           "max_unpool1d: indices must be int64, got float32 [1, 1, 2]; convert them with to(int64)")
        .error<IndexError>([] { max_unpool1d(ones({1, 1, 1}), full({1, 1, 1}, 2, {.dtype = int64}), {.kernel = 2}); },
                           "scatter: index[0, 0, 0] is 2, but dimension 2 has size 2")
        .check();

[[maybe_unused]] const bool max_unpool2d_cases =
    unpooling("max_unpool2d")
        .on([](In in) { return max_unpool2d(in[0], places(in[0], 2), {.kernel = 2}); }, spread(2))
        .inputs(normal({2, 2, 2, 3}))
        .inputs(normal({0, 2, 2, 3}))
        .inputs(normal({3, 14, 10, 12}))
        .huge([](auto v) { max_unpool2d(ones({1, 1, 2, 2}), zeros({1, 1, 2, 2}, {.dtype = int64}), {.kernel = v}); })
        .huge([](auto v) {
          max_unpool2d(ones({1, 1, 2, 2}), zeros({1, 1, 2, 2}, {.dtype = int64}), {.kernel = 2, .stride = v});
        })
        .huge([](auto v) {
          max_unpool2d(ones({1, 1, 2, 2}), zeros({1, 1, 2, 2}, {.dtype = int64}), {.kernel = 2, .padding = v});
        })
        .error<ShapeError>([] { max_unpool2d(ones({1, 2}), zeros({1, 2}, {.dtype = int64}), {.kernel = 2}); },
                           "max_unpool2d: x must have 4 dimensions, or 3 without a batch, got float32 [1, 2]")
        .error<ShapeError>(
            [] { max_unpool2d(ones({1, 1, 2, 2}), zeros({1, 1, 2, 2}, {.dtype = int64}), {.kernel = 2, .size = {4}}); },
            "max_unpool2d: size must have 2 numbers, got [4]")
        .error<DTypeError>([] { max_unpool2d(ones({1, 1, 2, 2}), ones({1, 1, 2, 2}), {.kernel = 2}); },
                           "max_unpool2d: indices must be int64, got float32 [1, 1, 2, 2]; convert them with to(int64)")
        .check();

[[maybe_unused]] const bool max_unpool3d_cases =
    unpooling("max_unpool3d")
        .on([](In in) { return max_unpool3d(in[0], places(in[0], 3), {.kernel = 2}); }, spread(3))
        .inputs(normal({1, 2, 2, 1, 3}))
        .inputs(normal({0, 2, 2, 1, 3}))
        .inputs(normal({3, 14, 4, 5, 6}))
        .huge([](auto v) {
          max_unpool3d(ones({1, 1, 2, 2, 2}), zeros({1, 1, 2, 2, 2}, {.dtype = int64}), {.kernel = v});
        })
        .huge([](auto v) {
          max_unpool3d(ones({1, 1, 2, 2, 2}), zeros({1, 1, 2, 2, 2}, {.dtype = int64}), {.kernel = 2, .stride = v});
        })
        .huge([](auto v) {
          max_unpool3d(ones({1, 1, 2, 2, 2}), zeros({1, 1, 2, 2, 2}, {.dtype = int64}), {.kernel = 2, .padding = v});
        })
        .error<ShapeError>([] { max_unpool3d(ones({1, 2}), zeros({1, 2}, {.dtype = int64}), {.kernel = 2}); },
                           "max_unpool3d: x must have 5 dimensions, or 4 without a batch, got float32 [1, 2]")
        .error<DTypeError>(
            [] { max_unpool3d(ones({1, 1, 2, 2, 2}), ones({1, 1, 2, 2, 2}), {.kernel = 2}); },
            "max_unpool3d: indices must be int64, got float32 [1, 1, 2, 2, 2]; convert them with to(int64)")
        .check();

/// Pooling an unpooled tensor gives its maxima back, and all else is 0.
TEST(MaxUnpool, PutsMaximaWhereTheyWere) {
  const Tensor line = rand({2, 3, 9}) + 1, image = rand({2, 3, 7, 9}) + 1, volume = rand({3, 5, 7, 9}) + 1;
  {
    const auto [values, indices] = max_pool1d_with_indices(line, {.kernel = 2});
    const Tensor y = max_unpool1d(values, indices, {.kernel = 2, .size = {9}});
    EXPECT_EQ(y.shape(), line.shape());
    EXPECT_TRUE(identical(where(y > 0, line, 0), y));
    EXPECT_TRUE(identical(max_pool1d(y, 2), values));
  }
  {
    const auto [values, indices] = max_pool2d_with_indices(image, {.kernel = 2});
    const Tensor y = max_unpool2d(values, indices, {.kernel = 2, .size = {7, 9}});
    EXPECT_TRUE(identical(where(y > 0, image, 0), y));
    EXPECT_TRUE(identical(max_pool2d(y, 2), values));
  }
  {
    const auto [values, indices] = max_pool3d_with_indices(volume, {.kernel = {1, 2, 3}});
    const Tensor y = max_unpool3d(values, indices, {.kernel = {1, 2, 3}, .size = {5, 7, 9}});
    EXPECT_TRUE(identical(where(y > 0, volume, 0), y));
    EXPECT_TRUE(identical(max_pool3d(y, {.kernel = {1, 2, 3}}), values));
  }
}

}  // namespace
}  // namespace minima::max_unpool_test
