#pragma once

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/store/store.h>

namespace minima::distributed::detail {

/// Connects all members by NCCL, each with its own GPU. Throws DeviceError in builds without CUDA and if NCCL cannot be
/// loaded.
Ref<Backend> make_nccl_backend(Store& store, Device device, const std::string& name, int rank, int size,
                               double timeout);

}  // namespace minima::distributed::detail
