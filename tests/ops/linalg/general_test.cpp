#include <minima/ops/linalg/linalg.h>

#include "tests/ops/linalg/matrices.h"

#include <minima/autograd/backward.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

// eig, eigvals, ldl_factor, ldl_solve and matrix_sqrth.

namespace minima::general_test {
namespace {

using namespace test;
using Matrices = const std::vector<Matrix>&;
using C = std::complex<double>;

/// What does not depend on order and phase: Σ w², Σ w³ and Σⱼ Re(wⱼ)·|Vᵢⱼ|².
std::vector<Tensor> eigen_parts(const linalg::Eig& eig) {
  const Tensor w2 = eig.values * eig.values, sizes = real(eig.vectors * conj(eig.vectors));
  return {real(sum(w2, {-1})), real(sum(w2 * eig.values, {-1})), sum(unsqueeze(real(eig.values), -2) * sizes, {-1})};
}

/// The same of a 2 x 2 matrix, whose eigenvectors are (b, w - a).
std::vector<Part> reference_eigen_parts(Matrices x) {
  const double a = x[0](0, 0), b = x[0](0, 1), d = x[0](1, 1), half = (a + d) / 2;
  const C root = std::sqrt(C(half * half - (a * d - b * x[0](1, 0))));
  double squares = 0, cubes = 0;
  std::vector<double> sizes(2);
  for (const C w : {half + root, half - root}) {
    squares += (w * w).real(), cubes += (w * w * w).real();
    const double norm = b * b + std::norm(w - a);
    sizes[0] += w.real() * b * b / norm;
    sizes[1] += w.real() * std::norm(w - a) / norm;
  }
  return {Part(squares), Part(cubes), Part(sizes)};
}

const std::string eigen_parts_in_python =
    "lambda x: (lambda w, v: ((w * w).sum(-1).real, (w * w * w).sum(-1).real, (w.real.unsqueeze(-2) * (v * "
    "v.conj()).real).sum(-1)))(*torch.linalg.eig(x))";

[[maybe_unused]] const bool eig_cases =
    of_matrices(OpCases("eig"))
        .also_calls("real")
        .on([](In in) { return eigen_parts(linalg::eig(in[0])); }, for_each_matrix(reference_eigen_parts))
        .pytorch(eigen_parts_in_python)
        .inputs(given({2, 2}, {1, 2, 0.5, 3}))
        .inputs(given({2, 2}, {1, -2, 2, 0.5}))
        .inputs(given({2, 1, 2, 2}, {1, 2, 0.5, 3, 1, -2, 2, 0.5}))
        .on(
            [](In in) {
              const std::vector<Tensor> parts = eigen_parts(linalg::eig(separated(in[0])));
              return std::vector<Tensor>{parts[0], parts[1]};
            },
            for_each_matrix([](Matrices x) {
              const Matrix own = separated(x[0]), square = own * own, cube = square * own;
              double squares = 0, cubes = 0;
              for (std::int64_t i = 0; i < x[0].rows; ++i) squares += square(i, i), cubes += cube(i, i);
              return std::vector<Part>{Part(squares), Part(cubes)};
            }),
            "larger")
        .pytorch("lambda x: (lambda w: ((w * w).sum(-1).real, (w * w * w).sum(-1).real))(torch.linalg.eig" +
                 separated_in_python + "[0])")
        .inputs(given({3, 3}, {1, 1, -2, 1, 3, 0.5, -1, 2, 6}))
        .inputs(given({4, 4}, {0, 1, 0, 2, 0, 0, 1, 0, 0, 3, 0, 1, 1, 0, -1, 0}))
        .inputs(normal({2, 0, 0}))
        .inputs(normal({0, 3, 3}))
        .error<ValueError>([] { linalg::eig(full({2, 2}, std::numeric_limits<double>::quiet_NaN())); },
                           "eig: the matrix float32 [2, 2] has no eigenvalues that the iteration finds; does it hold "
                           "NaN or infinities?")
        .error<ShapeError>([] { linalg::eig(sized({2, 3})); },
                           "eig: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::eig(sized({3, 3}, bfloat16)); },
                           "eig: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool eigvals_cases =
    of_matrices(OpCases("eigvals"))
        .on(
            [](In in) {
              const Tensor w = linalg::eigvals(separated(in[0]));
              return real(sum(w * w, {-1}));
            },
            for_each_matrix([](Matrices x) {
              const Matrix square = separated(x[0]) * separated(x[0]);
              double squares = 0;
              for (std::int64_t i = 0; i < x[0].rows; ++i) squares += square(i, i);
              return std::vector<Part>{Part(squares)};
            }))
        .pytorch("lambda x: torch.linalg.eigvals" + separated_in_python + ".square().sum(-1).real")
        .inputs(given({3, 3}, {1, 1, -2, 1, 3, 0.5, -1, 2, 6}))
        .inputs(given({2, 2, 2}, {1, 2, 0.5, 3, 1, -2, 2, 0.5}))
        .inputs(normal({0, 3, 3}))
        .error<ShapeError>([] { linalg::eigvals(sized({2, 3})); },
                           "eigvals: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::eigvals(sized({3, 3}, bfloat16)); },
                           "eigvals: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

TEST(Eig, SolvesItsEquation) {
  manual_seed(3);
  const Tensor x = randn({5, 9, 9}, {.dtype = float64});
  const auto [w, v] = linalg::eig(x);
  const Tensor rest = matmul(complex(x, zeros_like(x)), v) - v * unsqueeze(w, -2);
  EXPECT_LT(max(abs(rest)).item<double>(), 1e-12);
  EXPECT_LT(max(abs(sum(square(abs(v)), {-2}) - 1)).item<double>(), 1e-14);
}

[[maybe_unused]] const bool ldl_factor_cases =
    of_matrices(OpCases("ldl_factor"))
        .no_gradient()
        .result_dtype(1, always<int64>)
        .without("differences", "there is no gradient")
        .on(
            [](In in) {
              const auto [ld, pivots] = linalg::ldl_factor(in[0]);
              return std::vector<Tensor>{ld, pivots};
            },
            for_each_matrix([](Matrices x) {  // of 2 x 2 matrices: one block of two, or two of one
              const Matrix& a = x[0];
              const double off = std::fabs(a(1, 0)), bound = (1 + std::sqrt(17.0)) / 8;
              Matrix ld = a;
              ld(0, 1) = 0;
              if (off == 0) return std::vector<Part>{ld, Part(std::vector<double>{1, 2})};
              if (std::fabs(a(0, 0)) < bound * off && std::fabs(a(1, 1)) < bound * off)
                return std::vector<Part>{ld, Part(std::vector<double>{-2, -2})};
              const bool swapped = std::fabs(a(0, 0)) < bound * off;
              if (swapped) std::swap(ld(0, 0), ld(1, 1));
              ld(1, 1) -= a(1, 0) * a(1, 0) / ld(0, 0);
              ld(1, 0) /= ld(0, 0);
              return std::vector<Part>{ld, Part(std::vector<double>{swapped ? 2.0 : 1.0, 2})};
            }))
        .pytorch(
            "lambda x: (lambda ld, p: (ld, p.long()))(*torch.linalg.ldl_factor(x.detach().tril() + "
            "x.detach().tril(-1).mT))")
        .inputs(given({2, 2}, {4, 9, 1, 3}))
        .inputs(given({3, 2, 2}, {0, 0, 2, 0, 1, 0, 2, 5, 4, 0, 0, 3}))
        .inputs(normal({0, 2, 2}))
        .error<ShapeError>([] { linalg::ldl_factor(sized({2, 3})); },
                           "ldl_factor: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::ldl_factor(sized({3, 3}, bfloat16)); },
                           "ldl_factor: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool ldl_solve_cases =
    of_matrices(OpCases("ldl_solve"))
        .also_calls("ldl_factor")
        .on([](In in) { return linalg::ldl_solve(linalg::ldl_factor(symmetric(in[0])), in[1]); },
            for_each_matrix([](Matrices x) { return std::vector<Part>{reference_solve(symmetric(x[0]), x[1])}; }))
        .pytorch(
            "lambda x, b: torch.linalg.ldl_solve(*torch.linalg.ldl_factor((x + x.mT + 4 * torch.diag(1.0 + "
            "torch.arange("
            "x.shape[-1], dtype=x.dtype))).detach()), b.detach())")
        .inputs(given({4, 4}, {-2, 3, 1, -2, 3, -4, 2, 5, 1, 2, -6, 1, -2, 5, 1, 4}).constant(), normal({4, 2}))
        .inputs(given({3, 3}, {4, 1, 1, 0, 5, 2, -1, 1, 6}).constant(), normal({2, 3, 1}))
        .inputs(normal({0, 2, 2}).constant(), normal({2, 3}))
        .error<ShapeError>([] { linalg::ldl_solve({ones({2, 2}), ones({3}, {.dtype = int64})}, ones({2, 1})); },
                           "ldl_solve: needs the pivots that ldl_factor returned, int64 [2], got int64 [3]")
        .error<ValueError>([] { linalg::ldl_solve({ones({2, 2}), tensor<std::int64_t>({1, -2})}, ones({2, 1})); },
                           "ldl_solve: needs the pivots that ldl_factor returned, got int64 [2]")
        .error<ShapeError>([] { linalg::ldl_solve(linalg::ldl_factor(ones({2, 2})), ones({3, 1})); },
                           "ldl_solve: needs factors [..., N, N] and b [..., N, K], got float32 [2, 2] and float32 "
                           "[3, 1]")
        .error<DTypeError>(
            [] { linalg::ldl_solve({sized({2, 2}, bfloat16), sized({2}, int64)}, sized({2, 1}, bfloat16)); },
            "ldl_solve: needs float32 or float64, got bfloat16 [2, 2]; convert it with to()")
        .check();

TEST(LdlSolve, HasTheGradientByTheRightSide) {
  const Tensor a = tensor<double>({{0, 3, 1}, {3, 0, 2}, {1, 2, 0}}), g = tensor<double>({{1}, {2}, {3}});
  const Tensor b = ones({3, 1}, {.dtype = float64}).requires_grad(true);
  const linalg::LDLFactors factors = linalg::ldl_factor(a);
  sum(linalg::ldl_solve(factors, b) * g).backward();
  EXPECT_LT(max(abs(matmul(a, b.grad()) - g)).item<double>(), 1e-14);
}

TEST(LdlFactor, SolvesLargeIndefiniteSystems) {
  manual_seed(4);
  const Tensor half = randn({2, 40, 40}, {.dtype = float64}), a = half + transpose(half, -2, -1);
  const Tensor b = randn({40, 3}, {.dtype = float64});
  const Tensor x = linalg::ldl_solve(linalg::ldl_factor(a), b);
  EXPECT_LT(max(abs(matmul(a, x) - b)).item<double>(), 1e-10);
}

[[maybe_unused]] const bool matrix_sqrth_cases =
    of_matrices(OpCases("matrix_sqrth"))
        .on([](In in) { return linalg::matrix_sqrth(positive(in[0])); }, for_each_matrix([](Matrices x) {
              const ReferenceEigh e = reference_eigh(positive(x[0]));
              Matrix scaled = e.vectors;
              for (std::int64_t i = 0; i < scaled.rows; ++i)
                for (std::int64_t j = 0; j < scaled.rows; ++j)
                  scaled(i, j) *= std::sqrt(e.values[static_cast<std::size_t>(j)]);
              return std::vector<Part>{scaled * transpose(e.vectors)};
            }))
        .pytorch("lambda x: torch.linalg.matrix_sqrth(x @ x.mT + 3 * torch.eye(x.shape[-2], dtype=x.dtype))")
        .inputs(given({3, 3}, {1, 1, -2, 1, 3, 0.5, -1, 2, 6}))
        .inputs(given({2, 2, 2}, {1, 2, 0.5, 3, 1, -2, 2, 0.5}))
        .inputs(normal({0, 3, 3}))
        .error<ShapeError>([] { linalg::matrix_sqrth(sized({2, 3})); },
                           "matrix_sqrth: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::matrix_sqrth(sized({3, 3}, bfloat16)); },
                           "matrix_sqrth: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::general_test
