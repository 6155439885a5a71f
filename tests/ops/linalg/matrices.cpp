#include "tests/ops/linalg/matrices.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/flip.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace minima::test {

namespace {

bool is_computed(const Tensor& x) {
  return x.defined() && (x.dtype() == DType::float32 || x.dtype() == DType::float64) && x.rank() >= 2;
}

Tensor unit(const Tensor& x) { return eye(x.size(-1), {.dtype = x.dtype(), .device = x.device()}); }

/// Rotates columns p and q of x.
void rotate(Matrix& x, std::int64_t p, std::int64_t q, double c, double s) {
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const double a = x(i, p), b = x(i, q);
    x(i, p) = c * a - s * b;
    x(i, q) = s * a + c * b;
  }
}

/// The angle that makes the off-diagonal element of [[a, off], [off, b]] zero.
std::pair<double, double> jacobi_angle(double a, double off, double b) {
  const double tau = (b - a) / (2 * off);
  const double t = (tau >= 0 ? 1 : -1) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
  const double c = 1 / std::sqrt(1 + t * t);
  return {c, t * c};
}

constexpr int sweeps = 30;

}  // namespace

Matrix identity(std::int64_t n) {
  Matrix y(n, n);
  for (std::int64_t i = 0; i < n; ++i) y(i, i) = 1;
  return y;
}

Matrix ramp(std::int64_t n) {
  Matrix y(n, n);
  for (std::int64_t i = 0; i < n; ++i) y(i, i) = static_cast<double>(i + 1);
  return y;
}

Matrix transpose(const Matrix& x) {
  Matrix y(x.columns, x.rows);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.columns; ++j) y(j, i) = x(i, j);
  return y;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix y(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.columns; ++k)
      for (std::int64_t j = 0; j < b.columns; ++j) y(i, j) += a(i, k) * b(k, j);
  return y;
}

Matrix operator+(const Matrix& a, const Matrix& b) {
  Matrix y = a;
  for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] += b.values[i];
  return y;
}

Matrix operator*(const Matrix& a, double factor) {
  Matrix y = a;
  for (double& value : y.values) value *= factor;
  return y;
}

ReferenceQR reference_qr(const Matrix& x) {
  ReferenceQR result{identity(x.rows), x};
  auto& [q, r] = result;
  for (std::int64_t k = 0; k < std::min(x.rows - 1, x.columns); ++k) {
    double norm = 0;
    for (std::int64_t i = k; i < x.rows; ++i) norm += r(i, k) * r(i, k);
    norm = std::sqrt(norm);
    std::vector<double> v(static_cast<std::size_t>(x.rows));
    double length = 0;
    for (std::int64_t i = k; i < x.rows; ++i) {
      double& element = v[static_cast<std::size_t>(i)];
      element = r(i, k) + (i == k ? std::copysign(norm, r(k, k)) : 0);
      length += element * element;
    }
    const auto reflect = [&](Matrix& y, std::int64_t from) {
      for (std::int64_t j = from; j < y.columns; ++j) {
        double dot = 0;
        for (std::int64_t i = k; i < x.rows; ++i) dot += v[static_cast<std::size_t>(i)] * y(i, j);
        for (std::int64_t i = k; i < x.rows; ++i) y(i, j) -= 2 * dot / length * v[static_cast<std::size_t>(i)];
      }
    };
    reflect(r, k);
    reflect(q, 0);  // Qᵀ
    for (std::int64_t i = k + 1; i < x.rows; ++i) r(i, k) = 0;
  }
  q = transpose(q);
  return result;
}

ReferenceLU reference_lu(const Matrix& x) {
  ReferenceLU result{x, {}};
  Matrix& a = result.lu;
  for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k; i < a.rows; ++i)
      if (std::fabs(a(i, k)) > std::fabs(a(best, k))) best = i;
    result.pivots.push_back(static_cast<double>(best + 1));
    for (std::int64_t j = 0; j < a.columns; ++j) std::swap(a(k, j), a(best, j));
    if (a(k, k) == 0) continue;
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (std::int64_t j = k + 1; j < a.columns; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return result;
}

