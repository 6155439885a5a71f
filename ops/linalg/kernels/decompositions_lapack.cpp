#ifdef MINIMA_HAVE_LAPACK

#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/lapack.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/loops/math/math_cpu.h>
#include <minima/tensor/base/complex.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

// Each thread calls LAPACK for its share of a batch, with memory whose size it has asked LAPACK for once.

namespace minima::detail {

namespace {

using lapack::Int, lapack::Routines;

/// Throws unless LAPACK's integers hold the sizes of x's matrices and of the memory that each needs.
void check_sizes(const char* op, const Tensor& x, double memory = 0) {
  const double largest = std::max({static_cast<double>(rows_of(x)), static_cast<double>(columns_of(x)), memory});
  if (largest > std::numeric_limits<Int>::max())
    throw ValueError(str(op, ": ", x, " is too large for LAPACK, which counts in 32 bits; a minima built with ",
                         "-D CMAKE_DISABLE_FIND_PACKAGE_LAPACK=ON computes it, slowly"));
}

/// Returns the info of a routine: 0, or a positive number where its iteration does not converge.
std::int64_t checked_info(Int info) {
  if (info < 0) throw Error(str("LAPACK refuses its argument ", -info));
  return info;
}

/// Allocates what a query asked for with `size`, which float may have rounded down.
template <class T>
std::vector<T> memory_of(T size) {
  return std::vector<T>(static_cast<std::size_t>(std::nextafter(size, std::numeric_limits<T>::infinity())) + 1);
}
template <class T>
Int size_of(const std::vector<T>& memory) {
  return static_cast<Int>(memory.size());
}

template <class T>
bool is_finite(const T* x, std::int64_t count) {
  math::cpu::Bits<T> largest = 0;  // as integers: maxima vectorise
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, math::cpu::bits(std::abs(x[i])));
  return largest < math::cpu::bits(std::numeric_limits<T>::infinity());
}

/// Finds x = V·diag(w)·Vᵀ for symmetric matrices [n, n].
template <class T>
class SymmetricSolver {
 public:
  SymmetricSolver(std::int64_t n, bool upper, bool has_vectors)
      : n_(static_cast<Int>(n)), job_(has_vectors ? 'V' : 'N'), is_upper_(upper) {
    if (!has_vectors) copy_.resize(static_cast<std::size_t>(n * n));
    T size = 0;
    Int integers = 0;
    run(nullptr, nullptr, &size, -1, &integers, -1);
    work_ = memory_of(size);
    integers_.resize(static_cast<std::size_t>(integers));
  }

  std::int64_t solve(const T* x, T* values, T* vectors) {
    for (std::int64_t i = 0; i < n_; ++i)
      if (!(is_upper_ ? is_finite(x + i * n_ + i, n_ - i) : is_finite(x + i * n_, i + 1))) return 1;
    T* const a = vectors ? vectors : copy_.data();
    std::copy_n(x, std::int64_t{n_} * n_, a);
    const Int info = run(a, values, work_.data(), size_of(work_), integers_.data(), size_of(integers_));
    if (vectors) transpose(a);
    return checked_info(info);
  }

 private:
  Int run(T* a, T* values, T* work, Int work_size, Int* integers, Int integers_size) const {
    const char triangle = is_upper_ ? 'L' : 'U';  // of the transpose
    Int info = 0;
    Routines<T>::syevd(&job_, &triangle, &n_, a, &n_, values, work, &work_size, integers, &integers_size, &info, 1, 1);
    return info;
  }
  void transpose(T* x) const {
    constexpr std::int64_t tile = 16;
    for (std::int64_t top = 0; top < n_; top += tile)
      for (std::int64_t left = 0; left <= top; left += tile)
        for (std::int64_t i = top; i < std::min<std::int64_t>(top + tile, n_); ++i)
          for (std::int64_t j = left; j < std::min(left + tile, i); ++j) std::swap(x[i * n_ + j], x[j * n_ + i]);
  }

  OneBlasThread guard_;
  Int n_;
  char job_;
  bool is_upper_;
  std::vector<T> copy_, work_;
  std::vector<Int> integers_;
};

/// Finds x·V = V·diag(w) for any matrices [n, n].
template <class T>
class GeneralSolver {
 public:
  GeneralSolver(std::int64_t n, bool has_vectors)
      : n_(static_cast<Int>(n)),
        job_(has_vectors ? 'V' : 'N'),
        copy_(static_cast<std::size_t>(n * n)),
        re_(static_cast<std::size_t>(n)),
        im_(re_.size()),
        columns_(has_vectors ? copy_.size() : 0) {
    T size = 0;
    run(&size, -1);
    work_ = memory_of(size);
  }

  std::int64_t solve(const T* x, Complex<T>* values, Complex<T>* vectors) {
    if (!is_finite(x, std::int64_t{n_} * n_)) return 1;
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < n_; ++j) copy_[static_cast<std::size_t>(j * n_ + i)] = x[i * n_ + j];
    if (const Int info = run(work_.data(), size_of(work_))) return checked_info(info);
    for (std::int64_t k = 0; k < n_; ++k)
      values[k] = {re_[static_cast<std::size_t>(k)], im_[static_cast<std::size_t>(k)]};
    if (vectors) write(vectors);
    return 0;
  }

