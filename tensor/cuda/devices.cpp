#include <minima/tensor/cuda/devices.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/device/no_gpu.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace minima::cuda {

namespace {

struct Devices {
  std::vector<DeviceProperties> all;
  std::string reason;
};

DeviceProperties read_properties(int device) {
  cudaDeviceProp from{};
  MINIMA_CUDA_CHECK(cudaGetDeviceProperties(&from, device));
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    MINIMA_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
  };
  char pci_bus[32] = "";
  MINIMA_CUDA_CHECK(cudaDeviceGetPCIBusId(pci_bus, sizeof pci_bus, device));
  return {.name = from.name,
          .major = from.major,
          .minor = from.minor,
          .multiprocessors = from.multiProcessorCount,
          .threads_per_multiprocessor = from.maxThreadsPerMultiProcessor,
          .memory = static_cast<std::int64_t>(from.totalGlobalMem),
          .l2_cache = from.l2CacheSize,
          .shared_per_block = static_cast<std::int64_t>(from.sharedMemPerBlockOptin),
          .clock_khz = attribute(cudaDevAttrClockRate),
          .memory_clock_khz = attribute(cudaDevAttrMemoryClockRate),
          .memory_bus_bits = from.memoryBusWidth,
          .pci_bus = pci_bus};
}

minima::detail::NoGpu no_gpu(cudaError_t status) {
  minima::detail::NoGpu why{.needed_version = CUDART_VERSION};
  if (status != cudaSuccess && status != cudaErrorNoDevice) why.error = cudaGetErrorString(status);
  if (void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    why.has_driver = true;
    dlclose(driver);
    why.driver_version = driver_version();
  }
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES")) why.visible_devices = visible;
  return why;
}

const Devices& devices() {
  static const Devices* const found = [] {
    auto* const result = new Devices;
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {  // any error means no GPU; the count is then unset
      cudaGetLastError();
      result->reason = text_of(no_gpu(status));
      return result;
    }
    for (int i = 0; i < count; ++i) result->all.push_back(read_properties(i));
    if (count == 0) result->reason = text_of(no_gpu(cudaSuccess));
    return result;
  }();
  return *found;
}

}  // namespace

bool is_built() { return true; }
const char* architectures() { return MINIMA_CUDA_ARCHITECTURES; }
int device_count() { return static_cast<int>(devices().all.size()); }
const std::string& unavailable_reason() { return devices().reason; }

const DeviceProperties& properties(int device) {
  if (device_count() == 0) throw DeviceError(str("cuda:", device, ": ", unavailable_reason()));
  if (device < 0 || device >= device_count())
    throw DeviceError(str("cuda:", device, ": no such GPU; GPUs that this process can use: ", device_count()));
  return devices().all[static_cast<std::size_t>(device)];
}

int runtime_version() { return CUDART_VERSION; }
int driver_version() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

bool can_access_peer(int from, int to) {
  int can = 0;
  if (std::min(from, to) < 0 || std::max(from, to) >= device_count() || from == to) return false;
  MINIMA_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, from, to));
  return can != 0;
}

}  // namespace minima::cuda
