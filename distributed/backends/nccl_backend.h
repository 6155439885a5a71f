#pragma once

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/store/store.h>

namespace minima::distributed::detail {

/// Connects all members by NCCL, each with the GPU it names. Throws DeviceError in builds without CUDA and where NCCL
/// cannot be opened.
Ref<Backend> make_nccl_backend(Store& store, Device device, const std::string& name, int rank, int size,
                               double timeout);

}  // namespace minima::distributed::detail
