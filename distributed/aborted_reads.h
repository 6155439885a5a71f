#pragma once

#include <minima/tensor/base/device.h>

#include <string>
#include <vector>

// When an operation is aborted, the GPU continues with the work that waited for it, without the result. Internal.

namespace minima::distributed::detail {

/// Until `allow_reads(owner)`, copies from the device to the CPU throw a DistributedError with the failure.
void refuse_reads(const void* owner, Device device, const std::string& failure, const std::vector<int>& missing);
void allow_reads(const void* owner);

}  // namespace minima::distributed::detail
