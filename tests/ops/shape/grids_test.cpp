#include <minima/ops/shape/grids.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::grids_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

OpCases moving(OpCases cases) { return composed(std::move(cases)).dtypes(all_dtypes()); }

[[maybe_unused]] const bool meshgrid_cases =
    moving(OpCases("meshgrid"))
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
    moving(OpCases("cartesian_prod"))
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
    moving(OpCases("combinations"))
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

/// A vector as a diagonal of a matrix.
auto embedded(std::int64_t offset) {
  return [=](Lists in) {
    const std::int64_t n = in[0].numel(), size = n + std::abs(offset);
    Doubles y({size, size});
    for (std::int64_t i = 0; i < n; ++i)
      y[{i + std::max<std::int64_t>(0, -offset), i + std::max<std::int64_t>(0, offset)}] = in[0][{i}];
    return y;
  };
}

[[maybe_unused]] const bool diag_cases =
    moving(OpCases("diag"))
        .on([](In in) { return diag(in[0], -1); }, embedded(-1), "vector")
        .pytorch("lambda x: torch.diag(x, -1)")
        .inputs(normal({3}))
        .inputs(normal({0}))
        .on([](In in) { return diag(in[0], 1); },
            [](Lists in) {
              const std::int64_t n = std::min(in[0].shape[0], in[0].shape[1] - 1);
              return gather(in[0], {n}, [](const Shape& at) { return Shape{at[0], at[0] + 1}; });
            },
            "matrix")
        .pytorch("lambda x: torch.diag(x, 1)")
        .inputs(normal({3, 4}))
        .huge([](auto n) { diag(ones({3}), n); })
        .huge([](auto n) { diag(ones({3, 3}), n); })
        .error<ShapeError>([] { diag(sized({2, 2, 2})); },
                           "diag: x must be a vector or a matrix, got float32 [2, 2, 2]")
        .check();

[[maybe_unused]] const bool diag_embed_cases =
    moving(OpCases("diag_embed"))
        .on([](In in) { return diag_embed(in[0], 1, 0, -1); },
            [](Lists in) {
              const std::int64_t rows = in[0].shape[0], n = in[0].shape[1];
              Doubles y({n + 1, rows, n + 1});
              for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t i = 0; i < n; ++i) y[{i, r, i + 1}] = in[0][{r, i}];
              return y;
            })
        .pytorch("lambda x: torch.diag_embed(x, 1, 0, -1)")
        .inputs(normal({2, 3}))
        .inputs(normal({0, 3}))
        .huge([](auto n) { diag_embed(ones({3}), n); })
        .huge([](auto n) { diag_embed(ones({3}), 0, n); })
        .huge([](auto n) { diag_embed(ones({3}), 0, 0, n); })
        .error<ShapeError>([] { diag_embed(sized({})); },
                           "diag_embed: x must have at least one dimension, got float32 []")
        .error<IndexError>([] { diag_embed(sized({2}), 0, 2, 0); },
                           "diag_embed: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { diag_embed(sized({2}), 0, 1, -1); },
                           "diag_embed: dim1 and dim2 must differ, got 1 and -1")
        .check();

/// x with y[to(at)] = source[at].
template <class To>
auto written(const To& to) {
  return [=](Lists in) {
    Doubles y = in[0];
    each_index(in[1].shape, [&](const Shape& at) { y[to(at)] = in[1][at]; });
    return y;
  };
}

