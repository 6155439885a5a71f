#include <minima/ops/linalg/measures.h>

#include "tests/ops/linalg/matrices.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/powers.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace minima::measures_test {
namespace {

using namespace test;
using Matrices = const std::vector<Matrix>&;

constexpr double infinity = std::numeric_limits<double>::infinity();

auto number(double (*f)(const Matrix&)) {
  return for_each_matrix([f](Matrices x) { return std::vector<Part>{Part(f(separated(x[0])))}; });
}

[[maybe_unused]] const bool det_cases =
    of_matrices(OpCases("det"))
        .on([](In in) { return linalg::det(separated(in[0])); }, number(reference_det))
        .pytorch("lambda x: torch.linalg.det" + separated_in_python)
        .inputs(given({3, 3}, {1, 1, -2, 4, 3, 0.5, -1, 2, 5}))
        .inputs(given({2, 1, 2, 2}, {1, 2, 3, 1, 4, 1, -1, 2}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 0}))
        .on([](In in) { return linalg::det(separated(in[0])); }, number(reference_det), "singular")
        .inputs(given({3, 3}, {1, 2, -6, -1, 4, 6, 1, -6, 1}))
        .error<ShapeError>([] { linalg::det(sized({2, 3})); },
                           "det: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::det(sized({3, 3}, bfloat16)); },
                           "det: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

std::vector<Tensor> sign_and_logarithm(const linalg::SignAndLogarithm& result) {
  return {result.sign.detach(), result.logarithm};
}

[[maybe_unused]] const bool slogdet_cases =
    of_matrices(OpCases("slogdet"))
        .on([](In in) { return sign_and_logarithm(linalg::slogdet(separated(in[0]))); },
            for_each_matrix([](Matrices x) {
              const double det = reference_det(separated(x[0]));
              return std::vector<Part>{Part(det > 0 ? 1.0 : -1.0), Part(std::log(std::fabs(det)))};
            }))
        .pytorch("lambda x: torch.linalg.slogdet" + separated_in_python)
        .inputs(given({3, 3}, {1, 1, -2, 4, 3, 0.5, -1, 2, 5}))
        .inputs(given({2, 1, 2, 2}, {1, 2, 3, 1, 4, 1, -1, 2}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 0}))
        .error<ShapeError>([] { linalg::slogdet(sized({2, 3})); },
                           "slogdet: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::slogdet(sized({3, 3}, bfloat16)); },
                           "slogdet: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool logdet_cases =
    of_matrices(OpCases("logdet"))
        .on([](In in) { return linalg::logdet(positive(in[0])); }, for_each_matrix([](Matrices x) {
              return std::vector<Part>{Part(std::log(reference_det(positive(x[0]))))};
            }))
        .pytorch("lambda x: torch.logdet(x @ x.mT + 3 * torch.eye(x.shape[-2], dtype=x.dtype))")
        .inputs(normal({3, 3}))
        .inputs(normal({2, 2, 2}))
        .inputs(normal({0, 3, 3}))
        .error<ShapeError>([] { linalg::logdet(sized({2, 3})); },
                           "logdet: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::logdet(sized({3, 3}, bfloat16)); },
                           "logdet: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

double frobenius(const Matrix& x) {
  double sum = 0;
  for (const double value : x.values) sum += value * value;
  return std::sqrt(sum);
}
/// The sums of absolute values of the columns, in ascending order.
std::vector<double> column_sums(const Matrix& x) {
  std::vector<double> sums(static_cast<std::size_t>(x.columns));
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.columns; ++j) sums[static_cast<std::size_t>(j)] += std::fabs(x(i, j));
  std::sort(sums.begin(), sums.end());
  return sums;
}
double nuclear(const Matrix& x) {
  double sum = 0;
  for (const double s : reference_svd(x).s) sum += s;
  return sum;
}

auto by_p(double p) {
  return [p](In in) { return linalg::matrix_norm(separated(in[0]), p); };
}

const Draw square = given({3, 3}, {1, 1, -2, 4, 3, 0.5, -1, 2, 5});
const Draw wide = given({2, 2, 3}, {1, 1, -2, 4, 3, 0.5, -1, 2, 5, 3, -6, 0.25});

[[maybe_unused]] const bool matrix_norm_cases =
    of_matrices(OpCases("matrix_norm"))
        .also_calls("norm")
        .on([](In in) { return linalg::matrix_norm(separated(in[0])); }, number(frobenius), "frobenius")
        .pytorch("lambda x: torch.linalg.matrix_norm" + separated_in_python)
        .inputs(square)
        .inputs(wide)
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 3}))
        .on([](In in) { return linalg::matrix_norm(separated(in[0]), linalg::MatrixNorm::nuclear); }, number(nuclear),
            "nuclear")
        .pytorch("lambda x: torch.linalg.matrix_norm(" + separated_in_python + ", 'nuc')")
        .inputs(square)
        .inputs(wide)
        .on(by_p(1), number([](const Matrix& x) { return column_sums(x).back(); }), "1")
        .pytorch("lambda x: torch.linalg.matrix_norm(" + separated_in_python + ", 1)")
        .inputs(wide)
        .on(by_p(-1), number([](const Matrix& x) { return column_sums(x).front(); }), "-1")
        .pytorch("lambda x: torch.linalg.matrix_norm(" + separated_in_python + ", -1)")
        .inputs(wide)
        .on(by_p(infinity), number([](const Matrix& x) { return column_sums(transpose(x)).back(); }), "inf")
        .pytorch("lambda x: torch.linalg.matrix_norm(" + separated_in_python + ", float('inf'))")
        .inputs(wide)
        .on(by_p(-infinity), number([](const Matrix& x) { return column_sums(transpose(x)).front(); }), "-inf")
        .pytorch("lambda x: torch.linalg.matrix_norm(" + separated_in_python + ", -float('inf'))")
        .inputs(wide)
        .on(by_p(2), number([](const Matrix& x) { return reference_svd(x).s.front(); }), "2")
        .pytorch("lambda x: torch.linalg.matrix_norm(" + separated_in_python + ", 2)")
        .inputs(wide)
        .on(by_p(-2), number([](const Matrix& x) { return reference_svd(x).s.back(); }), "-2")
        .pytorch("lambda x: torch.linalg.matrix_norm(" + separated_in_python + ", -2)")
        .inputs(wide)
        .on([](In in) { return linalg::matrix_norm(in[0], 2, {2, 0}, true); },
            [](const std::vector<Doubles>& in) {
              Doubles y({1, in[0].shape[1], 1});
              for (std::int64_t j = 0; j < in[0].shape[1]; ++j) {
                Matrix x(in[0].shape[2], in[0].shape[0]);
                for (std::int64_t i = 0; i < x.rows; ++i)
                  for (std::int64_t k = 0; k < x.columns; ++k) x(i, k) = in[0][{k, j, i}];
                y[{0, j, 0}] = reference_svd(x).s.front();
              }
              return y;
            },
            "other dimensions")
        .pytorch("lambda x: torch.linalg.matrix_norm(x, 2, (2, 0), True)")
        .inputs(wide)
        .huge([](auto n) { linalg::matrix_norm(ones({3, 3}), 1, {n, 0}); })
        .error<IndexError>([] { linalg::matrix_norm(sized({2, 3}), 1, {0, 2}); },
                           "matrix_norm: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { linalg::matrix_norm(sized({2, 3}), 3); },
                           "matrix_norm: p must be 1, 2, ∞ or the negative of one of them, got 3")
        .error<ValueError>([] { linalg::matrix_norm(sized({2, 3}), 1, {0, -2}); },
                           "matrix_norm: the dimensions must differ, got [0, -2]")
        .error<ValueError>([] { linalg::matrix_norm(sized({2, 3}), 1, {0}); },
                           "matrix_norm: needs two dimensions, got [0]")
        .error<ShapeError>([] { linalg::matrix_norm(sized({0, 3}), 1); },
                           "matrix_norm: matrices without elements have no largest one, got float32 [0, 3]")
        .error<DTypeError>([] { linalg::matrix_norm(sized({3, 3}, bfloat16)); },
                           "matrix_norm: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool vector_norm_cases =
    OpCases("vector_norm")
        .autocast("float32")
        .also_calls("norm")
        .gradient_cancels()
        .without("hidden", "it is norm")
        .without("large", "norm's table has them")
        .without("random", "norm's table has them")
        .on([](In in) { return linalg::vector_norm(in[0], 3, {1}, true); },
            [](const std::vector<Doubles>& in) {
              Doubles y({in[0].shape[0], 1});
              for (std::int64_t i = 0; i < in[0].shape[0]; ++i) {
                for (std::int64_t j = 0; j < in[0].shape[1]; ++j) y[{i, 0}] += std::pow(std::fabs(in[0][{i, j}]), 3);
                y[{i, 0}] = std::cbrt(y[{i, 0}]);
              }
              return y;
            })
        .pytorch("lambda x: torch.linalg.vector_norm(x, 3, 1, True)")
        .inputs(normal({3, 4}))
        .inputs(normal({0, 4}))
        .huge([](auto n) { linalg::vector_norm(ones({3, 3}), 2, {n}); })
        .error<IndexError>([] { linalg::vector_norm(sized({2}), 2, {1}); },
                           "vector_norm: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { linalg::vector_norm(sized({2}, int64)); },
                           "vector_norm: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

auto cond_by(double p) {
  return [p](In in) { return linalg::cond(separated(in[0]), p); };
}
Matrix inverse(const Matrix& x) { return reference_solve(x, identity(x.rows)); }

[[maybe_unused]] const bool cond_cases =
    of_matrices(OpCases("cond"))
        .on(cond_by(2), number([](const Matrix& x) {
              const auto s = reference_svd(x).s;
              return s.front() / s.back();
            }),
            "2")
        .pytorch("lambda x: torch.linalg.cond" + separated_in_python)
        .inputs(square)
        .inputs(wide)
        .inputs(normal({0, 3, 3}))
        .on(cond_by(-2), number([](const Matrix& x) {
              const auto s = reference_svd(x).s;
              return s.back() / s.front();
            }),
            "-2")
        .pytorch("lambda x: torch.linalg.cond(" + separated_in_python + ", -2)")
        .inputs(square)
        .on(cond_by(1), number([](const Matrix& x) { return column_sums(x).back() * column_sums(inverse(x)).back(); }),
            "1")
        .pytorch(
            "lambda x: (lambda y: torch.linalg.matrix_norm(y, 1) * torch.linalg.matrix_norm(torch.linalg.inv(y), 1))" +
            separated_in_python)
        .inputs(square)
        .on([](In in) { return linalg::cond(separated(in[0]), linalg::MatrixNorm::frobenius); },
            number([](const Matrix& x) { return frobenius(x) * frobenius(inverse(x)); }), "frobenius")
        .pytorch(
            "lambda x: (lambda y: torch.linalg.matrix_norm(y, 'fro') * torch.linalg.matrix_norm(torch.linalg.inv(y), "
            "'fro'))" +
            separated_in_python)
        .inputs(square)
        .on([](In in) { return linalg::cond(separated(in[0]), linalg::MatrixNorm::nuclear); },
            number([](const Matrix& x) { return nuclear(x) * nuclear(inverse(x)); }), "nuclear")
        .pytorch("lambda x: torch.linalg.cond(" + separated_in_python + ", 'nuc')")
        .inputs(square)
        .error<ShapeError>([] { linalg::cond(sized({2, 3}), 1); },
                           "cond: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<ValueError>([] { linalg::cond(sized({3, 3}), 3); },
                           "cond: p must be 1, 2, ∞ or the negative of one of them, got 3")
        .error<DTypeError>([] { linalg::cond(sized({3, 3}, bfloat16)); },
                           "cond: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

Matrix power(const Matrix& x, int n) {
  Matrix y = identity(x.rows);
  for (int i = 0; i < n; ++i) y = y * x;
  return y;
}
auto one(Matrix (*f)(const Matrix&)) {
  return for_each_matrix([f](Matrices x) { return std::vector<Part>{f(x[0])}; });
}

[[maybe_unused]] const bool matrix_power_cases =
    of_matrices(OpCases("matrix_power"))
        .also_calls("inv")
        .dtypes(floating_dtypes())
        .autocast("lower precision")
        .on([](In in) { return linalg::matrix_power(in[0], 5); }, one([](const Matrix& x) { return power(x, 5); }), "5")
        .pytorch("lambda x: torch.linalg.matrix_power(x, 5)")
        .inputs(uniform({3, 3}, -1, 1))
        .inputs(uniform({2, 1, 2, 2}, -1, 1))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 0}))
        .on([](In in) { return linalg::matrix_power(in[0], 0); }, one([](const Matrix& x) { return power(x, 0); }), "0")
        .pytorch("lambda x: torch.linalg.matrix_power(x, 0) + x * 0")
        .inputs(uniform({2, 3, 3}, -1, 1))
        .on([](In in) { return linalg::matrix_power(in[0], 1); }, one([](const Matrix& x) { return x; }), "1")
        .inputs(uniform({2, 3, 3}, -1, 1))
        .huge([](auto n) { linalg::matrix_power(ones({1, 1}), n); })
        .error<ShapeError>([] { linalg::matrix_power(sized({2, 3}), 2); },
                           "matrix_power: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::matrix_power(sized({3, 3}, bfloat16), -1); },
                           "matrix_power: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool matrix_exp_cases =
    of_matrices(OpCases("matrix_exp"))
        .on([](In in) { return linalg::matrix_exp(in[0]); }, one(reference_exp))
        .pytorch("torch.linalg.matrix_exp")
        .inputs(normal({3, 3}))
        .inputs(uniform({2, 1, 2, 2}, -0.01, 0.01))
        .inputs(uniform({2, 2}, -0.1, 0.1))
        .inputs(uniform({2, 2}, -0.4, 0.4))
        .inputs(uniform({2, 2}, 0.5, 1))
        .inputs(uniform({3, 3}, -5, 5))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({2, 0, 0}))
        .error<ShapeError>([] { linalg::matrix_exp(sized({2, 3})); },
                           "matrix_exp: needs square matrices [..., N, N], got float32 [2, 3]")
        .error<DTypeError>([] { linalg::matrix_exp(sized({3, 3}, bfloat16)); },
                           "matrix_exp: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool multi_dot_cases =
    of_matrices(OpCases("multi_dot"))
        .also_calls("matmul")
        .dtypes(floating_dtypes())
        .autocast("lower precision")
        .on([](In in) { return linalg::multi_dot(in); }, for_each_matrix([](Matrices x) {
              Matrix y = x[0];
              for (std::size_t i = 1; i < x.size(); ++i) y = y * x[i];
              return std::vector<Part>{y};
            }),
            "matrices")
        .pytorch("lambda *x: torch.linalg.multi_dot(x)")
        .inputs(normal({2, 3}), normal({3, 4}), normal({4, 1}), normal({1, 5}))
        .inputs(normal({2, 3}), normal({3, 4}))
        .inputs(normal({0, 3}), normal({3, 2}), normal({2, 2}))
        .error<ShapeError>([] { linalg::multi_dot({sized({2, 3}), sized({2, 3})}); },
                           "multi_dot: inner sizes differ: float32 [2, 3] and float32 [2, 3]")
        .error<ShapeError>([] { linalg::multi_dot({sized({2, 3}), sized({3}), sized({3, 2})}); },
                           "multi_dot: needs matrices, or vectors at the ends, got float32 [3] at place 1")
        .error<ValueError>([] { linalg::multi_dot({sized({2, 3})}); }, "multi_dot: needs at least two matrices, got 1")
        .error<DTypeError>([] { linalg::multi_dot({sized({2, 3}), sized({3, 2}, float64)}); },
                           "multi_dot: needs floating matrices of one dtype, got float32 [2, 3] and float64 [3, 2]")
        .check();

}  // namespace
}  // namespace minima::measures_test
