#include <minima/ops/creation/grids.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/expect_error.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace minima::grids_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

[[maybe_unused]] const bool meshgrid_cases =
    composed(OpCases("meshgrid"))
        .dtypes(all_dtypes())
        .on([](In in) { return meshgrid(in); },
            [](Lists in) {
              const Shape shape{in[0].numel(), in[1].numel()};
              return std::vector{gather(in[0], shape, [](const Shape& at) { return Shape{at[0]}; }),
                                 gather(in[1], shape, [](const Shape& at) { return Shape{at[1]}; })};
            },
            "ij")
        .pytorch("lambda *x: torch.meshgrid(*x, indexing='ij')")
        .inputs(normal({3}), normal({2}))
        .inputs(normal({0}), normal({2}))
        .on([](In in) { return meshgrid(in, true); },
            [](Lists in) {
              const Shape shape{in[1].numel(), in[0].numel()};
              return std::vector{gather(in[0], shape, [](const Shape& at) { return Shape{at[1]}; }),
                                 gather(in[1], shape, [](const Shape& at) { return Shape{at[0]}; })};
            },
            "xy")
        .pytorch("lambda *x: torch.meshgrid(*x, indexing='xy')")
        .inputs(normal({3}), normal({2}))
        .error<ShapeError>([] { meshgrid(std::vector{sized({2, 2})}); },
                           "meshgrid: needs vectors or scalars, got float32 [2, 2]")
        .error<ValueError>([] { meshgrid({}); }, "meshgrid: needs at least one vector")
        .check();

[[maybe_unused]] const bool cartesian_prod_cases =
    composed(OpCases("cartesian_prod"))
        .dtypes(all_dtypes())
        .on([](In in) { return cartesian_prod(in); },
            [](Lists in) {
              const std::int64_t n = in[0].numel(), m = in[1].numel();
              Doubles y({n * m, 2});
              for (std::int64_t i = 0; i < n * m; ++i) {
                y[{i, 0}] = in[0][{i / m}];
                y[{i, 1}] = in[1][{i % m}];
              }
              return y;
            })
        .pytorch("lambda *x: torch.cartesian_prod(*x)")
        .inputs(normal({3}), normal({2}))
        .inputs(normal({0}), normal({2}))
        .error<ShapeError>([] { cartesian_prod(std::vector{sized({2, 2})}); },
                           "cartesian_prod: needs vectors, got float32 [2, 2]")
        .error<DTypeError>([] { cartesian_prod(std::vector{sized({2}), sized({2}, int64)}); },
                           "cartesian_prod: needs one dtype, got float32 [2] and int64 [2]; convert them with to()")
        .error<ValueError>([] { cartesian_prod({}); }, "cartesian_prod: needs at least one vector")
        .check();

[[maybe_unused]] const bool combinations_cases =
    composed(OpCases("combinations"))
        .dtypes(all_dtypes())
        .on([](In in) { return combinations(in[0]); },
            [](Lists in) {
              const std::int64_t n = in[0].numel();
              Doubles y({n * (n - 1) / 2, 2});
              std::int64_t row = 0;
              for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = i + 1; j < n; ++j, ++row) y[{row, 0}] = in[0][{i}], y[{row, 1}] = in[0][{j}];
              return y;
            },
            "pairs")
        .pytorch("torch.combinations")
        .inputs(normal({4}))
        .inputs(normal({1}).constant())
        .inputs(normal({0}).constant())
        .on([](In in) { return combinations(in[0], 3, true); },
            [](Lists in) {
              const std::int64_t n = in[0].numel();
              Doubles y({n * (n + 1) * (n + 2) / 6, 3});
              std::int64_t row = 0;
              for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = i; j < n; ++j)
                  for (std::int64_t k = j; k < n; ++k, ++row)
                    y[{row, 0}] = in[0][{i}], y[{row, 1}] = in[0][{j}], y[{row, 2}] = in[0][{k}];
              return y;
            },
            "triples with repetition")
        .pytorch("lambda x: torch.combinations(x, 3, True)")
        .inputs(normal({3}))
        .huge([](auto n) { combinations(ones({3}), n); })
        .error<ShapeError>([] { combinations(sized({2, 2})); }, "combinations: x must be a vector, got float32 [2, 2]")
        .error<ValueError>([] { combinations(sized({2}), -1); }, "combinations: count must not be negative, got -1")
        .check();

TEST(Combinations, MakeNoMoreThanTheirRows) {
  const Tensor most = combinations(arange(60), 58);  // C(60, 30) rows of half the length would not end
  EXPECT_EQ(most.shape(), (Shape{1770, 58}));
  EXPECT_EQ(most[0][57].item<int>(), 57);
  EXPECT_EQ(most[1769][0].item<int>(), 2);
  EXPECT_CONTAINS(message_of<Error>([] { combinations(arange(100), 50); }), "combinations: needs a table of");
  EXPECT_CONTAINS(message_of<Error>([] { combinations(arange(100), 50, true); }), "combinations: needs a table of");
}

TEST(Meshgrid, TakesVectorsInBraces) {
  const std::vector<Tensor> grid = meshgrid({arange(2), arange(3)}, true);
  EXPECT_EQ(grid[0].shape(), (Shape{3, 2}));
  EXPECT_EQ(grid[1].to_vector<int>(), (std::vector<int>{0, 0, 1, 1, 2, 2}));
}

}  // namespace
}  // namespace minima::grids_test
