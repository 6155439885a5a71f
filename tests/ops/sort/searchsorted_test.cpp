#include <minima/ops/sort/searchsorted.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::searchsorted_test {
namespace {

using namespace test;

/// Counts the elements before each value.
auto counted(bool right) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y(in[1].shape);
    const std::int64_t size = in[0].shape[in[0].shape.rank() - 1];
    each_index(y.shape, [&](const Shape& at) {
      Shape from = in[0].shape.rank() == 1 ? Shape{0} : at;
      for (from[from.rank() - 1] = 0; from[from.rank() - 1] < size; ++from[from.rank() - 1])
        y[at] += in[0][from] < in[1][at] || (right && in[0][from] == in[1][at]);
    });
    return y;
  };
}

[[maybe_unused]] const bool searchsorted_cases =
    OpCases("searchsorted")
        .autocast("widest")  // PyTorch promotes
        .dtypes(all_dtypes())
        .result_dtype(always<int64>)
        .result_layout(ResultLayout::row_major)
        .no_gradient()
        .on([](In in) { return searchsorted(in[0], in[1]); }, counted(false), "left")
        .pytorch("torch.searchsorted", "searchsorted")
        .inputs(given({5}, {0, 1, 1, 3, 7}), whole({3, 4}, 0, 9))
        .inputs(given({5}, {0, 1, 1, 3, 7}), whole({0, 4}, 0, 9))
        .inputs(given({0}, {}), whole({3}, 0, 9))
        .inputs(given({6}, {0, 1, 1, 3, 7, 9}), whole({300, 150}, 0, 9))
        .on([](In in) { return searchsorted(in[0], in[1], true); }, counted(true), "right, by lines")
        .inputs(given({2, 4}, {0, 1, 1, 3, 2, 4, 5, 5}), whole({2, 5}, 0, 7))
        .error<ShapeError>([] { searchsorted(zeros({2, 3}), zeros({3, 3})); },
                           "searchsorted: sorted must be a vector, or have the values' sizes except in the last "
                           "dimension, got float32 [2, 3] for values float32 [3, 3]")
        .error<DTypeError>([] { searchsorted(zeros({3}), zeros({3}, {.dtype = int64})); },
                           "searchsorted: dtypes differ: float32 [3] and int64 [3]; convert one with to()")
        .error<ShapeError>(
            [] { searchsorted(empty(Shape{}), empty({2})); },
            "searchsorted: sorted must be a vector, or have the values' sizes except in the last dimension, got "
            "float32 [] for values float32 [2]")
        .error<ShapeError>(
            [] { searchsorted(empty({2, 3}), empty({3, 2})); },
            "searchsorted: sorted must be a vector, or have the values' sizes except in the last dimension, got "
            "float32 [2, 3] for values float32 [3, 2]")
        .error<ShapeError>(
            [] { searchsorted(empty({2, 3}), empty(Shape{})); },
            "searchsorted: sorted must be a vector, or have the values' sizes except in the last dimension, got "
            "float32 [2, 3] for values float32 []")
        .error<DTypeError>([] { searchsorted(empty({3}), empty({2}, {.dtype = DType::float64})); },
                           "searchsorted: dtypes differ: float32 [3] and float64 [2]; convert one with to()")
        .check();

/// NaN is last in the order, and the places of others do not depend on it.
TEST(Searchsorted, PutsNaNLast) {
  const auto as_tensor = [](const std::vector<double>& values) {
    Doubles x(Shape{static_cast<std::int64_t>(values.size())});
    x.values = values;
    return lay_out(x, float32, Form::row_major);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const Tensor sorted = as_tensor({-infinity, 0.0, 1.0, infinity, nan, nan});
  const Tensor values = as_tensor({nan, infinity, -0.0, 1.0, 2.0, -infinity, 0.5, -1.0, nan});
  EXPECT_EQ(doubles_of(searchsorted(sorted, values)).values, (std::vector<double>{4, 3, 1, 2, 3, 0, 2, 1, 4}));
  EXPECT_EQ(doubles_of(searchsorted(sorted, values, true)).values, (std::vector<double>{6, 4, 2, 3, 3, 1, 2, 1, 6}));
}

[[maybe_unused]] const bool bucketize_cases =
    composed(OpCases("bucketize"))
        .dtypes(all_dtypes())
        .result_dtype(always<int64>)
        .no_gradient()
        .on([](In in) { return bucketize(in[0], in[1], true); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              for (double& x : y.values)
                x = static_cast<double>(
                    std::count_if(in[1].values.begin(), in[1].values.end(), [&](double b) { return b <= x; }));
              return y;
            })
        .pytorch("lambda x, b: torch.bucketize(x, b, right=True)")
        .inputs(whole({3, 4}, 0, 6), given({3}, {1, 2, 4}))
        .inputs(whole({0}, 0, 6), given({3}, {1, 2, 4}))
        .error<ShapeError>([] { bucketize(sized({2}), sized({2, 2})); },
                           "bucketize: boundaries must be a vector, got float32 [2, 2]")
        .error<DTypeError>(
            [] { bucketize(sized({2}), sized({2}, float64)); },
            "bucketize: boundaries must have the dtype of x float32 [2], got float64 [2]; convert them with to()")
        .check();

}  // namespace
}  // namespace minima::searchsorted_test
