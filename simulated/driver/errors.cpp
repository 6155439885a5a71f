#include <cuda.h>

namespace {

struct Description {
  CUresult error;
  const char* name;
  const char* text;
};
constexpr Description descriptions[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

/// "CUDA_ERROR_INVALID_VALUE will be returned and *pStr will be set to the NULL address" for others (cuGetErrorName).
CUresult describe(CUresult error, const char** text, const char* Description::* member) {
  *text = nullptr;
  for (const Description& description : descriptions)
    if (description.error == error) *text = description.*member;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** text) { return describe(error, text, &Description::name); }
CUresult cuGetErrorString(CUresult error, const char** text) { return describe(error, text, &Description::text); }

}  // extern "C"
