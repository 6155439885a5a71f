#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>

#include <atomic>

namespace minima::detail {

/// Called after a copy from a GPU to the CPU. Throws if work that the copy waited for was cut short, so that its values
/// may be wrong. Null while there is nothing to check. Process groups set it.
extern MINIMA_API constinit std::atomic<void (*)(Device)> read_guard;

}  // namespace minima::detail
