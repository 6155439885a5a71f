#include "simulated/libraries/cublas_lt/call.h"
#include "simulated/runtime/call.h"

#include <cublasLt.h>
#include <driver_types.h>

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace simulated {

namespace {

/// Never destroyed, since programs destroy handles late or not at all.
std::unordered_map<const cublasLtContext*, std::unique_ptr<cublasLtContext>>& handles() {
  static auto* const all = new std::unordered_map<const cublasLtContext*, std::unique_ptr<cublasLtContext>>;
  return *all;
}

struct Description {
  cublasStatus_t status;
  const char* name;
  const char* text;
};
constexpr Description descriptions[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires a feature absent from the architecture"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality requested is not supported"},
};

const Description* describe(cublasStatus_t status) {
  for (const Description& description : descriptions)
    if (description.status == status) return &description;
  return nullptr;
}

}  // namespace

bool is_cublas_lt_handle(const cublasLtContext* handle) { return handles().contains(handle); }

cublasStatus_t cublas_status(cudaError_t error) {
  const auto planned = static_cast<cublasStatus_t>(error);
  if (describe(planned)) return planned;
  return error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace simulated

using namespace simulated;

extern "C" {

/// "It allocates light hardware resources on the host and device" (cublasLtCreate), which a capture prohibits. The
/// handle belongs to the current device.
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return cublas_call("cublasLtCreate", Reach::unsafe, [&](const Call& call) {
    auto made = std::make_unique<cublasLtContext>(cublasLtContext{call.thread.device});
    *handle = made.get();
    handles()[*handle] = std::move(made);
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return cublas_call("cublasLtDestroy", Reach::process, [&](const Call&) {
    return handles().erase(handle) > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
  });
}

size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }

const char* cublasLtGetStatusName(cublasStatus_t status) {
  const Description* const description = describe(status);
  return description ? description->name : "CUBLAS_STATUS_UNKNOWN";
}

const char* cublasLtGetStatusString(cublasStatus_t status) {
  const Description* const description = describe(status);
  return description ? description->text : "unknown error";
}

}  // extern "C"
