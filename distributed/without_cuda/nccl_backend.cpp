#include <minima/distributed/backends/nccl_backend.h>

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/store/store.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>

#include <string>

namespace minima::distributed::detail {

Ref<Backend> make_nccl_backend(Store&, Device, const std::string&, int, int, double) {
  throw DeviceError("distributed: minima was built without CUDA, so it has no NCCL; use the gloo backend");
}

}  // namespace minima::distributed::detail
