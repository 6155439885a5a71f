#include <minima/distributed/backends/nccl_backend.h>

#include <minima/tensor/base/error.h>

namespace minima::distributed::detail {

Ref<Backend> make_nccl_backend(Store&, Device, const std::string&, int, int, double) {
  throw DeviceError("distributed: minima was built without CUDA, so it has no NCCL; use the gloo backend");
}

}  // namespace minima::distributed::detail
