#include "simulated/machine/memory.h"

#include "simulated/machine/report.h"
#include "simulated/runtime/call.h"

#include <cuda_runtime_api.h>

#include <string>

using namespace simulated;

namespace {

/// Reports pending work that may touch what `function` is about to take away.
void expect_unused(const Machine& machine, const char* function, const void* address, std::size_t bytes) {
  if (const Task* const task = machine.schedule.find_pending(static_cast<const char*>(address), bytes))
    report(std::string(function) + ": " + task->work.name + " on cuda:" + std::to_string(task->work.device) +
           " has not run yet and may use the memory");
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return runtime_call("cudaMalloc", Reach::unsafe, [&](const Call& call) {
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    *pointer = call.machine.memory.allocate(Memory::Kind::device, call.thread.device, bytes);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

/// Waits for the memory's device, as the implicit synchronisation that the documentation allows does on GPUs, unless
/// the memory is from cudaMallocAsync: then "callers must ensure that all accesses … have completed".
cudaError_t cudaFree(void* pointer) {
  return runtime_call("cudaFree", Reach::unsafe, [&](const Call& call) {
    if (!pointer) return cudaSuccess;
    const Memory::Block* const block = call.machine.memory.block(pointer);
    if (!block || block->kind == Memory::Kind::pinned) return cudaErrorInvalidValue;
    if (block->kind == Memory::Kind::device) {
      if (const cudaError_t error = call.machine.refuse_captured_device(block->device); error != cudaSuccess)
        return error;
      call.machine.finish_device(block->device);
    }
    expect_unused(call.machine, "cudaFree", pointer, block->bytes);
    call.machine.memory.free(pointer);
    return cudaSuccess;
  });
}

/// The memory is there at once. What uses it on another stream must come after this call's place in its stream, which
/// the simulation does not check.
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t handle) {
  return runtime_call("cudaMallocAsync", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->capture) not_modelled("cudaMallocAsync in a stream that is being captured");
    *pointer = call.machine.memory.allocate(Memory::Kind::pool, stream->device, bytes);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

/// Work that may use the memory and is not done when the stream comes to this is reported.
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return runtime_call("cudaFreeAsync", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->capture) not_modelled("cudaFreeAsync in a stream that is being captured");
    const Memory::Block* const block = call.machine.memory.block(pointer);
    if (!block || block->kind != Memory::Kind::pool) return cudaErrorInvalidValue;
    const std::size_t bytes = block->bytes;
    return call.machine.submit(*stream,
                               {.name = "cudaFreeAsync", .device = stream->device, .run = [=, &machine = call.machine] {
                                  expect_unused(machine, "cudaFreeAsync", pointer, bytes);
                                  machine.memory.free(pointer);
                                }});
  });
}

/// "Any host memory allocated from this host thread … will have its lifetime associated with" the current device
/// (cudaSetDevice), whose context is made.
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return runtime_call("cudaHostAlloc", Reach::unsafe, [&](const Call& call) {
    if (flags & ~static_cast<unsigned>(cudaHostAllocPortable | cudaHostAllocMapped)) return cudaErrorInvalidValue;
    *pointer = call.machine.memory.allocate(Memory::Kind::pinned, call.thread.device, bytes);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return runtime_call("cudaFreeHost", Reach::unsafe, [&](const Call& call) {
    if (!pointer) return cudaSuccess;
    const Memory::Block* const block = call.machine.memory.block(pointer);
    if (!block || block->kind != Memory::Kind::pinned) return cudaErrorInvalidValue;
    expect_unused(call.machine, "cudaFreeHost", pointer, block->bytes);
    call.machine.memory.free(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return runtime_call("cudaMemGetInfo", Reach::context, [&](const Call& call) {
    *free = call.machine.memory.free_bytes(call.thread.device);
    *total = call.machine.memory.capacity(call.thread.device);
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return runtime_call("cudaPointerGetAttributes", Reach::context, [&](const Call& call) {
    const auto place = call.machine.memory.find(pointer);
    void* const address = const_cast<void*>(pointer);
    if (!place) *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, address};
    else if (place->kind == Memory::Kind::pinned) *attributes = {cudaMemoryTypeHost, place->device, address, address};
    else *attributes = {cudaMemoryTypeDevice, place->device, address, nullptr};
    return cudaSuccess;
  });
}

}  // extern "C"
