#pragma once

// Shared libraries that are opened when something in them is called first. Linking cuBLASLt, cuDNN and NCCL would cost
// every program 67 ms and 155 MB at its start, and a machine without a driver could not start it at all.

namespace minima::cuda {

/// A shared library by its soname. Kept open until the process ends.
class LazyLibrary {
 public:
  /// `name` and `package` are for messages: cuDNN comes from "cuDNN 9 (scripts/setup.sh --cuda installs it)".
  constexpr LazyLibrary(const char* name, const char* soname, const char* package)
      : name_(name), soname_(soname), package_(package) {}

  /// The address of a function. Throws DeviceError that says what is missing and where it comes from.
  void* find(const char* name);
  /// True if the library can be opened; opens it.
  bool is_there() noexcept;
  const char* name() const { return name_; }

 private:
  void* open();

  const char* name_;
  const char* soname_;
  const char* package_;
  void* handle_ = nullptr;
};

extern LazyLibrary driver_library, nvml_library, cublas_lt_library, cudnn_library, nvrtc_library;

}  // namespace minima::cuda
