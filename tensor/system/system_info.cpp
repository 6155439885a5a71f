#include <minima/tensor/system/system_info.h>

#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/tensor/system/libraries.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima {

std::vector<GpuInfo> gpu_info() {
  std::vector<GpuInfo> gpus;
  const int count = cuda::device_count();
  for (int i = 0; i < count; ++i) {
    GpuInfo& gpu = gpus.emplace_back();
    gpu.properties = cuda::properties(i);
    // Through NVML, because asking the runtime would claim hundreds of megabytes for a context.
    const cuda::Sensors sensors = cuda::sensors(i);
    if (sensors.known) gpu.memory_free = std::max<std::int64_t>(gpu.properties.memory - sensors.memory_used, 0);
    gpu.reason = sensors.reason;
    for (int other = 0; other < count; ++other) gpu.peer_access.push_back(cuda::can_access_peer(i, other));
  }
  return gpus;
}

std::vector<LibraryInfo> library_info() {
  std::vector<LibraryInfo> libraries = detail::linked_libraries();
  for (LibraryInfo& library : detail::cuda_libraries()) libraries.push_back(std::move(library));
  return libraries;
}

SystemInfo system_info() {
  return {.build = build_info(),
          .cpu = cpu_info(),
          .gpu_reason = cuda::unavailable_reason(),
          .driver = cuda::driver_release(),
          .driver_cuda_version = cuda::driver_version(),
          .gpus = gpu_info(),
          .libraries = library_info()};
}

}  // namespace minima
