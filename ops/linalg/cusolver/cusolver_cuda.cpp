#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/calls.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::detail {

namespace {

Tensor like(const Tensor& x, const Shape& shape, DType dtype) {
  return empty(shape, {.dtype = dtype, .device = x.device()});
}

Infos infos_of(const Tensor& info) {
  const Tensor found = on_host(info);
  return {found.data<std::int32_t>(), found.data<std::int32_t>() + found.numel()};
}

Tensor new_pivots(const Tensor& x) {
  return like(x, joined(leading(x.shape()), {std::min(rows_of(x), columns_of(x))}), DType::int64);
}

/// [..., 1, 1], true for finite matrices.
Tensor are_finite(const Tensor& x) { return all(isfinite(x), {-2, -1}, true); }

/// LAPACK's results, and 1 for matrices that are not finite: those are computed as zeros, because no library says what
/// it does with them.
Infos infos_of(const Tensor& info, const Tensor& finite) {
  return infos_of(cast(where(reshape(finite, info.shape()), info, 1), DType::int32));
}

/// U's diagonal and how many rows were exchanged, modulo 2. The transpose's would do, but rounds differently from the
/// CPU's, and a determinant that is exactly 0 decides how its gradient is computed.
struct Diagonal {
  Tensor values, odd;

  Diagonal(const char* op, const Tensor& x) {
    const Tensor factors = column_major(x), pivots = new_pivots(x);
    Solver(op, x).lu(factors, pivots);
    values = diagonal(factors, 0, -2, -1);
    const Tensor in_place = arange(1, rows_of(x) + 1, 1, {.dtype = DType::int64, .device = x.device()});
    odd = remainder(count_nonzero(pivots != in_place, {-1}), 2);
  }
  /// -1 for an odd number of exchanges, else 1.
  Tensor sign() const { return 1 - 2 * cast(odd, values.dtype()); }
};

}  // namespace

Tensor row_major(const Tensor& x) {
  const Tensor y = like(x, x.shape(), x.dtype());
  copy_values(x, y);
  return y;
}
Tensor column_major(const Tensor& x) { return row_major(transposed(x)); }

bool use_cusolver(const Tensor& x) { return x.numel() > 0 && can_open_cusolver(); }
bool use_cusolver(const Tensor& a, const Tensor& b) { return b.numel() > 0 && use_cusolver(a); }

// A row-major matrix is its transpose to cuSOLVER, so the lower triangle is its upper one, and U in x = Uᵀ·U is L.
Infos cholesky_cusolver(const Tensor& x, bool upper, const Tensor& y) {
  const Tensor factor = row_major(x);
  Solver solver("cholesky", x);
  solver.cholesky(factor, !upper);
  copy_values(upper ? triu(factor) : tril(factor), y);
  return infos_of(solver.info());
}

void lu_cusolver(const Tensor& x, const Tensor& lu, const Tensor& pivots) {
  const Tensor factors = column_major(x);
  Solver("lu_factor", x).lu(factors, pivots);
  copy_values(transposed(factors), lu);
}

// A·X = B is Xᵀ·Aᵀ = Bᵀ, and that is what the row-major matrices are to cuBLAS. A transposed A is taken as it is.
void solve_triangular_cusolver(const Tensor& a, bool upper, bool unitriangular, const Tensor& b, const Tensor& x) {
  copy_values(b, x);
  const bool is_turned = !a.is_contiguous() && transposed(a).is_contiguous();
  const Tensor matrix = is_turned ? transposed(a) : contiguous(a);
  Solver("solve_triangular", a).triangle(matrix, is_turned ? upper : !upper, is_turned, unitriangular, x);
}

// Factors of A itself, not of its transpose: the pivot that is 0 is the CPU's.
Infos solve_cusolver(const Tensor& a, const Tensor& b, const Tensor& x, const Tensor& lu, const Tensor& pivots) {
  const Tensor factors = column_major(a), right = column_major(b), swaps = pivots.defined() ? pivots : new_pivots(a);
  Solver solver("solve", a);
  solver.lu(factors, swaps);
  solver.solve(factors, swaps, false, right);
  copy_values(transposed(right), x);
  if (lu.defined()) copy_values(transposed(factors), lu);
  return infos_of(solver.info());
}

void solve_transposed_cusolver(const Tensor& lu, const Tensor& pivots, const Tensor& b, const Tensor& x) {
  const Tensor factors = column_major(lu), right = column_major(b);
  Solver("solve_transposed", lu).solve(factors, contiguous(pivots), true, right);
  copy_values(transposed(right), x);
}

// Aᵀ·Z = 1 has the solution A⁻ᵀ, which is A⁻¹ in row-major order.
Infos inv_cusolver(const Tensor& x, bool checked, const Tensor& y) {
  const Tensor factors = column_major(x), pivots = new_pivots(x);
  const Tensor unit = eye(rows_of(x), {.dtype = x.dtype(), .device = x.device()});
  copy_values(expand_batch(unit, leading(x.shape())), y);
  Solver solver("inv", x);
  solver.lu(factors, pivots);
  solver.solve(factors, pivots, true, y);
  if (checked) return infos_of(solver.info());
  const Tensor singular = reshape(solver.info() != 0, joined(leading(x.shape()), {1, 1}));
  copy_values(where(singular, std::numeric_limits<double>::infinity(), y), y);
  return {};
}

