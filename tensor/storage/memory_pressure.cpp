#include <minima/tensor/storage/memory_pressure.h>

namespace minima::detail {

constinit thread_local MemoryPressure* memory_pressure = nullptr;

}  // namespace minima::detail
