#include <minima/tensor/cuda/devices.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <string>

namespace minima::cuda {

bool is_built() { return false; }
const char* architectures() { return ""; }
int device_count() { return 0; }
const std::string& unavailable_reason() {
  static const std::string* const reason =
      new std::string("this build of minima has no CUDA support (configure it with MINIMA_CUDA=ON)");
  return *reason;
}
const DeviceProperties& properties(int device) { throw DeviceError(str("cuda:", device, ": ", unavailable_reason())); }
int runtime_version() { return 0; }
int driver_version() { return 0; }
bool can_access_peer(int, int) { return false; }

}  // namespace minima::cuda
