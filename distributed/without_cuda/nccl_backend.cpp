#include <minima/distributed/backends/nccl_backend.h>

#include <minima/tensor/base/error.h>

namespace minima::distributed::detail {

Ref<Backend> make_nccl_backend(Store&, Device, const std::string&, int, int, double) {
  throw DeviceError("distributed: this minima was built without CUDA, and so without NCCL; take the gloo backend");
}

}  // namespace minima::distributed::detail
