#include <minima/tensor/device/read_guard.h>

#include <minima/tensor/base/device.h>

#include <atomic>

namespace minima::detail {

constinit std::atomic<void (*)(Device)> read_guard = nullptr;

}  // namespace minima::detail
