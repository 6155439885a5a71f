#include <minima/tensor/cuda/devices.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/status.h>

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
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

/// CUDA reports a missing driver as "insufficient"; this tells the two apart.
std::string reason_of(cudaError_t status) {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!driver) return "no NVIDIA driver on this machine (libcuda.so.1 not found)";
  dlclose(driver);
  if (status == cudaErrorInsufficientDriver) {
    int version = 0;
    cudaDriverGetVersion(&version);
    return str("the NVIDIA driver supports only CUDA ", version / 1000, ".", version % 1000 / 10,
               ", but minima needs CUDA ", CUDART_VERSION / 1000, ".", CUDART_VERSION % 1000 / 10);
  }
  return str("this process can use no GPU: ", cudaGetErrorString(status));
}

const Devices& devices() {
  static const Devices* const found = [] {
    auto* const result = new Devices;
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {  // any error means no GPU; the count is then unset
      cudaGetLastError();
      result->reason = reason_of(status);
      return result;
    }
    for (int i = 0; i < count; ++i) result->all.push_back(read_properties(i));
    if (count == 0) result->reason = "this process can use no GPU";
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

}  // namespace minima::cuda
