#include <minima/tensor/cuda/library_status.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>

#include <cstring>
#include <string>

namespace minima::cuda {

namespace {

std::string function_of(const char* call) { return std::string(call, std::strcspn(call, "(")); }

}  // namespace

void check_device(const char* call) {
  throw_if_broken();
  const cudaStream_t stream = minima::detail::current_stream_state(minima::detail::thread_device.device)->handle;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), call);
  if (status != cudaStreamCaptureStatusNone) return;
  if (const cudaError_t error = cudaStreamQuery(stream); error != cudaErrorNotReady) check(error, call);
}

void throw_driver_status(CUresult status, const char* call) {
  throw_if_broken();
  constexpr int about_the_call = 200;  // smaller ones; the others are about programs, devices and running work
  if (status >= about_the_call) check_device(call);
  const char* name = "unknown";
  const char* words = "";
  cuGetErrorName(status, &name);
  cuGetErrorString(status, &words);
  throw Error(str("CUDA driver: ", function_of(call), ": ", words, " (", name, ")"));
}

void throw_cublas_status(cublasStatus_t status, const char* call) {
  check_device(call);
  throw Error(str("cuBLASLt: ", function_of(call), ": ", cublasLtGetStatusString(status), " (",
                  cublasLtGetStatusName(status), ")"));
}

void throw_cudnn_status(cudnnStatus_t status, const char* call) {
  check_device(call);
  char words[512] = "";
  cudnnGetLastErrorString(words, sizeof words);
  throw Error(str("cuDNN: ", function_of(call), ": ", cudnnGetErrorString(status), words[0] ? "; " : "", words));
}

}  // namespace minima::cuda
