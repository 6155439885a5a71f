#include <minima/ops/linalg/linalg.h>

#include "tests/ops/linalg/matrices.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/product/products.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

// The functions that report instead of throwing, and those made of other solves.

namespace minima::unchecked_test {
namespace {

using namespace test;
using Matrices = const std::vector<Matrix>&;

constexpr double well = 0;

[[maybe_unused]] const bool cholesky_ex_cases =
    of_matrices(OpCases("cholesky_ex"))
        .result_dtype(1, always<int32>)
        .on(
            [](In in) {
              const auto [factor, info] = linalg::cholesky_ex(positive(in[0]));
              return std::vector<Tensor>{factor, info};
            },
            for_each_matrix(
                [](Matrices x) { return std::vector<Part>{reference_cholesky(positive(x[0])), Part(well)}; }))
        .pytorch("lambda x: tuple(torch.linalg.cholesky_ex(x @ x.mT + 3 * torch.eye(x.shape[-2], dtype=x.dtype)))")
        .inputs(normal({3, 3}))
        .inputs(normal({2, 1, 2, 3}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 0}))
        .error<ShapeError>([] { linalg::cholesky_ex(sized({2, 3})); },
                           "cholesky_ex: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::cholesky_ex(sized({3, 3}, bfloat16)); },
                           "cholesky_ex: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool lu_factor_ex_cases =
    of_matrices(OpCases("lu_factor_ex"))
        .also_calls("lu_factor")
        .result_dtype(1, always<int64>)
        .result_dtype(2, always<int32>)
        .on(
            [](In in) {
              const auto [lu, pivots, info] = linalg::lu_factor_ex(separated(in[0]));
              return std::vector<Tensor>{lu, pivots, info};
            },
            for_each_matrix([](Matrices x) {
              const auto [lu, pivots] = reference_lu(separated(x[0]));
              return std::vector<Part>{lu, pivots, Part(well)};
            }))
        .inputs(given({3, 3}, {1, 1, -2, 4, 3, 0.5, -1, 2, 5}))
        .inputs(given({4, 2}, {1, 1, -2, 1, 4, 0.5, -1, 2}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 3}))
        .error<ShapeError>([] { linalg::lu_factor_ex(sized({3})); },
                           "lu_factor: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::lu_factor_ex(sized({3, 3}, bfloat16)); },
                           "lu_factor: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool inv_ex_cases =
    of_matrices(OpCases("inv_ex"))
        .result_dtype(1, always<int32>)
        .on(
            [](In in) {
              const auto [inverse, info] = linalg::inv_ex(shifted(in[0]));
              return std::vector<Tensor>{inverse, info};
            },
            for_each_matrix([](Matrices x) {
              return std::vector<Part>{reference_solve(shifted(x[0]), identity(x[0].rows)), Part(well)};
            }))
        .pytorch("lambda a: tuple(torch.linalg.inv_ex(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype)))")
        .inputs(uniform({3, 3}, -1, 1))
        .inputs(uniform({2, 1, 2, 2}, -1, 1))
        .inputs(uniform({0, 2, 2}, -1, 1))
        .error<ShapeError>([] { linalg::inv_ex(sized({2, 3})); },
                           "inv_ex: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::inv_ex(sized({3, 3}, bfloat16)); },
                           "inv_ex: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool solve_ex_cases =
    of_matrices(OpCases("solve_ex"))
        .also_calls("lu_solve")
        .result_dtype(1, always<int32>)
        .on(
            [](In in) {
              const auto [solution, info] = linalg::solve_ex(shifted(in[0]), in[1]);
              return std::vector<Tensor>{solution, info};
            },
            for_each_matrix(
                [](Matrices x) { return std::vector<Part>{reference_solve(shifted(x[0]), x[1]), Part(well)}; }))
        .pytorch("lambda a, b: tuple(torch.linalg.solve_ex(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype), b))")
        .inputs(uniform({3, 3}, -1, 1), normal({3, 2}))
        .inputs(uniform({2, 2, 2}, -1, 1), normal({2, 2, 3}))
        .inputs(uniform({0, 2, 2}, -1, 1), normal({0, 2, 3}))
        .error<ShapeError>([] { linalg::solve_ex(sized({2, 3}), sized({3})); },
                           "solve_ex: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<ShapeError>([] { linalg::solve_ex(ones({3, 3}), ones({2, 3})); },
                           "lu_solve: needs a [..., N, N] and b [..., N, K], got float32 [3, 3] and float32 [2, 3]")
        .error<DTypeError>([] { linalg::solve_ex(sized({3, 3}), sized({3}, float64)); },
                           "solve_ex: dtypes differ: float32 [3, 3] and float64 [3]; convert one with to()")
        .check();

[[maybe_unused]] const bool ldl_factor_ex_cases =
    of_matrices(OpCases("ldl_factor_ex"))
        .also_calls("ldl_factor")
        .no_gradient()
        .result_dtype(1, always<int64>)
        .result_dtype(2, always<int32>)
        .on(
            [](In in) {
              const auto [ld, pivots, info] = linalg::ldl_factor_ex(in[0]);
              return std::vector<Tensor>{ld, pivots, info};
            },
            for_each_matrix([](Matrices x) {
              Matrix ld = x[0];
              for (std::int64_t i = 0; i < ld.rows; ++i)
                for (std::int64_t j = i + 1; j < ld.rows; ++j) ld(i, j) = 0;
              double info = 0;
              std::vector<double> pivots;
              for (std::int64_t i = 0; i < ld.rows; ++i) {
                pivots.push_back(static_cast<double>(i + 1));
                if (info == 0 && ld(i, i) == 0) info = static_cast<double>(i + 1);
              }
              return std::vector<Part>{ld, pivots, Part(info)};
            }))
        .inputs(given({3, 2, 2}, {1, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 5}))
        .inputs(normal({0, 2, 2}))
        .error<ShapeError>([] { linalg::ldl_factor_ex(sized({2, 3})); },
                           "ldl_factor: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::ldl_factor_ex(sized({3, 3}, bfloat16)); },
                           "ldl_factor: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

TEST(Unchecked, ReportsWhereEachMatrixFails) {
  const Tensor x = tensor<float>({{{4, 2}, {2, 1}}, {{-1, 2}, {2, 1}}, {{4, 2}, {2, 5}}});
  EXPECT_EQ(linalg::cholesky_ex(x).info.to_vector<std::int32_t>(), (std::vector<std::int32_t>{2, 1, 0}));
  EXPECT_EQ(linalg::lu_factor_ex(x).info.to_vector<std::int32_t>(), (std::vector<std::int32_t>{2, 0, 0}));
  EXPECT_EQ(linalg::inv_ex(x).info.to_vector<std::int32_t>(), (std::vector<std::int32_t>{2, 0, 0}));
  const linalg::SolutionInfo solved = linalg::solve_ex(x, ones({3, 2}));
  EXPECT_EQ(solved.info.to_vector<std::int32_t>(), (std::vector<std::int32_t>{2, 0, 0}));
  EXPECT_TRUE(allclose(solved.solution[2], tensor<float>({0.1875f, 0.125f})));
  EXPECT_TRUE(allclose(linalg::solve_ex(x, ones({3, 1, 2}), false).solution[2][0], tensor<float>({0.1875f, 0.125f})));
}

[[maybe_unused]] const bool lu_unpack_cases =
    of_matrices(OpCases("lu_unpack"))
        .also_calls("lu_factor")
        .on(
            [](In in) {
              const auto [p, l, u] = linalg::lu_unpack(linalg::lu_factor(separated(in[0])));
              return std::vector<Tensor>{l, u};
            },
            for_each_matrix([](Matrices x) {
              const Matrix lu = reference_lu(separated(x[0])).lu;
              const std::int64_t m = lu.rows, n = lu.columns, k = std::min(m, n);
              Matrix l(m, k), u(k, n);
              for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j)
                  if (i > j) l(i, j) = lu(i, j);
                  else u(i, j) = lu(i, j);
              for (std::int64_t i = 0; i < k; ++i) l(i, i) = 1;
              return std::vector<Part>{l, u};
            }))
        .pytorch("lambda x: torch.lu_unpack(*torch.linalg.lu_factor" + separated_in_python + ")[1:]")
        .inputs(given({3, 3}, {1, 1, -2, 4, 3, 0.5, -1, 2, 5}))
        .inputs(given({4, 2}, {1, 1, -2, 1, 4, 0.5, -1, 2}))
        .inputs(given({2, 4}, {1, 1, -2, 1, 3, -5, -1, 2}))
        .inputs(normal({0, 3, 3}))
        .error<ShapeError>([] { linalg::lu_unpack({ones({2, 2}), ones({3}, {.dtype = int64})}); },
                           "lu_unpack: needs the pivots that lu_factor returned, int64 [2], got int64 [3]")
        .error<DTypeError>([] { linalg::lu_unpack({sized({2, 2}, bfloat16), sized({2}, int64)}); },
                           "lu_unpack: needs float32 or float64, got bfloat16 [2, 2]; convert it with to()")
        .check();

[[maybe_unused]] const bool cholesky_inverse_cases =
    of_matrices(OpCases("cholesky_inverse"))
        .on([](In in) { return linalg::cholesky_inverse(shifted(in[0])); }, for_each_matrix([](Matrices x) {
              Matrix l = shifted(x[0]);
              for (std::int64_t i = 0; i < l.rows; ++i)
                for (std::int64_t j = i + 1; j < l.rows; ++j) l(i, j) = 0;
              return std::vector<Part>{reference_solve(l * transpose(l), identity(l.rows))};
            }))
        .pytorch("lambda x: torch.cholesky_inverse(torch.tril(x + 3 * torch.eye(x.shape[-1], dtype=x.dtype)))")
        .inputs(uniform({3, 3}, -1, 1))
        .inputs(uniform({2, 1, 2, 2}, -1, 1))
        .inputs(uniform({0, 2, 2}, -1, 1))
        .error<ShapeError>([] { linalg::cholesky_inverse(sized({2, 3})); },
                           "cholesky_inverse: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::cholesky_inverse(sized({3, 3}, bfloat16)); },
                           "cholesky_inverse: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

/// x [6, 6] as a map of tensors: from [2, 3] to [3, 2].
Tensor as_map(const Tensor& x) { return x.defined() && x.numel() == 36 ? reshape(shifted(x), {3, 2, 2, 3}) : x; }
Doubles solved(const std::vector<Doubles>& in) {
  Matrix a(6, 6), b = identity(6);
  a.values = in[0].values;
  if (in.size() > 1) {
    b = Matrix(6, 1);
    b.values = in[1].values;
  }
  Doubles y(in.size() > 1 ? Shape{2, 3} : Shape{2, 3, 3, 2});
  y.values = reference_solve(shifted(a), b).values;
  return y;
}

[[maybe_unused]] const bool tensorinv_cases =
    of_matrices(OpCases("tensorinv"))
        .also_calls("inv")
        .without("empty", "the map has a fixed shape here")
        .on([](In in) { return linalg::tensorinv(as_map(in[0])); }, solved)
        .pytorch("lambda x: torch.linalg.tensorinv((x + 3 * torch.eye(6, dtype=x.dtype)).reshape(3, 2, 2, 3))")
        .inputs(uniform({6, 6}, -1, 1))
        .huge([](auto n) { linalg::tensorinv(ones({2, 2}), n); })
        .error<ValueError>([] { linalg::tensorinv(sized({2, 2}), 2); },
                           "tensorinv: split must be between 1 and 1 for float32 [2, 2], got 2")
        .error<ShapeError>([] { linalg::tensorinv(sized({2, 3}), 1); },
                           "tensorinv: needs as many elements in the first 1 dimensions as in the others, got float32 "
                           "[2, 3]")
        .error<DTypeError>([] { linalg::tensorinv(sized({2, 2}, bfloat16), 1); },
                           "inv: needs float32 or float64, got bfloat16 [2, 2]; convert it with to()")
        .check();

[[maybe_unused]] const bool tensorsolve_cases =
    of_matrices(OpCases("tensorsolve"))
        .also_calls("solve")
        .also_calls("movedim")
        .without("empty", "the map has a fixed shape here")
        .on([](In in) { return linalg::tensorsolve(as_map(in[0]), in[1]); }, solved)
        .pytorch("lambda x, b: torch.linalg.tensorsolve((x + 3 * torch.eye(6, dtype=x.dtype)).reshape(3, 2, 2, 3), b)")
        .inputs(uniform({6, 6}, -1, 1), normal({3, 2}))
        .huge([](auto n) { linalg::tensorsolve(ones({2, 2}), ones({2}), {n}); })
        .error<IndexError>([] { linalg::tensorsolve(sized({2, 2}), sized({2}), {2}); },
                           "movedim: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { linalg::tensorsolve(sized({2, 3, 6}), sized({2, 2})); },
                           "tensorsolve: needs a with b's dimensions and as many elements in the others, got float32 "
                           "[2, 3, 6] and float32 [2, 2]")
        .error<DTypeError>([] { linalg::tensorsolve(sized({2, 2}), sized({2}, float64)); },
                           "solve: dtypes differ: float32 [2, 2] and float64 [2]; convert one with to()")
        .check();

TEST(Tensorsolve, MovesDimensionsToTheEnd) {
  manual_seed(6);
  const Tensor a = randn({3, 2, 3, 2}, {.dtype = float64}), b = randn({2, 3}, {.dtype = float64});
  const Tensor x = linalg::tensorsolve(a, b, {0, 3});
  EXPECT_EQ(x.shape(), (Shape{3, 2}));
  EXPECT_TRUE(allclose(einsum("bijc,bc->ij", {a, x}), b, {.rtol = 1e-9, .atol = 1e-10}));
}

}  // namespace
}  // namespace minima::unchecked_test
