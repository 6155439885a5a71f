#include <minima/ops/complex/complex.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace minima::linalg {

namespace {

using detail::rows_of, detail::transposed;

TensorSpec eigenvalues_of(const Tensor& x) {
  Shape shape = x.shape();
  shape.erase(shape.rank() - 1);
  return spec_of(shape, complex_dtype(x.dtype()), x.device());
}

void find_eigenvalues(const char* op, const Tensor& x, Tensor& values, Tensor& vectors) {
  const detail::Infos infos = detail::eig_kernel(contiguous(x), values, vectors);
  if (const std::int64_t failed = detail::first_failure(infos); failed >= 0)
    throw ValueError(str(op, ": ", detail::name_matrix(x, failed),
                         " has no eigenvalues that the iteration finds; does it hold NaN or infinities?"));
}

/// The eigenvalues of a constant.
struct EigenvaluesOnly {
  static constexpr Traits traits{.name = "eigvals"};

  TensorSpec result(const Tensor& x) const { return eigenvalues_of(x); }
  Cost cost(const Tensor& x) const {
    return detail::matrix_cost(x, 10 * std::pow(static_cast<double>(rows_of(x)), 3), 2 * result(x).numel());
  }
  void cpu(const Tensor& x, Tensor& values) const {
    Tensor vectors;
    find_eigenvalues(traits.name, x, values, vectors);
  }
  void cuda(const Tensor& x, Tensor& values) const {
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(values));
    host.finish();
  }
};

/// The complex X with A·X = B, of real systems.
Tensor solve_complex(const Tensor& a, const Tensor& b) {
  const Tensor re = real(a), im = imag(a);
  const Tensor both = cat({cat({re, -im}, -1), cat({im, re}, -1)}, -2);
  const Tensor x = solve(both, cat({real(b), imag(b)}, -2));
  return complex(narrow(x, -2, 0, rows_of(a)), narrow(x, -2, rows_of(a), rows_of(a)));
}

struct General {
  static constexpr Traits traits{.name = "eig"};

  std::array<TensorSpec, 2> result(const Tensor& x) const {
    return {eigenvalues_of(x), spec_of(x.shape(), complex_dtype(x.dtype()), x.device())};
  }
  Cost cost(const Tensor& x) const {
    return detail::matrix_cost(x, 25 * std::pow(static_cast<double>(rows_of(x)), 3),
                               2 * (x.numel() + eigenvalues_of(x).numel()));
  }
  void cpu(const Tensor& x, Tensor& values, Tensor& vectors) const {
    find_eigenvalues(traits.name, x, values, vectors);
  }
  void cuda(const Tensor& x, Tensor& values, Tensor& vectors) const {
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(values), host.out(vectors));
    host.finish();
  }

  // V⁻ᴴ·(diag(dw) + (Vᴴ·dV - Vᴴ·V·Re diag(Vᴴ·dV)) / E)·Vᴴ with Eᵢⱼ = conj(wⱼ - wᵢ): the columns' norms stay 1.
  Tensor gradient(GradAt<0> by_values, GradAt<1> by_vectors, OutputAt<0> w, OutputAt<1> v) const {
    const Tensor vh = conj(transposed(v));
    Tensor inner;
    if (by_vectors.defined()) {
      const Tensor lengths = real(sum(conj(v) * by_vectors, {-2}, true));
      const Tensor along = matmul(vh, by_vectors - v * lengths);
      const Tensor gaps = conj(unsqueeze(w, -2) - unsqueeze(w, -1)), differ = gaps != 0;
      inner = where(differ, along / where(differ, gaps, 1), 0);
    }
    if (by_values.defined()) {
      const Tensor unit = eye(rows_of(v), {.dtype = real_dtype(v.dtype()), .device = v.device()});
      const Tensor diagonal = unsqueeze(by_values, -2) * unit;
      inner = inner.defined() ? inner + diagonal : diagonal;
    }
    return inner.defined() ? real(solve_complex(vh, matmul(inner, vh))) : Tensor();
  }
};

Tensor checked(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  Tensor given = detail::outside_autocast(x);
  detail::check_square(op, given);
  return given;
}

}  // namespace

Eig eig(const Tensor& x) {
  const Tensor given = checked("eig", x);
  const detail::WithoutAutocast guard;
  auto [values, vectors] = apply(General{}, given);
  return {std::move(values), std::move(vectors)};
}

