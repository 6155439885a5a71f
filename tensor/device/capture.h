#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/scope.h>

#include <cstdint>

namespace minima {

/// A captured step called something that cannot be captured. The message names it and the place of the call.
class MINIMA_API CaptureError : public Error {
 public:
  using Error::Error;
};

namespace detail {

/// Marks this thread's work on `device` as being captured for replay. Kernels run later, so nothing can be read back,
/// and inputs must not come from memory that will have changed by then.
class MINIMA_API CaptureScope {
 public:
  explicit CaptureScope(Device device);

  Device device() const { return device_; }
  /// Differs from those of all other captures of this process; never 0.
  std::uint64_t id() const { return id_; }

 private:
  Device device_;
  std::uint64_t id_;
  Scoped<const CaptureScope*> scope_;
};

extern MINIMA_API constinit thread_local const CaptureScope* capture_scope;

inline bool is_captured(Device device) { return capture_scope && capture_scope->device() == device; }

/// Throws CaptureError: `item() inside a captured step at loss.cpp:42; …`; without `file` it omits the location.
[[noreturn]] MINIMA_API void throw_captured(const char* what, const char* file, int line);
inline void refuse_captured(Device device, const char* what, const char* file = nullptr, int line = 0) {
  if (is_captured(device)) [[unlikely]]
    throw_captured(what, file, line);
}

}  // namespace detail
}  // namespace minima
