#include "simulated/libraries/cudnn/call.h"

#include "simulated/machine/handles.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/report.h"
#include "simulated/machine/schedule.h"
#include "simulated/runtime/call.h"

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <driver_types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace simulated {

namespace {

/// The handles of this machine; those of an earlier one are invalid.
struct CudnnHandles {
  std::uint64_t generation = 0;
  std::set<std::unique_ptr<cudnnContext>> all;
};

/// The handles of this machine. Called with the machine's lock held.
CudnnHandles& handles() {
  static auto* const result = new CudnnHandles;
  const std::uint64_t generation = machine().generation;
  if (result->generation != generation) *result = {.generation = generation, .all = {}};
  return *result;
}

auto find_handle(cudnnHandle_t handle) {
  return std::find_if(handles().all.begin(), handles().all.end(),
                      [&](const auto& known) { return known.get() == handle; });
}

std::string& last_words() {
  thread_local std::string words;
  return words;
}

constexpr int first_cudnn_status = CUDNN_STATUS_NOT_INITIALIZED;  // cudaError_t ends before it

}  // namespace

cudnnStatus_t cudnn_failure(cudnnStatus_t status, const std::string& words) {
  last_words() = words;
  return status;
}

cudnnStatus_t cudnn_status(cudaError_t error, const std::string& function) {
  const int number = error;
  if (number >= first_cudnn_status) return cudnn_failure(static_cast<cudnnStatus_t>(number), function);
  return cudnn_failure(error == cudaErrorMemoryAllocation ? CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED
                                                          : CUDNN_STATUS_EXECUTION_FAILED_CUDART,
                       function + ": CUDA error " + std::to_string(number));
}

bool is_cudnn_handle(cudnnHandle_t handle) { return find_handle(handle) != handles().all.end(); }

cudnnStatus_t submit_cudnn(const std::string& function, cudnnHandle_t handle, const std::string& engine, Work work) {
  return cudnn_call(function, Reach::context, [&](const Call& call) {
    if (!is_cudnn_handle(handle)) return cudnn_failure(CUDNN_STATUS_BAD_PARAM, "the handle is not valid");
    if (const int planned = call.machine.plan.count(engine))
      return cudnn_status(static_cast<cudaError_t>(planned), engine);
    if (handle->device != call.thread.device)
      report("cuDNN: a handle of cuda:" + std::to_string(handle->device) +
             " is used while cuda:" + std::to_string(call.thread.device) + " is current");
    CUstream_st* const stream = call.machine.stream(handle->stream, handle->device);
    if (!stream) return cudnn_failure(CUDNN_STATUS_BAD_PARAM, "the handle's stream was destroyed");
    work.name = "cuDNN's " + engine;
    work.device = handle->device;
    if (const cudaError_t error = call.machine.submit(*stream, std::move(work)); error != cudaSuccess)
      return cudnn_status(error, engine);
    return CUDNN_STATUS_SUCCESS;
  });
}

}  // namespace simulated

using namespace simulated;

extern "C" {

std::size_t cudnnGetVersion() { return CUDNN_VERSION; }
std::size_t cudnnGetCudartVersion() { return CUDART_VERSION; }

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED: return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED: return "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED";
    case CUDNN_STATUS_BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_BAD_PARAM_NULL_POINTER: return "CUDNN_STATUS_BAD_PARAM_NULL_POINTER";
    case CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER: return "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER";
    case CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH: return "CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH";
    case CUDNN_STATUS_NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
      return "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED";
    case CUDNN_STATUS_EXECUTION_FAILED: return "CUDNN_STATUS_EXECUTION_FAILED";
    case CUDNN_STATUS_EXECUTION_FAILED_CUDART: return "CUDNN_STATUS_EXECUTION_FAILED_CUDART";
  }
  return "CUDNN_STATUS_UNKNOWN";
}

/// "A null-terminated message of at most max_size bytes … and clears the last error message."
void cudnnGetLastErrorString(char* message, std::size_t max_size) {
  const std::string words = std::exchange(last_words(), {});
  if (max_size == 0) return;
  const std::size_t count = std::min(words.size(), max_size - 1);
  std::memcpy(message, words.data(), count);
  message[count] = '\0';
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return cudnn_call("cudnnCreate", Reach::context, [&](const Call& call) {
    if (!handle) return cudnn_failure(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "cudnnCreate: handle");
    auto made = std::make_unique<cudnnContext>(cudnnContext{.device = call.thread.device, .stream = nullptr});
    *handle = made.get();
    handles().all.insert(std::move(made));
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return cudnn_call("cudnnDestroy", Reach::context, [&](const Call&) {
    const auto found = find_handle(handle);
    if (found == handles().all.end()) return cudnn_failure(CUDNN_STATUS_BAD_PARAM, "the handle is not valid");
    handles().all.erase(found);
    return CUDNN_STATUS_SUCCESS;
  });
}

/// "CUDNN_STATUS_MAPPING_ERROR: mismatch between the user stream and the cuDNN handle context", today a stream
/// mismatch.
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return cudnn_call("cudnnSetStream", Reach::context, [&](const Call& call) {
    if (!is_cudnn_handle(handle)) return cudnn_failure(CUDNN_STATUS_BAD_PARAM, "the handle is not valid");
    const CUstream_st* const known = call.machine.stream(stream, handle->device);
    if (!known || known->device != handle->device)
      return cudnn_failure(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH, "the stream is not one of the handle's device");
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  return cudnn_call("cudnnGetStream", Reach::context, [&](const Call&) {
    if (!is_cudnn_handle(handle)) return cudnn_failure(CUDNN_STATUS_BAD_PARAM, "the handle is not valid");
    *stream = handle->stream;
    return CUDNN_STATUS_SUCCESS;
  });
}

}  // extern "C"
