#include <minima/ops/linalg/factorisations.h>

#include "tests/ops/linalg/matrices.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace minima::factorisations_test {
namespace {

using namespace test;
using Matrices = const std::vector<Matrix>&;

Tensor t_last(const Tensor& x) { return transpose(x, -2, -1); }

Matrix columns_of(const Matrix& x, std::int64_t first, std::int64_t count) {
  Matrix y(x.rows, count);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < count; ++j) y(i, j) = x(i, first + j);
  return y;
}
Matrix rows_of(const Matrix& x, std::int64_t count) { return transpose(columns_of(transpose(x), 0, count)); }

[[maybe_unused]] const bool cholesky_cases =
    of_matrices(OpCases("cholesky"))
        .on([](In in) { return linalg::cholesky(positive(in[0])); },
            for_each_matrix([](Matrices x) { return std::vector<Part>{reference_cholesky(positive(x[0]))}; }))
        .pytorch("lambda x: torch.linalg.cholesky(x @ x.mT + 3 * torch.eye(x.shape[-2], dtype=x.dtype))")
        .inputs(normal({3, 3}))
        .inputs(normal({2, 1, 2, 3}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 0}))
        .inputs(normal({1, 1}))
        .inputs(normal({30, 30}))
        .on([](In in) { return linalg::cholesky(positive(in[0]), true); }, for_each_matrix([](Matrices x) {
              return std::vector<Part>{transpose(reference_cholesky(positive(x[0])))};
            }),
            "upper")
        .pytorch("lambda x: torch.linalg.cholesky(x @ x.mT + 3 * torch.eye(x.shape[-2], dtype=x.dtype), upper=True)")
        .inputs(normal({3, 3}))
        .error<ValueError>([] { linalg::cholesky(tensor<float>({{4, 2}, {2, 1}})); },
                           "cholesky: the matrix float32 [2, 2] is not positive definite: its leading minor of order 2 "
                           "is not positive")
        .error<ValueError>([] { linalg::cholesky(zeros({2, 3, 3})); },
                           "cholesky: matrix [0] of float32 [2, 3, 3] is not positive definite: its leading minor of "
                           "order 1 is not positive")
        .error<ShapeError>([] { linalg::cholesky(sized({2, 3})); },
                           "cholesky: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<ShapeError>([] { linalg::cholesky(sized({3})); },
                           "cholesky: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::cholesky(sized({3, 3}, bfloat16)); },
                           "cholesky: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

std::vector<Part> thin_qr(Matrices x) {
  const auto [q, r] = reference_qr(separated(x[0]));
  const std::int64_t k = std::min(x[0].rows, x[0].columns);
  return {columns_of(q, 0, k), rows_of(r, k)};
}

std::vector<Part> full_qr(Matrices x) {
  const auto [q, r] = reference_qr(separated(x[0]));
  return {q, r};
}

std::vector<Tensor> both(const linalg::QR& qr) { return {qr.q, qr.r}; }

[[maybe_unused]] const bool qr_cases =
    of_matrices(OpCases("qr"))
        .on([](In in) { return both(linalg::qr(separated(in[0]))); }, for_each_matrix(thin_qr))
        .pytorch("lambda x: torch.linalg.qr" + separated_in_python)
        .inputs(given({3, 3}, {4, 1, -2, 1, 3, 0.5, -1, 2, 5}))
        .inputs(given({4, 2}, {4, 1, -2, 1, 3, 0.5, -1, 2}))
        .inputs(given({2, 4}, {4, 1, -2, 1, 3, -5, -1, 2}))
        .inputs(normal({2, 1, 3, 2}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({3, 0}))
        .on([](In in) { return both(linalg::qr(separated(in[0]), linalg::QRMode::complete)); },
            for_each_matrix(full_qr), "complete")
        .pytorch("lambda x: torch.linalg.qr(" + separated_in_python + ", 'complete')")
        .inputs(given({3, 3}, {4, 1, -2, 1, 3, 0.5, -1, 2, 5}))
        .inputs(given({2, 3}, {4, 1, -2, 1, 3, 0.5}))
        .on(
            [](In in) {
              const Tensor x = separated(in[0]);
              return both(linalg::qr(x.defined() ? x.detach() : x, linalg::QRMode::complete));
            },
            for_each_matrix(full_qr), "complete and tall")
        .pytorch("lambda x: torch.linalg.qr(" + separated_in_python + ".detach(), 'complete')")
        .inputs(given({4, 2}, {4, 1, -2, 1, 3, 0.5, -1, 2}).constant())
        .on([](In in) { return linalg::qr(separated(in[0]), linalg::QRMode::r).r; },
            for_each_matrix([](Matrices x) { return std::vector<Part>{thin_qr(x)[1]}; }), "r")
        .inputs(given({4, 2}, {4, 1, -2, 1, 3, 0.5, -1, 2}))
        .error<ShapeError>([] { linalg::qr(sized({3})); },
                           "qr: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::qr(sized({3, 3}, bfloat16)); },
                           "qr: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

std::vector<Tensor> eigen_parts(const linalg::Eigh& eigh) {
  return {eigh.values, matmul(with_ramp(eigh.vectors), t_last(eigh.vectors))};
}
std::vector<Part> reference_eigen_parts(Matrices x) {
  const ReferenceEigh e = reference_eigh(symmetric(x[0]));
  return {e.values, e.vectors * ramp(x[0].rows) * transpose(e.vectors)};
}

[[maybe_unused]] const bool eigh_cases =
    of_matrices(OpCases("eigh"))
        .on([](In in) { return eigen_parts(linalg::eigh(symmetric(in[0]))); }, for_each_matrix(reference_eigen_parts))
        .pytorch(
            "lambda x: (lambda w, v: (w, v * (1 + torch.arange(x.shape[-1])) @ v.mT))(*torch.linalg.eigh(x + x.mT + 4 "
            "* torch.diag(1.0 + torch.arange(x.shape[-1], dtype=x.dtype))))")
        .inputs(given({3, 3}, {1, 1, -2, 1, 3, 0.5, -1, 2, 6}))
        .inputs(distinct({2, 1, 2, 2}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 0}))
        .on([](In in) { return eigen_parts(linalg::eigh(symmetric(in[0]), true)); },
            for_each_matrix(reference_eigen_parts), "upper")
        .inputs(given({3, 3}, {1, 1, -2, 1, 3, 0.5, -1, 2, 6}))
        .error<ValueError>(
            [] { linalg::eigh(full({2, 2, 2}, std::numeric_limits<double>::quiet_NaN())); },
            "eigh: matrix [0] of float32 [2, 2, 2] has no eigenvalues that the iteration finds; does it hold NaN or "
            "infinities?")
        .error<ShapeError>([] { linalg::eigh(sized({2, 3})); },
                           "eigh: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::eigh(sized({3, 3}, bfloat16)); },
                           "eigh: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool eigvalsh_cases =
    of_matrices(OpCases("eigvalsh"))
        .on([](In in) { return linalg::eigvalsh(symmetric(in[0])); },
            for_each_matrix([](Matrices x) { return std::vector<Part>{reference_eigh(symmetric(x[0])).values}; }))
        .pytorch(
            "lambda x: torch.linalg.eigvalsh(x + x.mT + 4 * torch.diag(1.0 + torch.arange(x.shape[-1], "
            "dtype=x.dtype)))")
        .inputs(given({3, 3}, {1, 1, -2, 1, 3, 0.5, -1, 2, 6}))
        .inputs(distinct({2, 2, 2}))
        .inputs(normal({0, 3, 3}))
        .error<ShapeError>([] { linalg::eigvalsh(sized({2, 3})); },
                           "eigvalsh: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::eigvalsh(sized({3, 3}, bfloat16)); },
                           "eigvalsh: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

/// What does not depend on the signs of singular vectors.
std::vector<Tensor> singular_parts(const linalg::SVD& svd) {
  const Tensor u = with_ramp(svd.u), v = t_last(svd.vt);
  return {svd.s, matmul(u, t_last(svd.u)), matmul(with_ramp(v), svd.vt), matmul(u, svd.vt)};
}

std::vector<Part> reference_singular_parts(Matrices x) {
  const auto [u, s, vt] = reference_svd(separated(x[0]));
  const Matrix k = ramp(static_cast<std::int64_t>(s.size()));
  return {s, u * k * transpose(u), transpose(vt) * k * vt, u * k * vt};
}

[[maybe_unused]] const bool svd_cases =
    of_matrices(OpCases("svd"))
        .on([](In in) { return singular_parts(linalg::svd(separated(in[0]))); },
            for_each_matrix(reference_singular_parts))
        .pytorch(
            "lambda x: (lambda u, s, v: (lambda k: (s, u * k @ u.mT, v.mT * k @ v, u * k @ v))(1 + "
            "torch.arange(s.shape[-1])))(*torch.linalg.svd(" +
            separated_in_python + ", full_matrices=False))")
        .inputs(given({3, 3}, {4, 1, -2, 1, 3, 0.5, -1, 2, 5}))
        .inputs(given({4, 2}, {4, 1, -2, 1, 3, 0.5, -1, 2}))
        .inputs(given({2, 4}, {4, 1, -2, 1, 3, -5, -1, 2}))
        .inputs(given({2, 2, 2}, {4, 1, -2, 1, 3, 0.5, -1, 2}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({3, 0}))
        .on([](In in) { return singular_parts(linalg::svd(separated(in[0]), true)); },
            for_each_matrix(reference_singular_parts), "full")
        .pytorch(
            "lambda x: (lambda u, s, v: (lambda k: (s, u * k @ u.mT, v.mT * k @ v, u * k @ v))(1 + "
            "torch.arange(s.shape[-1])))(*torch.linalg.svd" +
            separated_in_python + ")")
        .inputs(given({3, 3}, {4, 1, -2, 1, 3, 0.5, -1, 2, 5}))
        .error<ValueError>(
            [] { linalg::svd(full({2, 2}, std::numeric_limits<double>::infinity())); },
            "svd: the matrix float32 [2, 2] has no singular values that the iteration finds; does it hold NaN or "
            "infinities?")
        .error<ShapeError>([] { linalg::svd(sized({3})); },
                           "svd: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::svd(sized({3, 3}, bfloat16)); },
                           "svd: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool svdvals_cases =
    of_matrices(OpCases("svdvals"))
        .on([](In in) { return linalg::svdvals(separated(in[0])); },
            for_each_matrix([](Matrices x) { return std::vector<Part>{reference_svd(separated(x[0])).s}; }))
        .pytorch("lambda x: torch.linalg.svdvals" + separated_in_python)
        .inputs(given({3, 2}, {4, 1, -2, 1, 3, 0.5}))
        .inputs(given({2, 2, 3}, {4, 1, -2, 1, 3, 0.5, -1, 2, 5, 2, 2, 7}))
        .inputs(normal({2, 0, 3}))
        .error<ShapeError>([] { linalg::svdvals(sized({3})); },
                           "svdvals: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::svdvals(sized({3, 3}, bfloat16)); },
                           "svdvals: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

std::vector<Tensor> factors_and_pivots(const linalg::LUFactors& factors) { return {factors.lu, factors.pivots}; }

[[maybe_unused]] const bool lu_factor_cases =
    of_matrices(OpCases("lu_factor"))
        .result_dtype(1, always<int64>)
        .on([](In in) { return factors_and_pivots(linalg::lu_factor(separated(in[0]))); },
            for_each_matrix([](Matrices x) {
              const auto [lu, pivots] = reference_lu(separated(x[0]));
              return std::vector<Part>{lu, pivots};
            }))
        .pytorch("lambda x: (lambda lu, p: (lu, p.long()))(*torch.linalg.lu_factor" + separated_in_python + ")")
        .inputs(given({3, 3}, {1, 1, -2, 4, 3, 0.5, -1, 2, 5}))
        .inputs(given({4, 2}, {1, 1, -2, 1, 4, 0.5, -1, 2}))
        .inputs(given({2, 4}, {1, 1, -2, 1, 3, -5, -1, 2}))
        .inputs(normal({2, 1, 2, 2}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 3}))
        .error<ShapeError>([] { linalg::lu_factor(sized({3})); },
                           "lu_factor: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::lu_factor(sized({3, 3}, bfloat16)); },
                           "lu_factor: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool lu_cases =
    of_matrices(OpCases("lu"))
        .on(
            [](In in) {
              const auto [p, l, u] = linalg::lu(separated(in[0]));
              return std::vector<Tensor>{p.detach(), l, u};
            },
            for_each_matrix([](Matrices x) {
              const auto [lu, pivots] = reference_lu(separated(x[0]));
              const std::int64_t m = x[0].rows, n = x[0].columns, k = std::min(m, n);
              Matrix p = identity(m), l(m, k), u(k, n);
              for (std::int64_t i = k; i-- > 0;)  // P = S₁·S₂·…
                for (std::int64_t j = 0; j < m; ++j)
                  std::swap(p(i, j), p(static_cast<std::int64_t>(pivots[static_cast<std::size_t>(i)]) - 1, j));
              for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j)
                  if (i > j) l(i, j) = lu(i, j);
                  else u(i, j) = lu(i, j);
              for (std::int64_t i = 0; i < k; ++i) l(i, i) = 1;
              return std::vector<Part>{p, l, u};
            }))
        .pytorch("lambda x: torch.linalg.lu" + separated_in_python)
        .inputs(given({3, 3}, {1, 1, -2, 4, 3, 0.5, -1, 2, 5}))
        .inputs(given({4, 2}, {1, 1, -2, 1, 4, 0.5, -1, 2}))
        .inputs(given({2, 4}, {1, 1, -2, 1, 3, -5, -1, 2}))
        .inputs(normal({0, 3, 3}))
        .error<ShapeError>([] { linalg::lu(sized({3})); },
                           "lu: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::lu(sized({3, 3}, bfloat16)); },
                           "lu: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::factorisations_test
