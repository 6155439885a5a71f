#include "simulated/machine/machine.h"
#include "simulated/machine/report.h"
#include "simulated/runtime/call.h"

#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <string>

// CUDA Driver API, "Virtual Memory Management". Whether these functions need a context that is current for the thread
// is not documented, except of those that only ask.

using namespace simulated;

namespace {

/// A function of the driver: body(Machine&) says what it returns. It leaves the runtime's last error alone.
template <class Body>
CUresult driver_call(const char* function, const Body& body, bool needs_context = true) noexcept {
  expect_host(function);
  Machine& machine = simulated::machine();
  const InCall in_call(machine);
  if (const int planned = machine.plan.count(function)) {
    apply_planned(machine, static_cast<cudaError_t>(planned));
    return static_cast<CUresult>(planned);
  }
  if (needs_context && !thread_state().has_context) return CUDA_ERROR_INVALID_CONTEXT;
  machine.schedule.advance();
  machine.collect_fault();
  if (machine.sticky != cudaSuccess) return static_cast<CUresult>(machine.sticky);
  return body(machine);
}

bool is_whole(std::size_t value) { return value % vmm_granularity == 0; }
char* to_pointer(CUdeviceptr address) { return reinterpret_cast<char*>(address); }

CUresult check(const Machine& machine, const CUmemAllocationProp& properties) {
  if (properties.type != CU_MEM_ALLOCATION_TYPE_PINNED || properties.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  const int device = properties.location.id;
  if (device < 0 || device >= static_cast<int>(machine.gpus.size())) return CUDA_ERROR_INVALID_DEVICE;
  if (properties.requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE &&
      properties.requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    not_modelled("cuMemCreate with handles of type " + std::to_string(properties.requestedHandleTypes));
  return CUDA_SUCCESS;
}

/// A driver whose attributes promise more than it does: with MINIMA_SIMULATED_VMM=plain it gives no access to memory
/// that network cards could read, as some do in WSL and virtual machines, with "none" it creates no pages.
bool refuses(const char* what) {
  const char* const wanted = std::getenv("MINIMA_SIMULATED_VMM");
  return wanted && std::strcmp(wanted, what) == 0;
}

/// Whether other processes and network cards can open the memory: NCCL registers such memory instead of copying it.
bool is_exportable(const CUmemAllocationProp& properties) {
  return properties.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR &&
         properties.allocFlags.gpuDirectRDMACapable != 0;
}

}  // namespace

extern "C" {

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return driver_call(
      "cuDeviceGetAttribute",
      [&](const Machine& machine) {
        if (device < 0 || device >= static_cast<int>(machine.gpus.size())) return CUDA_ERROR_INVALID_DEVICE;
        switch (attribute) {
          case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
          case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
          case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: *value = 1; return CUDA_SUCCESS;
        }
        not_modelled("cuDeviceGetAttribute of attribute " + std::to_string(attribute));
      },
      false);
}

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags) {
  return driver_call(
      "cuMemGetAllocationGranularity",
      [&](const Machine& machine) {
        *granularity = vmm_granularity;
        return check(machine, *properties);
      },
      false);
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
  return driver_call("cuMemAddressReserve", [&](Machine& machine) {
    const bool is_power = (alignment & (alignment - 1)) == 0;
    if (bytes == 0 || !is_whole(bytes) || !is_power || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    char* const start = machine.memory.reserve(bytes, alignment);
    *address = reinterpret_cast<CUdeviceptr>(start);
    return start ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return driver_call("cuMemAddressFree", [&](Machine& machine) {
    return machine.memory.unreserve(to_pointer(address), bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long flags) {
  return driver_call("cuMemCreate", [&](Machine& machine) {
    if (const CUresult error = check(machine, *properties); error != CUDA_SUCCESS) return error;
    if (bytes == 0 || !is_whole(bytes) || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (refuses("none")) return CUDA_ERROR_NOT_SUPPORTED;
    const auto created = machine.memory.create(properties->location.id, bytes, is_exportable(*properties));
    if (!created) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = *created;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driver_call("cuMemRelease", [&](Machine& machine) {
    return machine.memory.release(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return driver_call("cuMemMap", [&](Machine& machine) {
    if (bytes == 0 || !is_whole(address) || !is_whole(bytes) || offset != 0 || flags != 0)
      return CUDA_ERROR_INVALID_VALUE;
    return machine.memory.map(to_pointer(address), bytes, handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

/// "The range must be the entire contiguous address range that was mapped to." Pending work that may use it is
/// reported: whether this call waits for it is not documented.
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return driver_call("cuMemUnmap", [&](Machine& machine) {
    char* const start = to_pointer(address);
    if (!machine.memory.is_whole_mappings(start, bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (const Task* const task = machine.schedule.find_pending(start, bytes))
      report("cuMemUnmap: " + task->work.name + " on cuda:" + std::to_string(task->work.device) +
             " has not run yet and may use the memory");
    machine.memory.unmap(start, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* accesses, size_t count) {
  return driver_call("cuMemSetAccess", [&](Machine& machine) {
    for (size_t i = 0; i < count; ++i) {
      const CUmemLocation& location = accesses[i].location;
      if (location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
      if (location.id < 0 || location.id >= static_cast<int>(machine.gpus.size())) return CUDA_ERROR_INVALID_DEVICE;
      if (accesses[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ) not_modelled("cuMemSetAccess of memory to read only");
      if (refuses("plain") && machine.memory.is_exportable(to_pointer(address))) return CUDA_ERROR_UNKNOWN;
      const bool accessible = accesses[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
      if (!machine.memory.set_access(to_pointer(address), bytes, location.id, accessible))
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