void det_cusolver(const Tensor& x, const Tensor& y) {
  const Diagonal u("det", x);
  copy_values(u.sign() * prod(u.values, {-1}), y);
}

void slogdet_cusolver(const Tensor& x, const Tensor& sign_of, const Tensor& logarithm) {
  const Diagonal u("slogdet", x);
  copy_values(u.sign() * prod(sign(u.values), {-1}), sign_of);
  copy_values(sum(log(abs(u.values)), {-1}), logarithm);
}

void qr_cusolver(const Tensor& x, const Tensor& q, const Tensor& r) {
  const std::int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  Tensor factors = column_major(x);
  const Tensor tau = like(x, joined(leading(x.shape()), {k}), x.dtype());
  Solver solver("qr", x);
  solver.reflectors(factors, tau);
  copy_values(narrow(triu(transposed(factors)), -2, 0, rows_of(r)), r);
  if (!q.defined()) return;
  const std::int64_t columns = columns_of(q);
  if (columns > n) {
    const Tensor wide = like(x, joined(leading(x.shape()), {columns, m}), x.dtype());
    copy_values(factors, narrow(wide, -2, 0, n));
    factors = wide;
  }
  solver.orthonormal(factors, tau, columns);
  copy_values(transposed(narrow(factors, -2, 0, columns)), q);
}

void geqrf_cusolver(const Tensor& x, const Tensor& reflections, const Tensor& tau) {
  const Tensor factors = column_major(x);
  Solver("geqrf", x).reflectors(factors, tau);
  copy_values(transposed(factors), reflections);
}

// A symmetric matrix is its transpose, with the other triangle.
Infos eigh_cusolver(const Tensor& x, bool upper, const Tensor& values, const Tensor& vectors) {
  const Tensor finite = are_finite(upper ? triu(x) : tril(x)), columns = row_major(where(finite, x, 0));
  Solver solver("eigh", x);
  solver.symmetric(columns, !upper, vectors.defined(), values);
  if (vectors.defined()) copy_values(transposed(columns), vectors);
  return infos_of(solver.info(), finite);
}

// cuSOLVER takes tall matrices. A wide one is tall in row-major order: Xᵀ = V·S·Uᵀ gives Vᵀ and U in row-major order.
Infos svd_cusolver(const Tensor& x, const Tensor& u, const Tensor& s, const Tensor& vt) {
  const Tensor finite = are_finite(x), given = where(finite, x, 0);
  Solver solver("svd", x);
  if (rows_of(x) <= columns_of(x)) {
    solver.singular(row_major(given), vt, s, u);
    return infos_of(solver.info(), finite);
  }
  const Tensor left = u.defined() ? like(x, transposed(u).shape(), x.dtype()) : Tensor();
  const Tensor right = vt.defined() ? like(x, transposed(vt).shape(), x.dtype()) : Tensor();
  solver.singular(column_major(given), left, s, right);
  if (u.defined()) copy_values(transposed(left), u);
  if (vt.defined()) copy_values(transposed(right), vt);
  return infos_of(solver.info(), finite);
}

namespace {

/// The approximant of matrix_exp_kernel's highest degree, for all matrices.
struct HighestPade {
  double largest_norm;
  std::vector<double> c;
};
HighestPade highest_pade(DType dtype) {
  if (dtype == DType::float32) return {3.925724783138660, {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}};
  return {5.371920351148152,
          {64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
           670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}};
}

/// (V - U)⁻¹·(V + U), where U has the odd powers of x and V the even ones.
Tensor pade_of(const Tensor& x, const std::vector<double>& c) {
  const Tensor unit = eye(rows_of(x), {.dtype = x.dtype(), .device = x.device()}), square = matmul(x, x);
  Tensor even = unit * c[0], odd = unit * c[1], power = square;
  for (std::size_t k = 2; k < c.size(); k += 2) {
    even = even + power * c[k];
    odd = odd + power * c[k + 1];
    if (k + 2 < c.size()) power = matmul(power, square);
  }
  odd = matmul(x, odd);
  const Tensor factors = column_major(even - odd), right = column_major(even + odd);
  const Tensor pivots = empty(leading(factors.shape(), 1), {.dtype = DType::int64, .device = x.device()});
  Solver solver("matrix_exp", x);
  solver.lu(factors, pivots);
  solver.solve(factors, pivots, false, right);
  return transposed(right);
}

}  // namespace

void matrix_exp_cusolver(const Tensor& x, const Tensor& y) {
  refuse_captured(x.device(), "matrix_exp");
  const WithoutAutocast guard;
  const HighestPade pade = highest_pade(x.dtype());
  const Tensor finite = all(isfinite(x), {-2, -1}, true), given = where(finite, x, 0);
  const Tensor norms = amax(sum(abs(given), {-2}, true), {-1}, true);
  const Tensor halvings = where(norms > pade.largest_norm, ceil(log2(norms / pade.largest_norm)), 0);
  const auto most = static_cast<int>(amax(halvings).to(float64).item<double>());
  Tensor result = pade_of(given * exp2(-halvings), pade.c);
  for (int i = 0; i < most; ++i) result = where(halvings > i, matmul(result, result), result);
  copy_values(where(finite, result, std::numeric_limits<double>::quiet_NaN()), y);
}

}  // namespace minima::detail
