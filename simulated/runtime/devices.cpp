#include "simulated/runtime/call.h"

#include "simulated/machine/report.h"

#include <cuda_runtime_api.h>

#include <cstdio>

using namespace simulated;

namespace {

bool has_device(const Call& call, int device) {
  return device >= 0 && device < static_cast<int>(call.machine.gpus.size());
}

const GpuKind& kind_of(const Call& call, int device) {
  return call.machine.gpus[static_cast<std::size_t>(device)].kind;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return runtime_call("cudaGetDeviceCount", Reach::process, [&](const Call& call) {
    *count = static_cast<int>(call.machine.gpus.size());
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return runtime_call("cudaGetDeviceProperties", Reach::process, [&](const Call& call) {
    if (!has_device(call, device)) return cudaErrorInvalidDevice;
    const GpuKind& kind = kind_of(call, device);
    *properties = {.name = "",
                   .totalGlobalMem = kind.memory,
                   .sharedMemPerBlock = std::size_t{48} << 10,
                   .sharedMemPerBlockOptin = kind.shared_per_block,
                   .warpSize = 32,
                   .maxThreadsPerBlock = 1024,
                   .major = kind.major,
                   .minor = kind.minor,
                   .multiProcessorCount = kind.multiprocessors,
                   .maxThreadsPerMultiProcessor = kind.threads_per_multiprocessor,
                   .memoryBusWidth = kind.memory_bus_bits,
                   .l2CacheSize = static_cast<int>(kind.l2_cache)};
    std::snprintf(properties->name, sizeof properties->name, "%s", kind.name);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return runtime_call("cudaDeviceGetAttribute", Reach::process, [&](const Call& call) {
    if (!has_device(call, device)) return cudaErrorInvalidDevice;
    const GpuKind& kind = kind_of(call, device);
    switch (attribute) {
      case cudaDevAttrClockRate: *value = kind.clock_khz; break;
      case cudaDevAttrMemoryClockRate: *value = kind.memory_clock_khz; break;
      case cudaDevAttrMultiProcessorCount: *value = kind.multiprocessors; break;
      default: not_modelled("cudaDeviceGetAttribute of attribute " + std::to_string(attribute));
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return runtime_call("cudaDeviceGetPCIBusId", Reach::process, [&](const Call& call) {
    if (!has_device(call, device)) return cudaErrorInvalidDevice;
    const int written = std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", 0x10 + device);
    return written < length ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return runtime_call("cudaDeviceCanAccessPeer", Reach::process, [&](const Call& call) {
    if (!has_device(call, device) || !has_device(call, peer)) return cudaErrorInvalidDevice;
    *can = 0;  // there is no cudaDeviceEnablePeerAccess
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return runtime_call("cudaDriverGetVersion", Reach::process, [&](const Call&) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return runtime_call("cudaRuntimeGetVersion", Reach::process, [&](const Call&) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

/// "This function will also immediately initialize the runtime state on the primary context" (cudaSetDevice).
cudaError_t cudaSetDevice(int device) {
  return runtime_call("cudaSetDevice", Reach::process, [&](const Call& call) {
    if (!has_device(call, device)) return cudaErrorInvalidDevice;
    if (call.machine.sticky != cudaSuccess) return call.machine.sticky;
    if (!call.machine.make_context(device)) return cudaErrorMemoryAllocation;
    call.thread.device = device;
    call.thread.has_context = true;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return runtime_call("cudaGetDevice", Reach::process, [&](const Call& call) {
    *device = call.thread.device;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  return runtime_call("cudaDeviceSynchronize", Reach::context, [&](const Call& call) {
    const int device = call.thread.device;
    if (const cudaError_t error = call.machine.refuse_captured_device(device); error != cudaSuccess) return error;
    call.machine.finish_device(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return runtime_call("cudaDeviceGetStreamPriorityRange", Reach::context, [&](const Call&) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}

}  // extern "C"
