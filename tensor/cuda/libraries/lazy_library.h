#pragma once

#include <string>

// Shared libraries opened at the first call. Linking cuBLASLt, cuDNN and NCCL would cost every program 67 ms and 155 MB
// at startup, and programs could not start at all on machines without a driver.

namespace minima::cuda {

/// A shared library named by its soname. It stays open until the process ends.
class LazyLibrary {
 public:
  /// `name` and `package` appear in error messages, for example "cuDNN" and "cuDNN 9 (scripts/setup.sh --cuda)".
  constexpr LazyLibrary(const char* name, const char* soname, const char* package)
      : name_(name), soname_(soname), package_(package) {}
  /// A library that opens two others by their sonames. minima, which searches more folders, opens them first.
  constexpr LazyLibrary(const char* name, const char* soname, const char* package, LazyLibrary& first,
                        LazyLibrary& second)
      : name_(name), soname_(soname), package_(package), needs_{&first, &second} {}
  /// A library that opens files of its own folder by names that the loader does not find there; `beside` is their shell
  /// pattern. NVRTC needs this wherever its folder is not on the loader's path.
  constexpr LazyLibrary(const char* name, const char* soname, const char* package, const char* beside)
      : name_(name), soname_(soname), package_(package), beside_(beside) {}

  /// The address of a function. Throws a DeviceError that names what is missing and how to install it.
  void* find(const char* name);
  /// The address of a function; null if it, or the library, is missing.
  void* find_or_null(const char* name) noexcept;
  /// Opens the library; false if that fails.
  bool is_there() noexcept;
  /// The file that was opened; empty if that fails.
  std::string path();
  /// Why the library cannot be opened and what it comes with; empty if it can.
  std::string failure();
  const char* name() const { return name_; }

 private:
  void* open();

  const char* name_;
  const char* soname_;
  const char* package_;
  LazyLibrary* needs_[2] = {};
  const char* beside_ = nullptr;
  void* handle_ = nullptr;
};

extern LazyLibrary driver_library, nvml_library, cublas_lt_library, cublas_library, cudnn_library, nvrtc_library,
    cufft_library, cusolver_library, nccl_library, cupti_library;

}  // namespace minima::cuda
