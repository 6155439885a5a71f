#include "simulated/runtime/call.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

// CUDA Runtime API, "API synchronization behavior": what copies wait for depends on the kind of host memory.

using namespace simulated;

namespace {

enum class Side { gpu, pinned, pageable };

/// "For transfers from pageable host memory of up to 64 KB the copy may return before it is done": the source has been
/// read. Larger ones wait for the stream.
constexpr std::size_t most_staged = std::size_t{64} << 10;

Side side_of(const Call& call, const void* address) {
  if (call.machine.memory.is_device_address(address)) return Side::gpu;
  return call.machine.memory.find(address) ? Side::pinned : Side::pageable;
}

/// "An illegal memory access was encountered" unless all of it is mapped for the device, or -1 for copies.
void expect_access(Machine& machine, int device, const void* address, std::size_t bytes) {
  if (!machine.memory.is_accessible(device, address, bytes)) throw DeviceFault{cudaErrorIllegalAddress};
}

struct Copy {
  char* to;
  const char* from;
  std::size_t bytes;
  Side target, source;
};

Work work_of(const Call& call, const CUstream_st& stream, const Copy& copy) {
  Work work{.name = "a copy", .device = stream.device};
  if (copy.target != Side::pageable) work.accesses.push_back({copy.to, copy.bytes});
  if (copy.source != Side::pageable) work.accesses.push_back({copy.from, copy.bytes});
  const double bytes = static_cast<double>(copy.bytes);
  const bool from_gpu = copy.source == Side::gpu, to_gpu = copy.target == Side::gpu;
  work.cost = {.kind = WorkKind::copy,
               .bytes_read = from_gpu ? bytes : 0,
               .bytes_written = to_gpu ? bytes : 0,
               .link_bytes = from_gpu && to_gpu ? 0 : bytes};
  work.run = [&machine = call.machine, copy] {
    if (copy.target != Side::pageable) expect_access(machine, -1, copy.to, copy.bytes);
    if (copy.source != Side::pageable) expect_access(machine, -1, copy.from, copy.bytes);
    std::memmove(copy.to, copy.from, copy.bytes);
  };
  return work;
}

/// Whether the program is dry from its start. It then reads zeros, since it agrees on no values.
bool reads_zeros() {
  static const char* const value = std::getenv("MINIMA_SIMULATED_DRY");
  return value && *value && std::strcmp(value, "0") != 0;
}

/// Reads for the host in a dry run: a value that was agreed on, and otherwise an error, since nothing was computed.
cudaError_t read_dry(Machine& machine, const Copy& copy) {
  if (reads_zeros()) {
    std::memset(copy.to, 0, copy.bytes);
    return cudaSuccess;
  }
  const auto value = machine.dry_values.known.find(copy.from);
  if (value == machine.dry_values.known.end() || value->second.size() < copy.bytes) {
    machine.dry_values.refused = {copy.from, copy.bytes};
    return cudaErrorNotSupported;
  }
  std::memcpy(copy.to, value->second.data(), copy.bytes);
  return cudaSuccess;
}

/// Pinned memory is read and written when the copy's turn comes. A pageable source is read now, after a wait for the
/// stream if it is large; a pageable target "might be synchronous": the generator decides.
cudaError_t submit_copy(const Call& call, CUstream_st& stream, const Copy& copy) {
  Work work = work_of(call, stream, copy);
  const bool dry = call.machine.schedule.dry();
  if (dry && copy.source == Side::gpu && copy.target != Side::gpu)
    if (const cudaError_t error = read_dry(call.machine, copy); error != cudaSuccess) return error;
  if (stream.capture) return call.machine.submit(stream, std::move(work));
  if (copy.source == Side::pageable && copy.target == Side::gpu) {
    if (copy.bytes > most_staged) {
      if (const cudaError_t error = call.machine.refuse_captured(stream); error != cudaSuccess) return error;
      for (Recorder* const recorder : call.machine.recorders) recorder->called("cudaMemcpyAsync from pageable memory");
      for (const TaskRef& task : call.machine.newest(stream)) call.machine.finish(task);
    }
    if (!dry)
      work.run = [&machine = call.machine, copy, staged = std::vector<char>(copy.from, copy.from + copy.bytes)] {
        expect_access(machine, -1, copy.to, copy.bytes);
        std::memcpy(copy.to, staged.data(), staged.size());
      };
  }
  const cudaError_t status = call.machine.submit(stream, std::move(work));
  if (status == cudaSuccess && copy.target == Side::pageable && call.machine.schedule.chance(0.5))
    call.machine.finish(stream.last);
  return status;
}

bool fits(cudaMemcpyKind kind, Side target, Side source) {
  const bool to_gpu = target == Side::gpu, from_gpu = source == Side::gpu;
  switch (kind) {
    case cudaMemcpyHostToHost: return !to_gpu && !from_gpu;
    case cudaMemcpyHostToDevice: return to_gpu && !from_gpu;
    case cudaMemcpyDeviceToHost: return !to_gpu && from_gpu;
    case cudaMemcpyDeviceToDevice: return to_gpu && from_gpu;
    case cudaMemcpyDefault: return true;
  }
  return false;
}

/// "A memory copy will succeed even if it is issued to a stream that is not associated to the current device" (CUDA C++
/// Programming Guide, "Stream and Event Behavior").
cudaError_t copy(const Call& call, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t handle, bool wait) {
  CUstream_st* const stream = call.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (bytes == 0) return cudaSuccess;
  const Copy copy{static_cast<char*>(to), static_cast<const char*>(from), bytes, side_of(call, to),
                  side_of(call, from)};
  if (!fits(kind, copy.target, copy.source)) return cudaErrorInvalidValue;
  if (copy.target == Side::pageable || copy.source == Side::pageable) ++call.machine.costs.pageable_copies;
  const cudaError_t status = submit_copy(call, *stream, copy);
  if (status == cudaSuccess && wait) call.machine.finish(stream->last);
  return status;
}

cudaError_t fill(const Call& call, void* pointer, int value, std::size_t bytes, cudaStream_t handle) {
  CUstream_st* const stream = call.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  if (side_of(call, pointer) == Side::pageable) return cudaErrorInvalidValue;
  return call.machine.submit(*stream,
                             {.name = "a memset",
                              .device = stream->device,
                              .accesses = {{static_cast<const char*>(pointer), bytes}},
                              .cost = {.kind = WorkKind::fill, .bytes_written = static_cast<double>(bytes)},
                              .run = [&machine = call.machine, device = stream->device, pointer, value, bytes] {
                                expect_access(machine, device, pointer, bytes);
                                std::memset(pointer, value, bytes);
                              }});
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return runtime_call("cudaMemcpy", Reach::context, [&](const Call& call) {
    return copy(call, to, from, bytes, kind, nullptr, kind != cudaMemcpyDeviceToDevice);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return runtime_call("cudaMemcpyAsync", Reach::context,
                      [&](const Call& call) { return copy(call, to, from, bytes, kind, stream, false); });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  return runtime_call("cudaMemcpyPeerAsync", Reach::context, [&](const Call& call) {
    const int count = static_cast<int>(call.machine.gpus.size());
    if (to_device < 0 || to_device >= count || from_device < 0 || from_device >= count) return cudaErrorInvalidDevice;
    const auto target = call.machine.memory.find(to), source = call.machine.memory.find(from);
    if (bytes > 0 && (!target || target->device != to_device || !source || source->device != from_device))
      return cudaErrorInvalidValue;
    return copy(call, to, from, bytes, cudaMemcpyDeviceToDevice, stream, false);
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return runtime_call("cudaMemset", Reach::context,
                      [&](const Call& call) { return fill(call, pointer, value, bytes, nullptr); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return runtime_call("cudaMemsetAsync", Reach::context,
                      [&](const Call& call) { return fill(call, pointer, value, bytes, stream); });
}

}  // extern "C"
