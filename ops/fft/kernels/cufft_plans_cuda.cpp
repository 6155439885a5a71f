#include <minima/ops/fft/kernels/fourier_kernels.h>

#include <minima/ops/cudnn/recent.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>
#include <minima/tensor/cuda/library_status.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#if __has_include(<cufft.h>)
#include <cufft.h>

namespace minima::detail {

namespace {

const char* name_of(cufftResult result) {
  switch (result) {
    case CUFFT_INVALID_PLAN: return "CUFFT_INVALID_PLAN";
    case CUFFT_ALLOC_FAILED: return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_TYPE: return "CUFFT_INVALID_TYPE";
    case CUFFT_INVALID_VALUE: return "CUFFT_INVALID_VALUE";
    case CUFFT_INTERNAL_ERROR: return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED: return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED: return "CUFFT_SETUP_FAILED";
    case CUFFT_INVALID_SIZE: return "CUFFT_INVALID_SIZE";
    case CUFFT_INVALID_DEVICE: return "CUFFT_INVALID_DEVICE";
    case CUFFT_NO_WORKSPACE: return "CUFFT_NO_WORKSPACE";
    case CUFFT_NOT_SUPPORTED: return "CUFFT_NOT_SUPPORTED";
    default: return "unknown status";
  }
}

void check(cufftResult result, const char* call) {
  if (result == CUFFT_SUCCESS) return;
  cuda::check_device(call);
  throw Error(str("cuFFT: ", call, ": ", name_of(result), " (", static_cast<int>(result), ")"));
}

/// A handle of cuFFT's.
class Handle {
 public:
  Handle() { check(cufftCreate(&handle_), "cufftCreate"); }
  ~Handle() {
    if (!cuda::is_broken()) cufftDestroy(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator cufftHandle() const { return handle_; }

 private:
  cufftHandle handle_ = -1;
};

/// A plan that was made.
struct Made {
  Handle handle;
  std::size_t workspace = 0;
  bool captured = false;  ///< by a CUDA graph, which may run it at any time
  std::mutex running;     ///< one thread submits it at a time
};

cufftType type_of(const TransformPlan& plan) {
  switch (plan.kind) {
    case Transform::complex: return plan.is_double ? CUFFT_Z2Z : CUFFT_C2C;
    case Transform::real_to_complex: return plan.is_double ? CUFFT_D2Z : CUFFT_R2C;
    default: return plan.is_double ? CUFFT_Z2D : CUFFT_C2R;
  }
}

/// The sizes of input or output in memory.
std::vector<long long> sizes_in_memory(const TransformPlan& plan, Transform half) {
  std::vector<long long> sizes = plan.n;
  if (plan.kind == half) sizes.back() = sizes.back() / 2 + 1;
  return sizes;
}

std::shared_ptr<Made> make(const TransformPlan& plan, Device device) {
  std::vector<long long> n = plan.n, in = sizes_in_memory(plan, Transform::complex_to_real),
                         out = sizes_in_memory(plan, Transform::real_to_complex);
  const auto attempt = [&](std::shared_ptr<Made>& made) {
    made = std::make_shared<Made>();
    check(cufftSetAutoAllocation(made->handle, 0), "cufftSetAutoAllocation");
    return cufftMakePlanMany64(made->handle, static_cast<int>(n.size()), n.data(), in.data(), plan.stride,
                               plan.in_distance, out.data(), plan.stride, plan.out_distance, type_of(plan), plan.batch,
                               &made->workspace);
  };
  std::shared_ptr<Made> made;
  cufftResult result = attempt(made);
  if (result == CUFFT_ALLOC_FAILED) {  // its tables come from the driver, not from minima's allocator
    empty_cache(device);
    result = attempt(made);
  }
  check(result, "cufftMakePlanMany64");
  return made;
}

using Key = std::vector<long long>;
Key key_of(const TransformPlan& plan) {
  Key key{type_of(plan), plan.stride, plan.in_distance, plan.out_distance, plan.batch};
  key.insert(key.end(), plan.n.begin(), plan.n.end());
  return key;
}

constexpr std::size_t kept_plans = 256;

/// One GPU's plans. Never destroyed.
struct Plans {
  std::mutex mutex;
  Recent<Key, std::shared_ptr<Made>> by_key{kept_plans};
  std::vector<std::shared_ptr<Made>> captured;  ///< evicted ones
};

Plans& plans_of(int device) {
  static Plans* const all = new Plans[max_devices];
  return all[device];
}

std::string text_of(const TransformPlan& plan) {
  std::string sizes;
  for (const long long n : plan.n) sizes += str(sizes.empty() ? "" : " x ", n);
  return str(plan.batch, " transform", plan.batch == 1 ? "" : "s", " of ", sizes, plan.is_double ? " in float64" : "");
}

std::shared_ptr<Made> plan_of(const TransformPlan& plan, Device device, bool captures) {
  Plans& plans = plans_of(device.index);
  const Key key = key_of(plan);
  const std::lock_guard lock(plans.mutex);
  if (const auto* const known = plans.by_key.find(key)) {
    (*known)->captured |= captures;
    return *known;
  }
  if (captures)
    throw CaptureError(str("fft: cuFFT has no plan yet for ", text_of(plan),
                           ", and making one allocates memory, which a capture prohibits; compute it once before"));
  const std::shared_ptr<Made> made = make(plan, device);
  if (const auto* const evicted = plans.by_key.next_evicted()) {
    if ((*evicted)->captured) plans.captured.push_back(*evicted);
    else synchronize(device);  // it may still be running
  }
  plans.by_key.put(key, made);
  return made;
}

bool is_captured_now(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  MINIMA_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

cufftResult execute(cufftHandle handle, const TransformPlan& plan, void* from, void* to, bool inverse) {
  const int direction = inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
  const auto single = static_cast<cufftComplex*>(from);
  const auto twice = static_cast<cufftDoubleComplex*>(from);
  switch (type_of(plan)) {
    case CUFFT_C2C: return cufftExecC2C(handle, single, static_cast<cufftComplex*>(to), direction);
    case CUFFT_Z2Z: return cufftExecZ2Z(handle, twice, static_cast<cufftDoubleComplex*>(to), direction);
    case CUFFT_R2C: return cufftExecR2C(handle, static_cast<cufftReal*>(from), static_cast<cufftComplex*>(to));
    case CUFFT_D2Z:
      return cufftExecD2Z(handle, static_cast<cufftDoubleReal*>(from), static_cast<cufftDoubleComplex*>(to));
    case CUFFT_C2R: return cufftExecC2R(handle, single, static_cast<cufftReal*>(to));
    default: return cufftExecZ2D(handle, twice, static_cast<cufftDoubleReal*>(to));
  }
}

}  // namespace

bool has_cufft() { return cuda::cufft_library.is_there(); }

void run_cufft(const TransformPlan& plan, Device device, void* from, void* to, bool inverse) {
  const DeviceGuard guard(device);
  const cudaStream_t stream = current_stream_state(device.index)->handle;
  const std::shared_ptr<Made> made = plan_of(plan, device, is_captured_now(stream));
  Tensor workspace;
  if (made->workspace > 0) {
    const PurposeGuard purpose(Purpose::temporaries);
    workspace = empty({static_cast<std::int64_t>(made->workspace)}, {.dtype = DType::uint8, .device = device});
  }
  const std::lock_guard lock(made->running);
  check(cufftSetStream(made->handle, stream), "cufftSetStream");
  if (workspace.defined()) check(cufftSetWorkArea(made->handle, workspace.raw_data()), "cufftSetWorkArea");
  check(execute(made->handle, plan, from, to, inverse), "cufftExec");
}

}  // namespace minima::detail

#else

namespace minima::detail {

bool has_cufft() { return false; }

void run_cufft(const TransformPlan&, Device, void*, void*, bool) {
  throw Error("fft: minima was built without cuFFT's header");
}

}  // namespace minima::detail

#endif
