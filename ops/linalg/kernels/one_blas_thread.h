#pragma once

#include <minima/ops/gemm/one_thread.h>

namespace minima::detail {

/// In its scope, the BLAS behind LAPACK computes on the calling thread: minima's pool spreads matrices over the cores
/// already. Debian's alternatives choose the BLAS when a program starts, so its functions are looked up then.
///
/// The reference BLAS has no threads, those of OpenMP and MKL are limited for this thread, and OpenBLAS's own for the
/// process, as long as one of these objects exists: other calls of OpenBLAS then take one thread, too.
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
