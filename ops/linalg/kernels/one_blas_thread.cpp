#ifdef MINIMA_HAVE_LAPACK

#include <minima/ops/linalg/kernels/lapack.h>

#include <dlfcn.h>

#include <mutex>
#include <string_view>

namespace minima::detail {

namespace {

template <class F>
F* find(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

/// Limits OpenBLAS's threads, which belong to the process: the first limit takes all but one away, and the end of the
/// last one brings them back. A build without threads may also be one without locks, such as Debian's
/// libopenblas0-serial: two threads in it at once take the same buffers and compute wrong numbers, so that they enter
/// one after the other.
class OpenBlas {
 public:
  void limit() {
    if (is_for_one_thread_) entered_.lock();
    if (!set_) return;
    const std::lock_guard lock(mutex_);
    if (limits_++ > 0) return;
    previous_ = get_();
    if (previous_ != 1) set_(1);
  }
  void restore() {
    if (set_) {
      const std::lock_guard lock(mutex_);
      if (--limits_ == 0 && previous_ != 1) set_(previous_);
    }
    if (is_for_one_thread_) entered_.unlock();
  }

 private:
  int (*get_)() = find<int()>("openblas_get_num_threads");
  void (*set_)(int) = get_ ? find<void(int)>("openblas_set_num_threads") : nullptr;
  const bool is_for_one_thread_ = [] {
    char* (*const config)() = find<char*()>("openblas_get_config");
    const std::string_view built(config ? config() : "");
    return built.find("SINGLE_THREADED") != built.npos && built.find("USE_LOCKING") == built.npos;
  }();
  std::recursive_mutex entered_;
  std::mutex mutex_;
  int limits_ = 0, previous_ = 1;
};

OpenBlas& open_blas() {
  static OpenBlas library;
  return library;
}

/// Sets the calling thread's number and returns the previous one; 0 is the process's.
int set_mkl_threads(int count) {
  static int (*const set)(int) = find<int(int)>("MKL_Set_Num_Threads_Local");
  return set ? set(count) : 0;
}

}  // namespace

OneBlasThread::OneBlasThread() : previous_mkl_(set_mkl_threads(1)) { open_blas().limit(); }

OneBlasThread::~OneBlasThread() {
  open_blas().restore();
  set_mkl_threads(previous_mkl_);
}

}  // namespace minima::detail

#endif
