#include <minima/tensor/cuda/status.h>

#include <minima/tensor/cuda/fault.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

namespace minima::cuda {

namespace {

/// Process-wide and never destroyed, since calls may still fail while static objects are being destroyed.
struct Failures {
  std::mutex mutex;
  std::string first;  ///< the first unrecoverable error
  std::string kept;   ///< an error in a destructor, not reported yet
  std::atomic<bool> broken{false};
  std::atomic<bool> has_kept{false};
};
Failures& failures() {
  static Failures* const all = new Failures;
  return *all;
}

/// Errors after which every further CUDA call of the process fails.
bool is_unrecoverable(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
    case cudaErrorContextIsDestroyed: return true;
    default: return false;
  }
}

/// The name of the called function: cudaMalloc for `cudaMalloc(&p, n)`.
std::string function_of(const char* call) {
  std::string name(call, std::strcspn(call, "("));
  const std::size_t scope = name.rfind(':');
  return scope == std::string::npos ? name : name.substr(scope + 1);
}

std::string describe(cudaError_t status, const char* call) {
  std::string text =
      str("CUDA: ", function_of(call), ": ", cudaGetErrorString(status), " (", cudaGetErrorName(status), ")");
  if (is_unrecoverable(status))
    text +=
        "; kernels run asynchronously, so one launched earlier may be the culprit: MINIMA_LAUNCH_BLOCKING=1 names it";
  return text;
}

}  // namespace

void throw_status(cudaError_t status, const char* call) {
  cudaGetLastError();  // clears a recoverable error, so that the next check does not report it again
  throw_if_broken();
  const std::string text = describe(status, call);
  if (is_unrecoverable(status)) {
    Failures& all = failures();
    const std::lock_guard lock(all.mutex);
    if (all.first.empty()) all.first = text;
    all.broken.store(true, std::memory_order_release);
  }
  throw Error(text);
}

bool is_broken() noexcept { return failures().broken.load(std::memory_order_acquire); }

void throw_if_broken() {
  if (!is_broken()) return;
  Failures& all = failures();
  const std::lock_guard lock(all.mutex);
  throw Error(str(all.first, "; this was the first error, and the process can no longer use its GPUs"));
}

void keep_failure(cudaError_t status, const char* call) noexcept try {
  if (status == cudaSuccess || status == cudaErrorCudartUnloading) return;
  cudaGetLastError();
  Failures& all = failures();
  const std::lock_guard lock(all.mutex);
  const std::string text = describe(status, call);
  if (is_unrecoverable(status)) {
    if (all.first.empty()) all.first = text;
    all.broken.store(true, std::memory_order_release);
  } else if (all.kept.empty()) {
    all.kept = text;
    all.has_kept.store(true, std::memory_order_release);
  }
} catch (...) {
  // Out of host memory while recording a failure: nothing more can be done.
}

void throw_kept_failure() {
  throw_if_broken();
  throw_faults();
  Failures& all = failures();
  if (!all.has_kept.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(all.mutex);
  const std::string text = std::move(all.kept);
  all.kept.clear();
  all.has_kept.store(false, std::memory_order_release);
  if (!text.empty()) throw Error(str(text, "; it happened earlier, in a destructor"));
}

}  // namespace minima::cuda
