#include "simulated/libraries/cusolver/dense.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace simulated {

namespace {

double dot(const double* a, const double* b, std::int64_t count, Real real) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum = rounded(sum + a[i] * b[i], real);
  return sum;
}

/// y ← y - factor·x
void subtract(double* y, const double* x, double factor, std::int64_t count, Real real) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = rounded(y[i] - factor * x[i], real);
}

void rotate(double* a, double* b, double c, double s, std::int64_t count, Real real) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = a[i], y = b[i];
    a[i] = rounded(c * x - s * y, real);
    b[i] = rounded(s * x + c * y, real);
  }
}

/// The cosine and sine that make the symmetric [[p, off], [off, q]] diagonal.
std::pair<double, double> rotation(double p, double off, double q, Real real) {
  const double zeta = (q - p) / (2 * off);
  const double t = std::copysign(1 / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
  const double c = 1 / std::sqrt(1 + t * t);
  return {rounded(c, real), rounded(c * t, real)};
}

Dense transpose(const Dense& a) {
  Dense y(a.n, a.m, a.real);
  for (std::int64_t i = 0; i < a.m; ++i)
    for (std::int64_t j = 0; j < a.n; ++j) y(j, i) = a(i, j);
  return y;
}

Dense identity(std::int64_t n, Real real) {
  Dense y(n, n, real);
  for (std::int64_t i = 0; i < n; ++i) y(i, i) = 1;
  return y;
}

/// The indices of values in ascending order.
std::vector<std::int64_t> order_of(const std::vector<double>& values) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i)] < values[static_cast<std::size_t>(j)];
  });
  return order;
}

/// Column j becomes a unit vector orthogonal to the columns before it: the unit vector with most left of it.
void complete(Dense& u, std::int64_t j) {
  std::vector<double> best(static_cast<std::size_t>(u.m));
  double most = 0;
  for (std::int64_t k = 0; k < u.m && most < 0.5; ++k) {
    std::vector<double> x(static_cast<std::size_t>(u.m));
    x[static_cast<std::size_t>(k)] = 1;
    for (int twice = 0; twice < 2; ++twice)
      for (std::int64_t i = 0; i < j; ++i)
        subtract(x.data(), u.column(i), dot(x.data(), u.column(i), u.m, u.real), u.m, u.real);
    const double norm = std::sqrt(dot(x.data(), x.data(), u.m, u.real));
    if (norm > most) most = norm, best = std::move(x);
  }
  for (std::int64_t i = 0; i < u.m; ++i) u(i, j) = u.kept(best[static_cast<std::size_t>(i)] / most);
}

constexpr int sweeps = 60;
constexpr double epsilon_of(Real real) {
  return real == Real::single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

}  // namespace

int cholesky(Dense& a, bool upper) {
  const auto at = [&](std::int64_t i, std::int64_t j) -> double& { return upper ? a(j, i) : a(i, j); };
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t k = 0; k < j; ++k) at(j, j) = a.kept(at(j, j) - at(j, k) * at(j, k));
    if (!(at(j, j) > 0)) return static_cast<int>(j + 1);
    at(j, j) = a.kept(std::sqrt(at(j, j)));
    for (std::int64_t i = j + 1; i < a.n; ++i) {
      for (std::int64_t k = 0; k < j; ++k) at(i, j) = a.kept(at(i, j) - at(i, k) * at(j, k));
      at(i, j) = a.kept(at(i, j) / at(j, j));
    }
  }
  return 0;
}

int lu(Dense& a, std::vector<std::int64_t>& pivots) {
  int found = 0;
  pivots.assign(static_cast<std::size_t>(std::min(a.m, a.n)), 0);
  for (std::int64_t k = 0; k < std::min(a.m, a.n); ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < a.m; ++i)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    pivots[static_cast<std::size_t>(k)] = best + 1;
    for (std::int64_t j = 0; best != k && j < a.n; ++j) std::swap(a(k, j), a(best, j));
    if (a(k, k) == 0) {
      if (found == 0) found = static_cast<int>(k + 1);
      continue;
    }
    for (std::int64_t i = k + 1; i < a.m; ++i) a(i, k) = a.kept(a(i, k) / a(k, k));
    for (std::int64_t j = k + 1; j < a.n; ++j)
      subtract(a.column(j) + k + 1, a.column(k) + k + 1, a(k, j), a.m - k - 1, a.real);
  }
  return found;
}

void solve_triangle(const Dense& a, Triangle triangle, bool on_the_right, Dense& b) {
  if (on_the_right) {  // b·op(a) = c is op(a)ᵀ·bᵀ = cᵀ
    Dense turned = transpose(b);
    triangle.transposed = !triangle.transposed;
    solve_triangle(a, triangle, false, turned);
    b = transpose(turned);
    return;
  }
  const auto at = [&](std::int64_t i, std::int64_t j) { return triangle.transposed ? a(j, i) : a(i, j); };
  const bool backwards = triangle.upper != triangle.transposed;
  for (std::int64_t column = 0; column < b.n; ++column)
    for (std::int64_t step = 0; step < b.m; ++step) {
      const std::int64_t i = backwards ? b.m - 1 - step : step;
      double rest = b(i, column);
      for (std::int64_t j = backwards ? i + 1 : 0; j < (backwards ? b.m : i); ++j)
        rest = b.kept(rest - at(i, j) * b(j, column));
      b(i, column) = triangle.unit ? rest : b.kept(rest / at(i, i));
    }
}