[[maybe_unused]] const bool diagonal_scatter_cases =
    moving(OpCases("diagonal_scatter"))
        .also_calls("diagonal")
        .on([](In in) { return diagonal_scatter(in[0], in[1], 1); },
            written([](const Shape& at) { return Shape{at[0], at[0] + 1}; }))
        .pytorch("lambda x, y: torch.diagonal_scatter(x, y, 1)")
        .inputs(normal({3, 4}), normal({3}))
        .inputs(normal({0, 4}), normal({0}))
        .huge([](auto n) { diagonal_scatter(ones({3, 3}), ones({3}), n); })
        .huge([](auto n) { diagonal_scatter(ones({3, 3}), ones({3}), 0, n); })
        .huge([](auto n) { diagonal_scatter(ones({3, 3}), ones({3}), 0, 0, n); })
        .error<ShapeError>([] { diagonal_scatter(sized({3, 3}), sized({2})); },
                           "diagonal_scatter: the source must have shape [3] for x float32 [3, 3], got float32 [2]")
        .error<DTypeError>([] { diagonal_scatter(sized({3, 3}), sized({3}, float64)); },
                           "diagonal_scatter: the source must have the dtype of x float32 [3, 3], got float64 [3]; "
                           "convert it with to()")
        .error<IndexError>([] { diagonal_scatter(sized({3, 3}), sized({3}), 0, 0, 2); },
                           "diagonal_scatter: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .check();

[[maybe_unused]] const bool select_scatter_cases =
    moving(OpCases("select_scatter"))
        .also_calls("select")
        .on([](In in) { return select_scatter(in[0], in[1], 1, -1); },
            [](Lists in) {
              const std::int64_t last = in[0].shape[1] - 1;
              return written([=](const Shape& at) { return Shape{at[0], last}; })(in);
            })
        .pytorch("lambda x, y: torch.select_scatter(x, y, 1, -1)")
        .inputs(normal({3, 4}), normal({3}))
        .inputs(normal({0, 4}), normal({0}))
        .huge([](auto n) { select_scatter(ones({3, 3}), ones({3}), n, 0); })
        .huge([](auto n) { select_scatter(ones({3, 3}), ones({3}), 0, n); })
        .error<ShapeError>([] { select_scatter(sized({3, 3}), sized({2}), 0, 0); },
                           "select_scatter: the source must have shape [3] for x float32 [3, 3], got float32 [2]")
        .error<DTypeError>(
            [] { select_scatter(sized({3, 3}), sized({3}, float64), 0, 0); },
            "select_scatter: the source must have the dtype of x float32 [3, 3], got float64 [3]; convert it with to()")
        .error<IndexError>([] { select_scatter(sized({3, 3}), sized({3}), 2, 0); },
                           "select_scatter: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { select_scatter(sized({3, 3}), sized({3}), 0, 3); },
                           "select: index 3 is out of range for dimension 0 of [3, 3]")
        .check();

[[maybe_unused]] const bool slice_scatter_cases =
    moving(OpCases("slice_scatter"))
        .also_calls("slice")
        .on([](In in) { return slice_scatter(in[0], in[1], 1, 1, 5, 2); },
            written([](const Shape& at) { return Shape{at[0], 1 + 2 * at[1]}; }))
        .pytorch("lambda x, y: torch.slice_scatter(x, y, 1, 1, 5, 2)")
        .inputs(normal({3, 6}), normal({3, 2}))
        .inputs(normal({0, 6}), normal({0, 2}))
        .huge([](auto n) { slice_scatter(ones({3, 3}), ones({3, 3}), n); })
        .huge([](auto n) { slice_scatter(ones({3, 3}), ones({3, 3}), 0, n); })
        .huge([](auto n) { slice_scatter(ones({3, 3}), ones({3, 3}), 0, 0, n); })
        .huge([](auto n) { slice_scatter(ones({3, 3}), ones({3, 3}), 0, 0, 3, n); })
        .error<ShapeError>([] { slice_scatter(sized({3, 3}), sized({3, 2})); },
                           "slice_scatter: the source must have shape [3, 3] for x float32 [3, 3], got float32 [3, 2]")
        .error<DTypeError>([] { slice_scatter(sized({3, 3}), sized({3, 3}, float64)); },
                           "slice_scatter: the source must have the dtype of x float32 [3, 3], got float64 [3, 3]; "
                           "convert it with to()")
        .error<IndexError>([] { slice_scatter(sized({3, 3}), sized({3, 3}), 2); },
                           "slice_scatter: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .check();

[[maybe_unused]] const bool block_diag_cases =
    moving(OpCases("block_diag"))
        .on([](In in) { return block_diag(in); },
            [](Lists in) {
              Doubles y({in[0].shape[0] + 1, in[0].shape[1] + in[1].numel()});
              each_index(in[0].shape, [&](const Shape& at) { y[at] = in[0][at]; });
              for (std::int64_t i = 0; i < in[1].numel(); ++i)
                y[{in[0].shape[0], in[0].shape[1] + i}] = in[1].values[static_cast<std::size_t>(i)];
              return y;
            })
        .pytorch("lambda *x: torch.block_diag(*x)")
        .inputs(normal({2, 3}), normal({2}))
        .inputs(normal({0, 2}), normal({3}))
        .error<ShapeError>([] { block_diag(std::vector{sized({2, 2, 2})}); },
                           "block_diag: needs matrices, vectors or scalars, got float32 [2, 2, 2]")
        .error<DTypeError>([] { block_diag(std::vector{sized({2, 2}), sized({2}, float64)}); },
                           "block_diag: needs one dtype, got float32 [2, 2] and float64 [2]; convert them with to()")
        .error<ValueError>([] { block_diag({}); }, "block_diag: needs at least one matrix")
        .check();

TEST(Grids, IndicesOfTrianglesAreInRowMajorOrder) {
  SKIP_WITHOUT_TEST_DEVICE();
  const auto list = [](const Tensor& x) { return x.to_vector<std::int64_t>(); };
  EXPECT_EQ(list(tril_indices(3, 2, 0, test_device())), (std::vector<std::int64_t>{0, 1, 1, 2, 2, 0, 0, 1, 0, 1}));
  EXPECT_EQ(list(triu_indices(2, 3, 1, test_device())), (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(tril_indices(0, 3).shape(), (Shape{2, 0}));
  EXPECT_THROW(tril_indices(-1, 3), ValueError);
  EXPECT_THROW(triu_indices(std::int64_t{1} << 40, std::int64_t{1} << 40), Error);
}

TEST(Grids, LogspaceIsEvenInTheExponent) {
  EXPECT_TRUE(allclose(logspace(0, 3, 4), tensor<float>({1, 10, 100, 1000})));
  EXPECT_TRUE(allclose(logspace(3, 1, 3, 2, {.dtype = float64}), tensor<double>({8, 4, 2})));
  EXPECT_EQ(logspace(0, 1, 0).numel(), 0);
  EXPECT_THROW(logspace(0, 1, -1), ValueError);
}

}  // namespace
}  // namespace minima::grids_test