double reference_det(const Matrix& x) {
  const ReferenceLU factors = reference_lu(x);
  double result = 1;
  for (std::int64_t i = 0; i < x.rows; ++i)
    result *= factors.lu(i, i) * (factors.pivots[static_cast<std::size_t>(i)] == static_cast<double>(i + 1) ? 1 : -1);
  return result;
}

Matrix reference_solve(const Matrix& a, const Matrix& b) {
  Matrix both(a.rows, a.columns + b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < both.columns; ++j) both(i, j) = j < a.columns ? a(i, j) : b(i, j - a.columns);
  const Matrix u = reference_lu(both).lu;
  Matrix x(b.rows, b.columns);
  for (std::int64_t j = 0; j < b.columns; ++j)
    for (std::int64_t i = a.rows; i-- > 0;) {
      x(i, j) = u(i, a.columns + j);
      for (std::int64_t k = i + 1; k < a.rows; ++k) x(i, j) -= u(i, k) * x(k, j);
      x(i, j) /= u(i, i);
    }
  return x;
}

Matrix reference_cholesky(const Matrix& x) {
  Matrix l(x.rows, x.rows);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      double rest = x(i, j);
      for (std::int64_t k = 0; k < j; ++k) rest -= l(i, k) * l(j, k);
      l(i, j) = i == j ? std::sqrt(rest) : rest / l(j, j);
    }
  return l;
}

ReferenceEigh reference_eigh(const Matrix& x) {
  Matrix a = x, v = identity(x.rows);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::int64_t p = 0; p < a.rows; ++p)
      for (std::int64_t q = p + 1; q < a.rows; ++q) {
        if (a(p, q) == 0) continue;
        const auto [c, s] = jacobi_angle(a(p, p), a(p, q), a(q, q));
        rotate(a, p, q, c, s);
        a = transpose(a);
        rotate(a, p, q, c, s);
        a = transpose(a);
        rotate(v, p, q, c, s);
      }
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.rows));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return a(i, i) < a(j, j); });
  ReferenceEigh result{{}, Matrix(x.rows, x.rows)};
  for (std::int64_t j = 0; j < x.rows; ++j) {
    const std::int64_t from = order[static_cast<std::size_t>(j)];
    result.values.push_back(a(from, from));
    for (std::int64_t i = 0; i < x.rows; ++i) result.vectors(i, j) = v(i, from);
  }
  return result;
}

ReferenceSVD reference_svd(const Matrix& x) {
  if (x.rows < x.columns) {
    const ReferenceSVD other = reference_svd(transpose(x));
    return {transpose(other.vt), other.s, transpose(other.u)};
  }
  Matrix a = x, v = identity(x.columns);
  const auto dot = [&](std::int64_t p, std::int64_t q) {
    double sum = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) sum += a(i, p) * a(i, q);
    return sum;
  };
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::int64_t p = 0; p < a.columns; ++p)
      for (std::int64_t q = p + 1; q < a.columns; ++q) {
        const double off = dot(p, q);
        if (off == 0) continue;
        const auto [c, s] = jacobi_angle(dot(p, p), off, dot(q, q));
        rotate(a, p, q, c, s);
        rotate(v, p, q, c, s);
      }
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.columns));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return dot(i, i) > dot(j, j); });
  ReferenceSVD result{Matrix(x.rows, x.columns), {}, Matrix(x.columns, x.columns)};
  for (std::int64_t j = 0; j < x.columns; ++j) {
    const std::int64_t from = order[static_cast<std::size_t>(j)];
    const double s = std::sqrt(dot(from, from));
    result.s.push_back(s);
    for (std::int64_t i = 0; i < x.rows; ++i) result.u(i, j) = a(i, from) / s;
    for (std::int64_t i = 0; i < x.columns; ++i) result.vt(j, i) = v(i, from);
  }
  return result;
}