void solve(const Dense& lu, const std::vector<std::int64_t>& pivots, bool transposed, Dense& b) {
  const auto exchange = [&](std::int64_t i) {
    const std::int64_t other = pivots[static_cast<std::size_t>(i)] - 1;
    for (std::int64_t j = 0; other != i && j < b.n; ++j) std::swap(b(i, j), b(other, j));
  };
  if (transposed) {
    solve_triangle(lu, {.upper = true, .transposed = true}, false, b);
    solve_triangle(lu, {.transposed = true, .unit = true}, false, b);
    for (std::int64_t i = lu.n; i-- > 0;) exchange(i);
  } else {
    for (std::int64_t i = 0; i < lu.n; ++i) exchange(i);
    solve_triangle(lu, {.unit = true}, false, b);
    solve_triangle(lu, {.upper = true}, false, b);
  }
}

void qr(Dense& a, std::vector<double>& tau) {
  tau.assign(static_cast<std::size_t>(std::min(a.m, a.n)), 0);
  for (std::int64_t k = 0; k < std::min(a.m, a.n); ++k) {
    double* const v = a.column(k) + k;
    const std::int64_t rest = a.m - k;
    const double below = a.kept(std::sqrt(dot(v + 1, v + 1, rest - 1, a.real)));
    if (below == 0) continue;
    const double beta = a.kept(-std::copysign(std::hypot(v[0], below), v[0])),
                 scale = tau[static_cast<std::size_t>(k)] = a.kept((beta - v[0]) / beta);
    for (std::int64_t i = 1; i < rest; ++i) v[i] = a.kept(v[i] / (v[0] - beta));
    v[0] = 1;
    for (std::int64_t j = k + 1; j < a.n; ++j) {
      double* const column = a.column(j) + k;
      subtract(column, v, a.kept(scale * dot(v, column, rest, a.real)), rest, a.real);
    }
    v[0] = beta;
  }
}

void orthonormal(Dense& a, const std::vector<double>& tau) {
  Dense q(a.m, a.n, a.real);
  for (std::int64_t i = 0; i < a.n; ++i) q(i, i) = 1;
  for (auto k = static_cast<std::int64_t>(tau.size()); k-- > 0;) {
    std::vector<double> v(a.column(k) + k, a.column(k) + a.m);
    v[0] = 1;
    const std::int64_t rest = a.m - k;
    for (std::int64_t j = 0; j < a.n; ++j) {
      double* const column = q.column(j) + k;
      const double factor = a.kept(tau[static_cast<std::size_t>(k)] * dot(v.data(), column, rest, a.real));
      subtract(column, v.data(), factor, rest, a.real);
    }
  }
  a = std::move(q);
}

std::vector<double> eigenvalues(Dense& a, bool upper) {
  const std::int64_t n = a.n;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j) (upper ? a(i, j) : a(j, i)) = upper ? a(j, i) : a(i, j);
  const double negligible = a.real == Real::single ? epsilon_of(a.real) : 1e-3 * epsilon_of(a.real);
  Dense v = identity(n, a.real);
  for (int sweep = 0, rotated = 1; sweep < sweeps && rotated > 0; ++sweep) {
    rotated = 0;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) {
        if (std::abs(a(p, q)) <= negligible * std::sqrt(std::abs(a(p, p) * a(q, q))) || a(p, q) == 0) continue;
        ++rotated;
        const auto [c, s] = rotation(a(p, p), a(p, q), a(q, q), a.real);
        rotate(a.column(p), a.column(q), c, s, n, a.real);
        rotate(v.column(p), v.column(q), c, s, n, a.real);
        for (std::int64_t j = 0; j < n; ++j) rotate(&a(p, j), &a(q, j), c, s, 1, a.real);
        a(p, q) = a(q, p) = 0;
      }
  }
  std::vector<double> found, sorted;
  for (std::int64_t i = 0; i < n; ++i) found.push_back(a(i, i));
  std::int64_t to = 0;
  for (const std::int64_t from : order_of(found)) {
    sorted.push_back(found[static_cast<std::size_t>(from)]);
    std::copy_n(v.column(from), n, a.column(to++));
  }
  return sorted;
}

SingularValues singular_values(const Dense& given) {
  const Real real = given.real;
  const double epsilon = epsilon_of(real);
  Dense a = given, v = identity(given.n, real);
  const std::int64_t m = a.m, n = a.n;
  for (int sweep = 0, rotated = 1; sweep < sweeps && rotated > 0; ++sweep) {
    rotated = 0;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) {
        const double pp = dot(a.column(p), a.column(p), m, real), qq = dot(a.column(q), a.column(q), m, real),
                     off = dot(a.column(p), a.column(q), m, real);
        if (std::abs(off) <= epsilon * std::sqrt(pp * qq)) continue;
        ++rotated;
        const auto [c, s] = rotation(pp, off, qq, real);
        rotate(a.column(p), a.column(q), c, s, m, real);
        rotate(v.column(p), v.column(q), c, s, n, real);
      }
  }
  std::vector<double> norms;
  for (std::int64_t j = 0; j < n; ++j) norms.push_back(a.kept(std::sqrt(dot(a.column(j), a.column(j), m, real))));
  std::vector<std::int64_t> order = order_of(norms);
  std::reverse(order.begin(), order.end());
  SingularValues result{Dense(m, m, real), {}, Dense(n, n, real)};
  for (std::int64_t j = 0; j < m; ++j) {
    const std::int64_t from = j < n ? order[static_cast<std::size_t>(j)] : -1;
    const double norm = j < n ? norms[static_cast<std::size_t>(from)] : 0;
    if (j < n) {
      result.s.push_back(norm);
      std::copy_n(v.column(from), n, result.v.column(j));
    }
    if (j < n && norm > static_cast<double>(n) * epsilon * result.s.front())
      for (std::int64_t i = 0; i < m; ++i) result.u(i, j) = a.kept(a(i, from) / norm);
    else complete(result.u, j);
  }
  return result;
}

}  // namespace simulated