 private:
  Int run(T* work, Int work_size) {
    const char no = 'N';
    const Int one = 1;
    Int info = 0;
    Routines<T>::geev(&no, &job_, &n_, copy_.data(), &n_, re_.data(), im_.data(), nullptr, &one, columns_.data(), &n_,
                      work, &work_size, &info, 1, 1);
    return info;
  }
  void write(Complex<T>* vectors) const {
    for (std::int64_t k = 0; k < n_; ++k) {
      const T* const re = columns_.data() + k * n_;
      const bool is_pair = im_[static_cast<std::size_t>(k)] != 0;  // the other one is next
      for (std::int64_t i = 0; i < n_; ++i) {
        Complex<T>* const to = vectors + i * n_ + k;
        to[0] = {re[i], is_pair ? re[n_ + i] : T(0)};
        if (is_pair) to[1] = {re[i], -re[n_ + i]};
      }
      k += is_pair;
    }
  }

  OneBlasThread guard_;
  Int n_;
  char job_;
  std::vector<T> copy_, re_, im_, columns_, work_;
};

/// Finds x = U·diag(S)·Vᵀ. To LAPACK xᵀ = V·diag(S)·Uᵀ, in the memory of Vᵀ and U.
template <class T>
class SingularSolver {
 public:
  /// u and vt as they will be for all matrices, or undefined.
  SingularSolver(const Tensor& x, const Tensor& u, const Tensor& vt)
      : m_(static_cast<Int>(columns_of(x))),
        n_(static_cast<Int>(rows_of(x))),
        copy_(static_cast<std::size_t>(rows_of(x) * columns_of(x))),
        integers_(static_cast<std::size_t>(8 * std::min(m_, n_))) {
    if (u.defined()) {
      u_columns_ = static_cast<Int>(columns_of(u));
      job_ = u_columns_ == n_ && rows_of(vt) == m_ ? 'A' : 'S';
    }
    T size = 0;
    run(nullptr, nullptr, nullptr, &size, -1);
    work_ = memory_of(size);
  }

  std::int64_t solve(const T* x, T* u, T* s, T* vt) {
    const auto count = static_cast<std::int64_t>(copy_.size());
    if (!is_finite(x, count)) return 1;
    std::copy_n(x, count, copy_.data());
    return checked_info(run(u, s, vt, work_.data(), size_of(work_)));
  }

 private:
  Int run(T* u, T* s, T* vt, T* work, Int work_size) {
    Int info = 0;
    Routines<T>::gesdd(&job_, &m_, &n_, copy_.data(), &m_, s, vt, &m_, u, &u_columns_, work, &work_size,
                       integers_.data(), &info, 1);
    return info;
  }

  OneBlasThread guard_;
  char job_ = 'N';
  Int m_, n_, u_columns_ = 1;  ///< of xᵀ
  std::vector<T> copy_, work_;
  std::vector<Int> integers_;
};

/// Finds x = Q·R. To LAPACK xᵀ = Rᵀ·Qᵀ, with the same reflections and signs.
template <class T>
class Reflector {
 public:
  /// For matrices [m, n] and `q_columns` columns of Q, at most m; 0 where Q is not wanted.
  Reflector(std::int64_t m, std::int64_t n, std::int64_t q_columns)
      : m_(static_cast<Int>(m)), n_(static_cast<Int>(n)), k_(std::min(m_, n_)), q_(static_cast<Int>(q_columns)) {
    T size = 0, more = 0;
    run_gelqf(nullptr, nullptr, &size, -1);
    if (q_ > 0) run_orglq(nullptr, nullptr, &more, -1);
    work_ = memory_of(std::max(size, more));
  }

  /// a [m, n] becomes R and, below the diagonal, reflections.
  void factor(T* a, T* tau) { run_gelqf(a, tau, work_.data(), size_of(work_)); }
  /// q [m, q_columns], which has the reflections below its diagonal, becomes Q.
  void multiply_out(T* q, const T* tau) { run_orglq(q, tau, work_.data(), size_of(work_)); }

 private:
  void run_gelqf(T* a, T* tau, T* work, Int work_size) const {
    Int info = 0;
    Routines<T>::gelqf(&n_, &m_, a, &n_, tau, work, &work_size, &info);
    checked_info(info);
  }
  void run_orglq(T* q, const T* tau, T* work, Int work_size) const {
    Int info = 0;
    Routines<T>::orglq(&q_, &m_, &k_, q, &q_, tau, work, &work_size, &info);
    checked_info(info);
  }

  OneBlasThread guard_;
  Int m_, n_, k_, q_;
  std::vector<T> work_;
};

/// Copies the upper triangle of `from`, whose rows may be more.
template <class T>
void write_upper(Dense<T> from, Dense<T> to) {
  for (std::int64_t i = 0; i < to.rows; ++i) {
    const std::int64_t below = std::min(i, to.columns);
    std::fill_n(to.row(i), below, T(0));
    if (to.data != from.data) std::copy_n(from.row(i) + below, to.columns - below, to.row(i) + below);
  }
}

