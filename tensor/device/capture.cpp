#include <minima/tensor/device/capture.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace minima::detail {

constinit thread_local const CaptureScope* capture_scope = nullptr;

namespace {
constinit std::uint64_t captures = 0;
}  // namespace

CaptureScope::CaptureScope(Device device)
    : device_(device), id_(__atomic_add_fetch(&captures, 1, __ATOMIC_RELAXED)), scope_(capture_scope, this) {}

void throw_captured(const char* what, const char* file, int line) {
  std::string text = str(what, " inside a captured step");
  if (file) {
    const std::string_view path(file);
    text += str(" at ", std::string(path.substr(path.find_last_of('/') + 1)), ":", line);
  }
  throw CaptureError(text +
                     "; kernels run only when the step is replayed, so there is no value to read yet: "
                     "return the tensor from the step and read it outside");
}

}  // namespace minima::detail
