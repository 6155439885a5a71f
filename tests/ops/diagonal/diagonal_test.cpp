#include <minima/ops/diagonal/diagonal.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace minima::diagonal_test {
namespace {

using namespace test;

/// Of [M, N].
auto of_matrix(std::int64_t offset) {
  return [offset](const std::vector<Doubles>& in) {
    Doubles y(Shape{0});
    each_index(in[0].shape, [&](const Shape& at) {
      if (at[1] == at[0] + offset) y.values.push_back(in[0][at]);
    });
    y.shape = {static_cast<std::int64_t>(y.values.size())};
    return y;
  };
}

/// Of dimensions 2 and 0 of [N, C, N].
Doubles of_cube(const std::vector<Doubles>& in) {
  Doubles y(Shape{in[0].shape[1], std::min(in[0].shape[0], in[0].shape[2])});
  each_index(y.shape, [&](const Shape& at) { y[at] = in[0][{at[1], at[0], at[1]}]; });
  return y;
}

[[maybe_unused]] const bool diagonal_cases =
    OpCases("diagonal")
        .dtypes(all_dtypes())
        .without("large", "no element moves")
        .on([](In in) { return diagonal(in[0]); }, of_matrix(0))
        .pytorch("torch.diagonal")
        .inputs(normal({3, 3}))
        .inputs(normal({3, 5}))
        .inputs(normal({0, 4}))
        .on([](In in) { return diagonal(in[0], 2); }, of_matrix(2), "offset 2")
        .inputs(normal({4, 5}))
        .inputs(normal({4, 1}))
        .on([](In in) { return diagonal(in[0], -1); }, of_matrix(-1), "offset -1")
        .inputs(normal({4, 5}))
        .on([](In in) { return diagonal(in[0], 0, -1, 0); }, of_cube, "dimensions 2 and 0")
        .pytorch("lambda x: torch.diagonal(x, 0, -1, 0)")
        .inputs(normal({3, 2, 4}))
        .huge([](auto v) { diagonal(zeros({2, 3}), v); })
        .huge([](auto v) { diagonal(zeros({2, 3}), 0, v); })
        .huge([](auto v) { diagonal(zeros({2, 3}), 0, 0, v); })
        .error<ShapeError>([] { diagonal(empty({3})); }, "diagonal: x needs at least two dimensions, got float32 [3]")
        .error<IndexError>([] { diagonal(empty({2, 3}), 0, 0, 2); },
                           "diagonal: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { diagonal(empty({2, 3}), 0, 1, -1); },
                           "diagonal: dim1 and dim2 must differ, got 1 and -1")
        .check();

TEST(Diagonal, SharesMemory) {
  const Tensor x = zeros({2, 2});
  fill_(diagonal(x), 3);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{3, 0, 0, 3}));
}

}  // namespace
}  // namespace minima::diagonal_test