template <class T>
void factor_qr(const Tensor& x, Tensor& q, Tensor& r) {
  const std::int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  // The result in which x is factored: R of as many rows, or Q of as many columns.
  const bool in_r = rows_of(r) == m, in_q = !in_r && q.defined();
  struct State {
    Reflector<T> reflector;
    std::vector<T> tau, copy;
  };
  const auto make = [&] {
    return State{{m, n, q.defined() ? columns_of(q) : 0},
                 std::vector<T>(static_cast<std::size_t>(k)),
                 std::vector<T>(in_r || in_q ? 0 : static_cast<std::size_t>(m * n))};
  };
  const double flops = 4 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  each_matrix(count_filled(x), flops, make, [&](std::int64_t i, State& state) {
    const Dense<T> upper = matrix_at<T>(r, i);
    const Dense<T> a = in_r ? upper : in_q ? matrix_at<T>(q, i) : Dense<T>{state.copy.data(), m, n, n};
    copy_matrix(matrix_at<T>(x, i), a);
    state.reflector.factor(a.data, state.tau.data());
    if (in_r && q.defined()) copy_matrix(a.block(0, 0, m, k), matrix_at<T>(q, i).block(0, 0, m, k));
    write_upper(a, upper);
    if (q.defined()) state.reflector.multiply_out(matrix_at<T>(q, i).data, state.tau.data());
  });
}

}  // namespace

Infos eigh_kernel(const Tensor& x, bool upper, Tensor& values, Tensor& vectors) {
  const std::int64_t n = rows_of(x);
  const auto size = static_cast<double>(n);
  check_sizes(vectors.defined() ? "eigh" : "eigvalsh", x, 1 + 6 * size + 2 * size * size);
  Infos infos(static_cast<std::size_t>(count_filled(x)));
  for_dtype(x, [&]<class T> {
    each_matrix(
        count_filled(x), 9 * size * size * size, [&] { return SymmetricSolver<T>(n, upper, vectors.defined()); },
        [&](std::int64_t i, SymmetricSolver<T>& solver) {
          infos[static_cast<std::size_t>(i)] =
              solver.solve(x.data<T>() + i * n * n, values.data<T>() + i * n,
                           vectors.defined() ? vectors.data<T>() + i * n * n : nullptr);
        });
  });
  return infos;
}

Infos eig_kernel(const Tensor& x, Tensor& values, Tensor& vectors) {
  const std::int64_t n = rows_of(x);
  const auto size = static_cast<double>(n);
  check_sizes(vectors.defined() ? "eig" : "eigvals", x, 128 * size);
  Infos infos(static_cast<std::size_t>(count_filled(x)));
  for_dtype(x, [&]<class T> {
    using C = Complex<T>;
    each_matrix(
        count_filled(x), 25 * size * size * size, [&] { return GeneralSolver<T>(n, vectors.defined()); },
        [&](std::int64_t i, GeneralSolver<T>& solver) {
          infos[static_cast<std::size_t>(i)] =
              solver.solve(x.data<T>() + i * n * n, values.data<C>() + i * n,
                           vectors.defined() ? vectors.data<C>() + i * n * n : nullptr);
        });
  });
  return infos;
}

Infos svd_kernel(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt) {
  const std::int64_t k = std::min(rows_of(x), columns_of(x));
  const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x)), least = std::min(m, n);
  check_sizes(u.defined() ? "svd" : "svdvals", x, 4 * least * least + 128 * (m + n));
  Infos infos(static_cast<std::size_t>(count_filled(x)));
  for_dtype(x, [&]<class T> {
    const auto at = [](const Tensor& y, std::int64_t i) { return y.defined() ? matrix_at<T>(y, i).data : nullptr; };
    each_matrix(
        count_filled(x), (u.defined() ? 20 : 10) * m * n * least, [&] { return SingularSolver<T>(x, u, vt); },
        [&](std::int64_t i, SingularSolver<T>& solver) {
          infos[static_cast<std::size_t>(i)] = solver.solve(at(x, i), at(u, i), s.data<T>() + i * k, at(vt, i));
        });
  });
  return infos;
}

void qr_kernel(const Tensor& x, Tensor& q, Tensor& r) {
  check_sizes("qr", x, 128 * static_cast<double>(rows_of(x) + columns_of(x)));
  for_dtype(x, [&]<class T> { factor_qr<T>(x, q, r); });
}

void geqrf_kernel(const Tensor& x, Tensor& reflections, Tensor& tau) {
  const std::int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  check_sizes("geqrf", x, 128 * static_cast<double>(m + n));
  const double flops = 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  for_dtype(x, [&]<class T> {
    each_matrix(
        count_filled(x), flops, [&] { return Reflector<T>(m, n, 0); },
        [&](std::int64_t i, Reflector<T>& reflector) {
          const Dense<T> a = matrix_at<T>(reflections, i);
          copy_matrix(matrix_at<T>(x, i), a);
          reflector.factor(a.data, tau.data<T>() + i * k);
        });
  });
}

}  // namespace minima::detail

#endif