Tensor eigvals(const Tensor& x) {
  const Tensor given = checked("eigvals", x);
  const detail::WithoutAutocast guard;
  if (detail::mode().grad && given.requires_grad()) return apply(General{}, given)[0];
  return apply(EigenvaluesOnly{}, given);
}

namespace {

using detail::rows_of, detail::transposed;

TensorSpec values_of(const Tensor& x) {
  Shape shape = x.shape();
  shape.erase(shape.rank() - 1);
  return spec_of(shape, x.dtype(), x.device());
}

void refuse_unsolved(const char* op, const Tensor& x, const detail::Infos& infos) {
  if (const std::int64_t failed = detail::first_failure(infos); failed >= 0)
    throw ValueError(str(op, ": ", detail::name_matrix(x, failed),
                         " has no eigenvalues that the iteration finds; does it hold NaN or infinities?"));
}

/// The eigenvalues of a constant.
struct OnlyValues {
  static constexpr Traits traits{.name = "eigvalsh"};
  bool upper;

  TensorSpec result(const Tensor& x) const { return values_of(x); }
  Cost cost(const Tensor& x) const {
    return detail::matrix_cost(x, 4 * std::pow(static_cast<double>(rows_of(x)), 3) / 3, result(x).numel());
  }
  void cpu(const Tensor& x, Tensor& values) const {
    Tensor vectors;
    refuse_unsolved(traits.name, x, detail::eigh_kernel(contiguous(x), upper, values, vectors));
  }
  void cuda(const Tensor& x, Tensor& values) const {
    if (detail::use_cusolver(x))
      return refuse_unsolved(traits.name, x, detail::eigh_cusolver(x, upper, values, Tensor()));
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(values));
    host.finish();
  }
};

struct Symmetric {
  static constexpr Traits traits{.name = "eigh"};
  bool upper;

  std::array<TensorSpec, 2> result(const Tensor& x) const {
    return {values_of(x), spec_of(x.shape(), x.dtype(), x.device())};
  }
  Cost cost(const Tensor& x) const {
    return detail::matrix_cost(x, 9 * std::pow(static_cast<double>(rows_of(x)), 3), 2 * x.numel());
  }
  void cpu(const Tensor& x, Tensor& values, Tensor& vectors) const {
    refuse_unsolved(traits.name, x, detail::eigh_kernel(contiguous(x), upper, values, vectors));
  }
  void cuda(const Tensor& x, Tensor& values, Tensor& vectors) const {
    if (detail::use_cusolver(x))
      return refuse_unsolved(traits.name, x, detail::eigh_cusolver(x, upper, values, vectors));
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(values), host.out(vectors));
    host.finish();
  }

  // V·(diag(dw) + F∘skew(Vᵀ·dV))·Vᵀ with Fᵢⱼ = 1 / (wⱼ - wᵢ), which is 0 for equal eigenvalues.
  Tensor gradient(GradAt<0> by_values, GradAt<1> by_vectors, OutputAt<0> w, OutputAt<1> v) const {
    if (!by_vectors.defined()) {
      if (!by_values.defined()) return {};
      return matmul(v * unsqueeze(by_values, -2), transposed(v));
    }
    const Tensor gaps = unsqueeze(w, -2) - unsqueeze(w, -1), differ = gaps != 0;
    const Tensor along = matmul(transposed(v), by_vectors);
    Tensor inner = where(differ, (along - transposed(along)) * 0.5 / where(differ, gaps, 1), 0);
    if (by_values.defined()) inner = inner + diag_embed(by_values);
    return matmul(v, matmul(inner, transposed(v)));
  }
};

Tensor checked_symmetric(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  Tensor given = detail::outside_autocast(x);
  detail::check_square(op, given);
  return given;
}

}  // namespace

Eigh eigh(const Tensor& x, bool upper) {
  const Tensor given = checked_symmetric("eigh", x);
  const detail::WithoutAutocast guard;
  auto [values, vectors] = apply(Symmetric{upper}, given);
  return {std::move(values), std::move(vectors)};
}

Tensor eigvalsh(const Tensor& x, bool upper) {
  const Tensor given = checked_symmetric("eigvalsh", x);
  const detail::WithoutAutocast guard;
  if (detail::mode().grad && given.requires_grad()) return apply(Symmetric{upper}, given)[0];
  return apply(OnlyValues{upper}, given);
}

}  // namespace minima::linalg
