#include <minima/tensor/cuda/library_status.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/status.h>

#include <cstring>
#include <string>

namespace minima::cuda {

namespace {

std::string function_of(const char* call) { return std::string(call, std::strcspn(call, "(")); }

}  // namespace

void throw_driver_status(CUresult status, const char* call) {
  throw_if_broken();
  const char* name = "unknown";
  const char* words = "";
  cuGetErrorName(status, &name);
  cuGetErrorString(status, &words);
  throw Error(str("CUDA driver: ", function_of(call), ": ", words, " (", name, ")"));
}

void throw_cublas_status(cublasStatus_t status, const char* call) {
  throw_if_broken();
  check(cudaPeekAtLastError(), call);  // the underlying CUDA error, if there is one
  throw Error(str("cuBLASLt: ", function_of(call), ": ", cublasLtGetStatusString(status), " (",
                  cublasLtGetStatusName(status), ")"));
}

void throw_cudnn_status(cudnnStatus_t status, const char* call) {
  throw_if_broken();
  check(cudaPeekAtLastError(), call);
  char words[512] = "";
  cudnnGetLastErrorString(words, sizeof words);
  throw Error(str("cuDNN: ", function_of(call), ": ", cudnnGetErrorString(status), words[0] ? "; " : "", words));
}

}  // namespace minima::cuda