Matrix reference_exp(const Matrix& x) {
  constexpr int halvings = 12, terms = 12;
  const Matrix small = x * std::ldexp(1.0, -halvings);
  Matrix sum = identity(x.rows), term = sum;
  for (int k = 1; k <= terms; ++k) {
    term = term * small * (1.0 / k);
    sum = sum + term;
  }
  for (int i = 0; i < halvings; ++i) sum = sum * sum;
  return sum;
}

Reference for_each_matrix(std::function<std::vector<Part>(const std::vector<Matrix>&)> f) {
  return [f](const std::vector<Doubles>& in) {
    Shape batch;
    for (const Doubles& x : in) {
      Shape own = x.shape;
      own.resize(own.rank() - 2);
      batch = broadcast(batch, own, "reference");
    }
    std::vector<Doubles> wide;
    for (const Doubles& x : in) {
      Shape shape = batch;
      shape.push_back(x.shape[x.shape.rank() - 2]);
      shape.push_back(x.shape.back());
      wide.push_back(broadcast_to(x, shape));
    }
    const std::int64_t count = numel(batch);
    std::vector<Doubles> outputs;
    for (std::int64_t i = 0; i < std::max<std::int64_t>(count, 1); ++i) {
      std::vector<Matrix> matrices;
      for (const Doubles& x : wide) {
        Matrix matrix(x.shape[x.shape.rank() - 2], x.shape.back());
        for (std::int64_t k = 0; k < std::min(matrix.rows, matrix.columns) && count == 0; ++k) matrix(k, k) = 1;
        const auto size = static_cast<std::int64_t>(matrix.values.size());
        if (count > 0) std::copy_n(x.values.begin() + i * size, size, matrix.values.begin());
        matrices.push_back(matrix);
      }
      const std::vector<Part> parts = f(matrices);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (i == 0) {
          Shape shape = batch;
          for (const std::int64_t size : parts[k].shape) shape.push_back(size);
          outputs.emplace_back(shape);
        }
        if (count > 0)
          std::copy(parts[k].values.begin(), parts[k].values.end(),
                    outputs[k].values.begin() + i * static_cast<std::int64_t>(parts[k].values.size()));
      }
    }
    return outputs;
  };
}

Tensor positive(const Tensor& x) {
  return is_computed(x)
             ? matmul(x, transpose(x, -2, -1)) + eye(x.size(-2), {.dtype = x.dtype(), .device = x.device()}) * 3
             : x;
}
Matrix positive(const Matrix& x) { return x * transpose(x) + identity(x.rows) * 3; }
Tensor shifted(const Tensor& x) { return is_computed(x) ? x + unit(x) * 3 : x; }
Matrix shifted(const Matrix& x) { return x + identity(x.rows) * 3; }
Tensor symmetric(const Tensor& x) { return is_computed(x) ? x + transpose(x, -2, -1) + with_ramp(unit(x)) * 4 : x; }
Matrix symmetric(const Matrix& x) { return x + transpose(x) + ramp(x.rows) * 4; }
Tensor separated(const Tensor& x) {
  if (!is_computed(x) || x.numel() == 0) return x;
  return x + roll(with_ramp(eye(x.size(-2), x.size(-1), {.dtype = x.dtype(), .device = x.device()})), 1, 0) * 3;
}
Matrix separated(const Matrix& x) {
  Matrix y = x;
  for (std::int64_t i = 0; i < std::min(x.rows, x.columns); ++i)
    y((i + 1) % x.rows, i) += 3 * static_cast<double>(i + 1);
  return y;
}
Tensor with_ramp(const Tensor& x) { return x * (arange(x.size(-1), {.device = x.device()}).to(x.dtype()) + 1); }

OpCases of_matrices(OpCases cases) {
  return cases.dtypes(full_floating_dtypes())
      .tolerance(40)
      .gradient_cancels()
      .without("hidden", "their arguments, as here, are computed by other operators")
      .without("large", "residuals_test.cpp has large matrices")
      .without("random", "random matrices with extreme elements have no inverse and no factors");
}

}  // namespace minima::test
