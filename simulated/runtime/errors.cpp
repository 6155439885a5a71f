#include "simulated/runtime/call.h"

#include <cuda_runtime_api.h>

#include <utility>

using namespace simulated;

namespace {

struct Description {
  cudaError_t error;
  const char* name;
  const char* text;
};

#define SIMULATED_ERROR(name, text) {name, #name, text}
constexpr Description descriptions[] = {
    SIMULATED_ERROR(cudaSuccess, "no error"),
    SIMULATED_ERROR(cudaErrorInvalidValue, "invalid argument"),
    SIMULATED_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    SIMULATED_ERROR(cudaErrorInitializationError, "initialization error"),
    SIMULATED_ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    SIMULATED_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    SIMULATED_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    SIMULATED_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    SIMULATED_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    SIMULATED_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    SIMULATED_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    SIMULATED_ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    SIMULATED_ERROR(cudaErrorNvlinkUncorrectable, "uncorrectable NVLink error detected during the execution"),
    SIMULATED_ERROR(cudaErrorContained, "an uncorrectable error was contained"),
    SIMULATED_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    SIMULATED_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    SIMULATED_ERROR(cudaErrorNotReady, "device not ready"),
    SIMULATED_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    SIMULATED_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    SIMULATED_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    SIMULATED_ERROR(cudaErrorContextIsDestroyed, "context is destroyed"),
    SIMULATED_ERROR(cudaErrorAssert, "device-side assert triggered"),
    SIMULATED_ERROR(cudaErrorHardwareStackError, "hardware stack error"),
    SIMULATED_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    SIMULATED_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    SIMULATED_ERROR(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    SIMULATED_ERROR(cudaErrorInvalidPc, "invalid program counter"),
    SIMULATED_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    SIMULATED_ERROR(cudaErrorTensorMemoryLeak, "tensor memory was not freed when a kernel ended"),
    SIMULATED_ERROR(cudaErrorNotSupported, "operation not supported"),
    SIMULATED_ERROR(cudaErrorMpsClientTerminated, "the MPS client was terminated"),
    SIMULATED_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    SIMULATED_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    SIMULATED_ERROR(cudaErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    SIMULATED_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    SIMULATED_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    SIMULATED_ERROR(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    SIMULATED_ERROR(cudaErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capture"),
    SIMULATED_ERROR(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    SIMULATED_ERROR(cudaErrorStreamCaptureWrongThread, "attempt to terminate a capture from another thread"),
    SIMULATED_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef SIMULATED_ERROR

const Description* describe(cudaError_t error) {
  for (const Description& description : descriptions)
    if (description.error == error) return &description;
  return nullptr;
}

cudaError_t& last_error() {
  ThreadState& thread = thread_state();
  return thread.last_errors[thread.runtime];
}

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  const Description* const found = describe(error);
  return found ? found->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const Description* const found = describe(error);
  return found ? found->text : "unrecognized error code";
}

cudaError_t cudaGetLastError(void) { return std::exchange(last_error(), cudaSuccess); }
cudaError_t cudaPeekAtLastError(void) { return last_error(); }

}  // extern "C"
