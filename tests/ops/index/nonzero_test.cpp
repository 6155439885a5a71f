#include <minima/ops/index/nonzero.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::nonzero_test {
namespace {

using namespace test;

Doubles reference(const std::vector<Doubles>& in) {
  std::vector<double> found;
  each_index(in[0].shape, [&](const Shape& at) {
    if (in[0][at] != 0)
      for (const std::int64_t i : at) found.push_back(static_cast<double>(i));
  });
  const std::int64_t rank = in[0].shape.rank();
  return Doubles({rank == 0 ? 0 : static_cast<std::int64_t>(found.size()) / rank, rank}, found);
}

[[maybe_unused]] const bool nonzero_cases =
    OpCases("nonzero")
        .dtypes(all_dtypes())
        .result_dtype(always<int64>)
        .no_gradient()
        .on([](In in) { return nonzero(in[0]); }, reference)
        .inputs(whole({9}, 0, 3))
        .inputs(whole({3, 4, 2}, 0, 3))
        .inputs(given({2, 2}, {0, 0, 0, 0}))
        .inputs(whole({0, 4}, 0, 3))
        .inputs(whole({700, 500}, 0, 3))
        .inputs(specials())
        .error<ValueError>([] { nonzero(Tensor()); }, "nonzero: argument 0 is undefined")
        .check();

[[maybe_unused]] const bool unravel_cases =
    OpCases("unravel_index")
        .dtypes(integer_dtypes())
        .result_dtype(always<int64>)
        .no_gradient()
        .without("large", "is made of remainders")
        .without("random", "places must be inside")
        .without("hidden", "is made of remainders")
        .on([](In in) { return unravel_index(in[0], {2, 3, 4}); },
            [](const std::vector<Doubles>& in) {
              std::vector<Doubles> coordinates(3, Doubles(in[0].shape));
              for (std::size_t i = 0; i < in[0].values.size(); ++i) {
                const auto place = static_cast<int>(in[0].values[i]);
                coordinates[0].values[i] = place / 12;
                coordinates[1].values[i] = place / 4 % 3;
                coordinates[2].values[i] = place % 4;
              }
              return coordinates;
            })
        .inputs(whole({3, 4}, 0, 24))
        .inputs(whole({}, 0, 24))
        .inputs(whole({0}, 0, 24))
        .huge([](auto n) { unravel_index(zeros({1}, {.dtype = int64}), {n, 2}); })
        .error<IndexError>([] { unravel_index(tensor<std::int64_t>({6}), {2, 3}); },
                           "unravel_index: places must be between 0 and 5 for the shape [2, 3]")
        .error<ShapeError>([] { unravel_index(tensor<std::int64_t>({0}), {2, -3}); },
                           "unravel_index: sizes must not be negative, got [2, -3]")
        .error<ShapeError>([] { unravel_index(tensor<std::int64_t>({0}), {std::int64_t{1} << 62, 2}); },
                           "unravel_index: shape [4611686018427387904, 2] has more elements than an int64 can count")
        .error<DTypeError>([] { unravel_index(sized({2}), {2}); },
                           "unravel_index: needs integers, got float32 [2]; convert them with to()")
        .check();

TEST(Nonzero, OfAScalarHasNoCoordinates) {
  EXPECT_EQ(nonzero(scalar_tensor(2)).shape(), (Shape{1, 0}));
  EXPECT_EQ(nonzero(scalar_tensor(0)).shape(), (Shape{0, 0}));
}

}  // namespace
}  // namespace minima::nonzero_test
