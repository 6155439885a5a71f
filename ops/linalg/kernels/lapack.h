#pragma once

#include <minima/ops/product/gemm/one_thread.h>

#include <cstddef>
#include <cstdint>

// The routines of LAPACK that minima calls, as gfortran compiles them: arguments by address, then the length of each
// string. Matrices are column-major, so that a row-major one is passed as its transpose. Only for sources with
// MINIMA_HAVE_LAPACK. Internal.

namespace minima::detail::lapack {

using Int = std::int32_t;
using Length = std::size_t;

/// Finds the eigenvalues w [n] of the symmetric a, in ascending order. Reads its `triangle`. With job V the vectors
/// replace a.
template <class T>
using Syevd = void(const char* job, const char* triangle, const Int* n, T* a, const Int* lda, T* w, T* work,
                   const Int* work_size, Int* integers, const Int* integers_size, Int* info, Length, Length);
/// Finds the eigenvalues re + i·im of any a, and with the jobs V the left and right vectors. For a conjugate pair,
/// columns k and k + 1 are the real and imaginary parts of the first vector.
template <class T>
using Geev = void(const char* left, const char* right, const Int* n, T* a, const Int* lda, T* re, T* im, T* vl,
                  const Int* ldvl, T* vr, const Int* ldvr, T* work, const Int* work_size, Int* info, Length, Length);
/// Finds a = u·diag(s)·vt: with job N s alone, with S the first min(m, n) columns of u and rows of vt, with A all.
/// Overwrites a.
template <class T>
using Gesdd = void(const char* job, const Int* m, const Int* n, T* a, const Int* lda, T* s, T* u, const Int* ldu, T* vt,
                   const Int* ldvt, T* work, const Int* work_size, Int* integers, Int* info, Length);
/// Finds a = L·Q: writes L to the lower triangle, Q's reflections to the rows above it, and their factors to tau
/// [min(m, n)].
template <class T>
using Gelqf = void(const Int* m, const Int* n, T* a, const Int* lda, T* tau, T* work, const Int* work_size, Int* info);
/// Replaces a [m, n], which has k of gelqf's reflections in its first rows, by the first m rows of their product.
template <class T>
using Orglq = void(const Int* m, const Int* n, const Int* k, T* a, const Int* lda, const T* tau, T* work,
                   const Int* work_size, Int* info);

extern "C" {
Syevd<float> ssyevd_;
Syevd<double> dsyevd_;
Geev<float> sgeev_;
Geev<double> dgeev_;
Gesdd<float> sgesdd_;
Gesdd<double> dgesdd_;
Gelqf<float> sgelqf_;
Gelqf<double> dgelqf_;
Orglq<float> sorglq_;
Orglq<double> dorglq_;
}

/// Names the routines for T.
template <class T>
struct Routines;
template <>
struct Routines<float> {
  static constexpr Syevd<float>& syevd = ssyevd_;
  static constexpr Geev<float>& geev = sgeev_;
  static constexpr Gesdd<float>& gesdd = sgesdd_;
  static constexpr Gelqf<float>& gelqf = sgelqf_;
  static constexpr Orglq<float>& orglq = sorglq_;
};
template <>
struct Routines<double> {
  static constexpr Syevd<double>& syevd = dsyevd_;
  static constexpr Geev<double>& geev = dgeev_;
  static constexpr Gesdd<double>& gesdd = dgesdd_;
  static constexpr Gelqf<double>& gelqf = dgelqf_;
  static constexpr Orglq<double>& orglq = dorglq_;
};

}  // namespace minima::detail::lapack

namespace minima::detail {

/// In its scope, the BLAS behind LAPACK computes on the calling thread: minima's pool spreads matrices over the cores
/// already. Debian's alternatives choose the BLAS when a program starts, so its functions are looked up then.
///
/// The reference BLAS has no threads, those of OpenMP and MKL are limited for this thread, and OpenBLAS's own for the
/// process, as long as one of these objects exists: other calls of OpenBLAS then take one thread, too.
/// An OpenBLAS without locks, such as Debian's libopenblas0-serial, is entered by one thread at a time.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;

 private:
  OneOpenMPThread open_mp_;
  int previous_mkl_ = 0;
};

}  // namespace minima::detail
