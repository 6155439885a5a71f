#include <minima/ops/linalg/solves.h>

#include "tests/ops/linalg/matrices.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cmath>

namespace minima::solves_test {
namespace {

using namespace test;
using Matrices = const std::vector<Matrix>&;

auto one(Matrix (*f)(Matrices)) {
  return for_each_matrix([f](Matrices x) { return std::vector<Part>{f(x)}; });
}

[[maybe_unused]] const bool solve_cases =
    of_matrices(OpCases("solve"))
        .on([](In in) { return linalg::solve(shifted(in[0]), in[1]); },
            one([](Matrices x) { return reference_solve(shifted(x[0]), x[1]); }))
        .pytorch("lambda a, b: torch.linalg.solve(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype), b)")
        .inputs(uniform({3, 3}, -1, 1), normal({3, 2}))
        .inputs(uniform({2, 1, 2, 2}, -1, 1), normal({3, 2, 1}))
        .inputs(uniform({2, 2}, -1, 1), normal({2, 2, 3}))
        .inputs(uniform({0, 2, 2}, -1, 1), normal({2, 3}))
        .inputs(uniform({2, 0, 0}, -1, 1), normal({0, 3}))
        .inputs(uniform({40, 40}, -1, 1), normal({40, 30}))
        .on([](In in) { return linalg::solve(separated(in[0]), in[1]); },
            one([](Matrices x) { return reference_solve(separated(x[0]), x[1]); }), "with pivots")
        .pytorch("lambda x, b: torch.linalg.solve(" + separated_in_python + ", b)")
        .inputs(given({3, 3}, {0, 1, -2, 4, 3, 0.5, -1, 2, 5}), normal({3, 2}))
        .on([](In in) { return linalg::solve(shifted(in[0]), in[1], false); },
            one([](Matrices x) { return transpose(reference_solve(transpose(shifted(x[0])), transpose(x[1]))); }),
            "from the right")
        .pytorch("lambda a, b: torch.linalg.solve(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype), b, left=False)")
        .inputs(uniform({2, 3, 3}, -1, 1), normal({4, 3}))
        .on(
            [](In in) {
              return linalg::solve(shifted(in[0]), in[1].defined() && in[1].rank() > 1 ? select(in[1], -1, 0) : in[1]);
            },
            for_each_matrix(
                [](Matrices x) { return std::vector<Part>{Part(reference_solve(shifted(x[0]), x[1]).values)}; }),
            "a vector")
        .inputs(uniform({3, 3}, -1, 1), normal({3, 1}))
        .inputs(uniform({2, 3, 3}, -1, 1), normal({2, 3, 1}))
        .error<ValueError>([] { linalg::solve(tensor<float>({{1, 2}, {2, 4}}), ones({2})); },
                           "solve: the matrix float32 [2, 2] is singular: pivot 2 is 0; pinv and lstsq take singular "
                           "matrices")
        .error<ValueError>(
            [] { linalg::solve(zeros({3, 1, 2, 2}), ones({2, 2})); },
            "solve: matrix [0, 0] of float32 [3, 1, 2, 2] is singular: pivot 1 is 0; pinv and lstsq take "
            "singular matrices")
        .error<ShapeError>([] { linalg::solve(sized({3, 3}), sized({2, 3})); },
                           "solve: needs a [..., N, N] and b [..., N, K] or [..., N], got float32 [3, 3] and float32 "
                           "[2, 3]")
        .error<ShapeError>([] { linalg::solve(sized({3, 3}), sized({2})); },
                           "solve: needs a [..., N, N] and b [N], got float32 [3, 3] and float32 [2]")
        .error<ShapeError>([] { linalg::solve(sized({2, 3}), sized({3})); },
                           "solve: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<ShapeError>([] { linalg::solve(sized({2, 3, 3}), sized({4, 3, 1})); },
                           "solve: shapes [2] and [4] do not broadcast: sizes 2 and 4 differ and neither is 1")
        .error<DTypeError>([] { linalg::solve(sized({3, 3}), sized({3}, float64)); },
                           "solve: dtypes differ: float32 [3, 3] and float64 [3]; convert one with to()")
        .check();

/// The triangle of a that a solve reads.
Matrix triangle_of(const Matrix& a, const linalg::TriangularOptions& options) {
  Matrix y = a;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j)
      if (options.upper ? j < i : j > i) y(i, j) = 0;
      else if (i == j && options.unitriangular) y(i, j) = 1;
  return y;
}

auto by_triangle(linalg::TriangularOptions options) {
  return [=](In in) { return linalg::solve_triangular(shifted(in[0]), in[1], options); };
}
auto reference_triangle(linalg::TriangularOptions options) {
  return for_each_matrix([=](Matrices x) {
    const Matrix a = triangle_of(shifted(x[0]), options);
    return std::vector<Part>{options.left ? reference_solve(a, x[1])
                                          : transpose(reference_solve(transpose(a), transpose(x[1])))};
  });
}

[[maybe_unused]] const bool solve_triangular_cases =
    of_matrices(OpCases("solve_triangular"))
        .on(by_triangle({}), reference_triangle({}), "lower")
        .pytorch(
            "lambda a, b: torch.linalg.solve_triangular(torch.tril(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype)), "
            "b, upper=False)")
        .inputs(uniform({3, 3}, -1, 1), normal({3, 2}))
        .inputs(uniform({2, 1, 2, 2}, -1, 1), normal({3, 2, 1}))
        .inputs(uniform({0, 2, 2}, -1, 1), normal({2, 3}))
        .inputs(uniform({60, 60}, -1, 1), normal({60, 10}))
        .on(by_triangle({.upper = true}), reference_triangle({.upper = true}), "upper")
        .pytorch(
            "lambda a, b: torch.linalg.solve_triangular(torch.triu(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype)), "
            "b, upper=True)")
        .inputs(uniform({3, 3}, -1, 1), normal({3, 2}))
        .inputs(uniform({60, 60}, -1, 1), normal({60, 10}))
        .on(by_triangle({.upper = true, .left = false}), reference_triangle({.upper = true, .left = false}), "right")
        .pytorch(
            "lambda a, b: torch.linalg.solve_triangular(torch.triu(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype)), "
            "b, upper=True, left=False)")
        .inputs(uniform({2, 3, 3}, -1, 1), normal({2, 3}))
        .on(by_triangle({.unitriangular = true}), reference_triangle({.unitriangular = true}), "ones")
        .pytorch(
            "lambda a, b: torch.linalg.solve_triangular(torch.tril(a, -1) + torch.eye(a.shape[-1], dtype=a.dtype), "
            "b, upper=False, unitriangular=True)")
        .inputs(uniform({3, 3}, -1, 1), normal({3, 2}))
        .error<ShapeError>([] { linalg::solve_triangular(sized({3, 3}), sized({2, 3}), {}); },
                           "solve_triangular: needs a [..., N, N] and b [..., N, K], got float32 [3, 3] and float32 "
                           "[2, 3]")
        .error<ShapeError>([] { linalg::solve_triangular(sized({3, 3}), sized({3, 2}), {.left = false}); },
                           "solve_triangular: needs a [..., N, N] and b [..., K, N], got float32 [3, 3] and float32 "
                           "[3, 2]")
        .error<DTypeError>([] { linalg::solve_triangular(sized({3, 3}), sized({3, 2}, float64), {}); },
                           "solve_triangular: dtypes differ: float32 [3, 3] and float64 [3, 2]; convert one with to()")
        .check();

[[maybe_unused]] const bool lu_solve_cases =
    of_matrices(OpCases("lu_solve"))
        .also_calls("lu_factor")
        .on([](In in) { return linalg::lu_solve(linalg::lu_factor(separated(in[0])), in[1]); },
            one([](Matrices x) { return reference_solve(separated(x[0]), x[1]); }), "left")
        .pytorch("lambda x, b: torch.linalg.lu_solve(*torch.linalg.lu_factor" + separated_in_python + ", b)")
        .inputs(given({3, 3}, {0, 1, -2, 4, 3, 0.5, -1, 2, 5}), normal({3, 2}))
        .inputs(given({2, 1, 2, 2}, {1, 2, 3, 1, 4, 1, -1, 2}), normal({3, 2, 1}))
        .inputs(uniform({0, 2, 2}, 1, 2), normal({2, 3}))
        .on([](In in) { return linalg::lu_solve(linalg::lu_factor(separated(in[0])), in[1], false); },
            one([](Matrices x) { return transpose(reference_solve(transpose(separated(x[0])), transpose(x[1]))); }),
            "right")
        .pytorch("lambda x, b: torch.linalg.lu_solve(*torch.linalg.lu_factor" + separated_in_python +
                 ", b, left=False)")
        .inputs(given({3, 3}, {0, 1, -2, 4, 3, 0.5, -1, 2, 5}), normal({2, 3}))
        .error<ShapeError>([] { linalg::lu_solve({ones({2, 2}), ones({3}, {.dtype = int64})}, ones({2, 1})); },
                           "lu_solve: needs the pivots that lu_factor returned, int64 [2], got int64 [3]")
        .error<ValueError>([] { linalg::lu_solve({ones({2, 2}), zeros({2}, {.dtype = int64})}, ones({2, 1})); },
                           "lu_solve: pivots must be between 1 and 2, but int64 [2] has others")
        .error<ShapeError>([] { linalg::lu_solve(linalg::lu_factor(ones({2, 2})), ones({3, 1})); },
                           "lu_solve: needs a [..., N, N] and b [..., N, K], got float32 [2, 2] and float32 [3, 1]")
        .error<DTypeError>(
            [] { linalg::lu_solve({sized({2, 2}, bfloat16), sized({2}, int64)}, sized({2, 1}, bfloat16)); },
            "lu_solve: needs float32 or float64, got bfloat16 [2, 2]; convert it with to()")
        .check();

[[maybe_unused]] const bool cholesky_solve_cases =
    of_matrices(OpCases("cholesky_solve"))
        .on([](In in) { return linalg::cholesky_solve(in[0], shifted(in[1])); }, one([](Matrices x) {
              const Matrix l = triangle_of(shifted(x[1]), {});
              return reference_solve(l * transpose(l), x[0]);
            }),
            "lower")
        .pytorch("lambda b, a: torch.cholesky_solve(b, torch.tril(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype)))")
        .inputs(normal({3, 2}), uniform({3, 3}, -1, 1))
        .inputs(normal({3, 2, 1}), uniform({2, 1, 2, 2}, -1, 1))
        .inputs(normal({2, 3}), uniform({0, 2, 2}, -1, 1))
        .on([](In in) { return linalg::cholesky_solve(in[0], shifted(in[1]), true); }, one([](Matrices x) {
              const Matrix u = triangle_of(shifted(x[1]), {.upper = true});
              return reference_solve(transpose(u) * u, x[0]);
            }),
            "upper")
        .pytorch(
            "lambda b, a: torch.cholesky_solve(b, torch.triu(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype)), True)")
        .inputs(normal({3, 2}), uniform({3, 3}, -1, 1))
        .error<ShapeError>([] { linalg::cholesky_solve(sized({2, 3}), sized({3, 3})); },
                           "cholesky_solve: needs a [..., N, N] and b [..., N, K], got float32 [3, 3] and float32 "
                           "[2, 3]")
        .error<DTypeError>([] { linalg::cholesky_solve(sized({3, 3}, float64), sized({3, 3})); },
                           "cholesky_solve: dtypes differ: float32 [3, 3] and float64 [3, 3]; convert one with to()")
        .check();

[[maybe_unused]] const bool inv_cases =
    of_matrices(OpCases("inv"))
        .on([](In in) { return linalg::inv(shifted(in[0])); },
            one([](Matrices x) { return reference_solve(shifted(x[0]), identity(x[0].rows)); }))
        .pytorch("lambda a: torch.linalg.inv(a + 3 * torch.eye(a.shape[-1], dtype=a.dtype))")
        .inputs(uniform({3, 3}, -1, 1))
        .inputs(uniform({2, 1, 2, 2}, -1, 1))
        .inputs(uniform({0, 2, 2}, -1, 1))
        .inputs(uniform({2, 0, 0}, -1, 1))
        .inputs(uniform({30, 30}, -1, 1))
        .error<ValueError>(
            [] { linalg::inv(tensor<float>({{{1, 2}, {3, 4}}, {{1, 2}, {2, 4}}})); },
            "inv: matrix [1] of float32 [2, 2, 2] is singular: pivot 2 is 0; pinv and lstsq take singular matrices")
        .error<ShapeError>([] { linalg::inv(sized({2, 3})); },
                           "inv: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::inv(sized({3, 3}, bfloat16)); },
                           "inv: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

/// (xᵀ·x)⁻¹·xᵀ, or xᵀ·(x·xᵀ)⁻¹.
Matrix reference_pinv(const Matrix& x) {
  const Matrix t = transpose(x);
  return x.rows >= x.columns ? reference_solve(t * x, t) : transpose(reference_solve(x * t, x));
}

[[maybe_unused]] const bool pinv_cases =
    of_matrices(OpCases("pinv"))
        .on([](In in) { return linalg::pinv(separated(in[0])); },
            one([](Matrices x) { return reference_pinv(separated(x[0])); }))
        .pytorch("lambda x: torch.linalg.pinv" + separated_in_python)
        .inputs(given({3, 3}, {4, 1, -2, 1, 3, 0.5, -1, 2, 5}))
        .inputs(given({4, 2}, {4, 1, -2, 1, 3, 0.5, -1, 2}))
        .inputs(given({2, 1, 2, 3}, {4, 1, -2, 1, 3, -5, -1, 2, 0, 1, 2, 3}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({3, 0}))
        .error<ValueError>([] { linalg::pinv(ones({2, 2}), {.rtol = -1.0}); },
                           "pinv: tolerances must not be negative, got -1")
        .error<ShapeError>([] { linalg::pinv(sized({3})); },
                           "pinv: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::pinv(sized({3, 3}, bfloat16)); },
                           "pinv: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool matrix_rank_cases =
    of_matrices(OpCases("matrix_rank"))
        .result_dtype(always<int64>)
        .no_gradient()
        .on([](In in) { return linalg::matrix_rank(in[0]); }, for_each_matrix([](Matrices x) {
              double rank = 0;
              const ReferenceSVD svd = reference_svd(x[0]);
              for (const double s : svd.s) rank += s > 1e-4 * svd.s[0];
              return std::vector<Part>{Part(rank)};
            }))
        .pytorch("lambda x: torch.linalg.matrix_rank(x.detach())")
        .inputs(given({3, 3}, {1, 2, 3, 2, 4, 6, 1, 0, 1}))
        .inputs(given({2, 2, 3}, {1, 2, 3, 2, 4, 6, 1, 0, 1, 0, 1, 0}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 3, 0}))
        .error<ShapeError>([] { linalg::matrix_rank(sized({3})); },
                           "matrix_rank: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::matrix_rank(sized({3, 3}, bfloat16)); },
                           "matrix_rank: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

std::vector<Tensor> solution_and_residuals(const linalg::LeastSquares& result) {
  return {result.solution, result.residuals};
}

[[maybe_unused]] const bool lstsq_cases =
    of_matrices(OpCases("lstsq"))
        .on([](In in) { return solution_and_residuals(linalg::lstsq(separated(in[0]), in[1])); },
            for_each_matrix([](Matrices x) {
              const Matrix solution = reference_pinv(separated(x[0])) * x[1];
              const Matrix rest = separated(x[0]) * solution + x[1] * -1;
              std::vector<double> residuals(static_cast<std::size_t>(rest.columns));
              for (std::int64_t i = 0; i < rest.rows; ++i)
                for (std::int64_t j = 0; j < rest.columns; ++j)
                  residuals[static_cast<std::size_t>(j)] += rest(i, j) * rest(i, j);
              return std::vector<Part>{solution, residuals};
            }),
            "tall")
        .pytorch("lambda x, b: (lambda y: (lambda s: (s, (y @ s - b).square().sum(-2)))(torch.linalg.lstsq(y, b)[0]))" +
                 separated_in_python)
        .inputs(given({4, 2}, {4, 1, -2, 1, 3, 0.5, -1, 2}), normal({4, 3}))
        .inputs(given({2, 3, 1}, {4, 1, -2, 1, 3, 0.5}), normal({2, 3, 2}))
        .inputs(normal({0, 3, 2}), normal({0, 3, 1}))
        .on([](In in) { return linalg::lstsq(separated(in[0]), in[1]).solution; },
            one([](Matrices x) { return reference_pinv(separated(x[0])) * x[1]; }), "wide")
        .pytorch("lambda x, b: torch.linalg.lstsq(" + separated_in_python + ", b)[0]")
        .inputs(given({2, 4}, {4, 1, -2, 1, 3, 0.5, -1, 2}), normal({2, 3}))
        .inputs(given({3, 3}, {4, 1, -2, 1, 3, 0.5, -1, 2, 5}), normal({3, 1}))
        .error<ShapeError>([] { linalg::lstsq(sized({3, 2}), sized({2, 3})); },
                           "lstsq: needs a [..., M, N] and b [..., M, K] or [..., M], got float32 [3, 2] and float32 "
                           "[2, 3]")
        .error<DTypeError>([] { linalg::lstsq(sized({3, 3}), sized({3}, float64)); },
                           "lstsq: dtypes differ: float32 [3, 3] and float64 [3]; convert one with to()")
        .check();

}  // namespace
}  // namespace minima::solves_test
