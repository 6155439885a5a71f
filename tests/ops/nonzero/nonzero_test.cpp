#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/nonzero/nonzero.h>
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

TEST(Nonzero, OfAScalarHasNoCoordinates) {
  EXPECT_EQ(nonzero(scalar_tensor(2)).shape(), (Shape{1, 0}));
  EXPECT_EQ(nonzero(scalar_tensor(0)).shape(), (Shape{0, 0}));
}

}  // namespace
}  // namespace minima::nonzero_test
