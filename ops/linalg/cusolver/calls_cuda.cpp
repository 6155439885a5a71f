#include <minima/ops/linalg/cusolver/calls.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>
#include <minima/tensor/cuda/library_status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>

#include <driver_types.h>
#include <library_types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#if __has_include(<cusolverDn.h>) && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <cusolverDn.h>

namespace minima::detail {

namespace {

const char* name_of(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED: return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED: return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE: return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH: return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED: return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR: return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case CUSOLVER_STATUS_NOT_SUPPORTED: return "CUSOLVER_STATUS_NOT_SUPPORTED";
    case CUSOLVER_STATUS_INVALID_WORKSPACE: return "CUSOLVER_STATUS_INVALID_WORKSPACE";
    default: return "unknown status";
  }
}

void check(cusolverStatus_t status, const char* call) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  cuda::check_device(call);
  throw Error(str("cuSOLVER: ", call, ": ", name_of(status), " (", static_cast<int>(status), ")"));
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  cuda::check_device(call);
  throw Error(str("cuBLAS: ", call, ": status ", static_cast<int>(status)));
}

/// Handles that are set to a stream. They keep memory that their work uses, so no other stream gets them.
struct Handles {
  cudaStream_t stream = nullptr;
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t params = nullptr;
  cublasHandle_t blas = nullptr;  ///< made when it is needed
};

/// Handles that no thread uses, of each device. Never destroyed.
struct Idle {
  std::mutex mutex;
  std::vector<Handles> of[max_devices];
};
Idle& idle() {
  static Idle* const all = new Idle;
  return *all;
}

/// Calls create(), again after minima's allocator has given back what it can: handles take memory from the driver.
template <class Status, class Create>
void make(Device device, Status out_of_memory, const char* call, Create create) {
  Status status = create();
  if (status == out_of_memory) {
    empty_cache(device);
    status = create();
  }
  check(status, call);
}

Handles new_handles(Device device, cudaStream_t stream) {
  Handles handles{.stream = stream};
  make(device, CUSOLVER_STATUS_ALLOC_FAILED, "cusolverDnCreate", [&] { return cusolverDnCreate(&handles.solver); });
  check(cusolverDnCreateParams(&handles.params), "cusolverDnCreateParams");
  check(cusolverDnSetStream(handles.solver, stream), "cusolverDnSetStream");
  return handles;
}

Handles acquire(Device device) {
  const cudaStream_t stream = current_stream_state(device.index)->handle;
  {
    const std::lock_guard lock(idle().mutex);
    auto& rest = idle().of[device.index];
    const auto found = std::find_if(rest.begin(), rest.end(), [&](const Handles& h) { return h.stream == stream; });
    if (found != rest.end()) {
      const Handles handles = *found;
      rest.erase(found);
      return handles;
    }
  }
  return new_handles(device, stream);
}

/// Rows of the column-major matrices in x [..., columns, rows].
std::int64_t height(const Tensor& x) { return columns_of(x); }
std::int64_t width(const Tensor& x) { return rows_of(x); }

cudaDataType type_of(const Tensor& x) { return x.dtype() == DType::float64 ? CUDA_R_64F : CUDA_R_32F; }

/// Matrix or vector i of a batch of `count`.
template <class T = void>
T* part(const Tensor& x, std::int64_t i, std::int64_t count) {
  const std::size_t bytes = static_cast<std::size_t>(x.numel() / count) * x.itemsize();
  return reinterpret_cast<T*>(static_cast<std::byte*>(x.raw_data()) + static_cast<std::size_t>(i) * bytes);
}

/// The addresses of a batch's matrices, in the GPU's memory.
Tensor addresses(const Tensor& x, std::int64_t count) {
  const auto first = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x.raw_data()));
  const std::int64_t bytes = x.numel() / count * static_cast<std::int64_t>(x.itemsize());
  return arange(first, first + count * bytes, bytes, {.dtype = DType::int64, .device = x.device()});
}

/// Calls f with a null pointer to x's element type.
template <class F>
void for_element(const Tensor& x, F f) {
  if (x.dtype() == DType::float64) f(static_cast<double*>(nullptr));
  else f(static_cast<float*>(nullptr));
}

}  // namespace

struct Solver::State {
  Device device;
  std::int64_t count;  ///< of matrices
  Handles handles;
  Tensor workspace{};
  std::vector<std::byte> on_host{};

  int* info_of(const Tensor& info, std::int64_t i) const { return part<int>(info, i, count); }

  void allocate(std::size_t device_bytes, std::size_t host_bytes = 0) {
    const PurposeGuard purpose(Purpose::temporaries);
    workspace = empty({static_cast<std::int64_t>(device_bytes)}, {.dtype = DType::uint8, .device = device});
    finish_on_host();
    on_host.resize(host_bytes);
  }
  /// NVIDIA's manual does not say how long host memory is used, so it is kept until the stream has caught up.
  void finish_on_host() {
    if (!on_host.empty()) synchronize(device);
    on_host.clear();
  }
  void* on_device() const { return workspace.raw_data(); }
  std::size_t bytes() const { return static_cast<std::size_t>(workspace.numel()); }
};

bool can_open_cusolver() { return cuda::cusolver_library.is_there() && cuda::cublas_library.is_there(); }

Solver::Solver(const char* op, const Tensor& x) {
  refuse_captured(x.device(), op);
  state_ = std::make_unique<State>(State{.device = x.device(), .count = count_matrices(x), .handles = {}});
  state_->handles = acquire(x.device());
  info_ = zeros({state_->count}, {.dtype = DType::int32, .device = x.device()});
}

Solver::~Solver() {
  try {
    state_->finish_on_host();
  } catch (...) {  // a broken device: nothing runs on it any more, and the next call says so
    state_->on_host.clear();
  }
  const std::lock_guard lock(idle().mutex);
  idle().of[state_->device.index].push_back(state_->handles);
}

void Solver::cholesky(const Tensor& a, bool upper) {
  State& s = *state_;
  const cublasFillMode_t triangle = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const std::int64_t n = height(a);
  if (s.count > 1) {
    const Tensor matrices = addresses(a, s.count);
    const auto size = static_cast<int>(n), count = static_cast<int>(s.count);
    return for_element(a, [&]<class T>(T*) {
      auto* const all = static_cast<T**>(matrices.raw_data());
      if constexpr (std::is_same_v<T, double>)
        check(cusolverDnDpotrfBatched(s.handles.solver, triangle, size, all, size, s.info_of(info_, 0), count),
              "cusolverDnDpotrfBatched");
      else
        check(cusolverDnSpotrfBatched(s.handles.solver, triangle, size, all, size, s.info_of(info_, 0), count),
              "cusolverDnSpotrfBatched");
    });
  }
  std::size_t device = 0, host = 0;
  check(cusolverDnXpotrf_bufferSize(s.handles.solver, s.handles.params, triangle, n, type_of(a), a.raw_data(), n,
                                    type_of(a), &device, &host),
        "cusolverDnXpotrf_bufferSize");
  s.allocate(device, host);
  check(cusolverDnXpotrf(s.handles.solver, s.handles.params, triangle, n, type_of(a), a.raw_data(), n, type_of(a),
                         s.on_device(), s.bytes(), s.on_host.data(), s.on_host.size(), s.info_of(info_, 0)),
        "cusolverDnXpotrf");
}

void Solver::lu(const Tensor& a, const Tensor& pivots) {
  State& s = *state_;
  const std::int64_t m = height(a), n = width(a);
  std::size_t device = 0, host = 0;
  check(cusolverDnXgetrf_bufferSize(s.handles.solver, s.handles.params, m, n, type_of(a), a.raw_data(), m, type_of(a),
                                    &device, &host),
        "cusolverDnXgetrf_bufferSize");
  s.allocate(device, host);
  for (std::int64_t i = 0; i < s.count; ++i)
    check(cusolverDnXgetrf(s.handles.solver, s.handles.params, m, n, type_of(a), part(a, i, s.count), m,
                           part<std::int64_t>(pivots, i, s.count), type_of(a), s.on_device(), s.bytes(),
                           s.on_host.data(), s.on_host.size(), s.info_of(info_, i)),
          "cusolverDnXgetrf");
}

void Solver::solve(const Tensor& factors, const Tensor& pivots, bool transposed, const Tensor& b) {
  const State& s = *state_;
  const std::int64_t n = height(factors);
  const Tensor unused = zeros({s.count}, {.dtype = DType::int32, .device = s.device});  // says only what is null
  for (std::int64_t i = 0; i < s.count; ++i)
    check(cusolverDnXgetrs(s.handles.solver, s.handles.params, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, n, width(b),
                           type_of(factors), part(factors, i, s.count), n, part<std::int64_t>(pivots, i, s.count),
                           type_of(b), part(b, i, s.count), n, s.info_of(unused, i)),
          "cusolverDnXgetrs");
}

void Solver::reflectors(const Tensor& a, const Tensor& tau) {
  State& s = *state_;
  const std::int64_t m = height(a), n = width(a);
  std::size_t device = 0, host = 0;
  check(cusolverDnXgeqrf_bufferSize(s.handles.solver, s.handles.params, m, n, type_of(a), a.raw_data(), m, type_of(a),
                                    tau.raw_data(), type_of(a), &device, &host),
        "cusolverDnXgeqrf_bufferSize");
  s.allocate(device, host);
  for (std::int64_t i = 0; i < s.count; ++i)
    check(cusolverDnXgeqrf(s.handles.solver, s.handles.params, m, n, type_of(a), part(a, i, s.count), m, type_of(a),
                           part(tau, i, s.count), type_of(a), s.on_device(), s.bytes(), s.on_host.data(),
                           s.on_host.size(), s.info_of(info_, i)),
          "cusolverDnXgeqrf");
}

void Solver::orthonormal(const Tensor& a, const Tensor& tau, std::int64_t columns) {
  State& s = *state_;
  const auto m = static_cast<int>(height(a)), n = static_cast<int>(columns), k = static_cast<int>(tau.size(-1));
  for_element(a, [&]<class T>(T*) {
    constexpr bool is_double = std::is_same_v<T, double>;
    int elements = 0;
    const auto size = [&](auto function, const char* name) {
      check(function(s.handles.solver, m, n, k, part<T>(a, 0, s.count), m, part<T>(tau, 0, s.count), &elements), name);
    };
    if constexpr (is_double) size(cusolverDnDorgqr_bufferSize, "cusolverDnDorgqr_bufferSize");
    else size(cusolverDnSorgqr_bufferSize, "cusolverDnSorgqr_bufferSize");
    s.allocate(static_cast<std::size_t>(elements) * sizeof(T));
    const auto run = [&](auto function, const char* name) {
      for (std::int64_t i = 0; i < s.count; ++i)
        check(function(s.handles.solver, m, n, k, part<T>(a, i, s.count), m, part<T>(tau, i, s.count),
                       static_cast<T*>(s.on_device()), elements, s.info_of(info_, i)),
              name);
    };
    if constexpr (is_double) run(cusolverDnDorgqr, "cusolverDnDorgqr");
    else run(cusolverDnSorgqr, "cusolverDnSorgqr");
  });
}

void Solver::symmetric(const Tensor& a, bool upper, bool vectors, const Tensor& values) {
  State& s = *state_;
  const cublasFillMode_t triangle = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const std::int64_t n = height(a);
  const cudaDataType type = type_of(a);
  std::size_t device = 0, host = 0;
  check(cusolverDnXsyevd_bufferSize(s.handles.solver, s.handles.params, mode, triangle, n, type, a.raw_data(), n, type,
                                    values.raw_data(), type, &device, &host),
        "cusolverDnXsyevd_bufferSize");
  s.allocate(device, host);
  for (std::int64_t i = 0; i < s.count; ++i)
    check(cusolverDnXsyevd(s.handles.solver, s.handles.params, mode, triangle, n, type, part(a, i, s.count), n, type,
                           part(values, i, s.count), type, s.on_device(), s.bytes(), s.on_host.data(), s.on_host.size(),
                           s.info_of(info_, i)),
          "cusolverDnXsyevd");
}

void Solver::singular(const Tensor& a, const Tensor& u, const Tensor& values, const Tensor& vt) {
  State& s = *state_;
  const std::int64_t m = height(a), n = width(a);
  const auto wish = [&](const Tensor& x, std::int64_t vectors, std::int64_t all) -> signed char {
    return !x.defined() ? 'N' : vectors == all ? 'A' : 'S';
  };
  const signed char jobu = wish(u, u.defined() ? width(u) : 0, m), jobvt = wish(vt, n, n);
  const cudaDataType type = type_of(a);
  const auto at = [&](const Tensor& x, std::int64_t i) { return x.defined() ? part(x, i, s.count) : nullptr; };
  std::size_t device = 0, host = 0;
  check(cusolverDnXgesvd_bufferSize(s.handles.solver, s.handles.params, jobu, jobvt, m, n, type, a.raw_data(), m, type,
                                    values.raw_data(), type, at(u, 0), m, type, at(vt, 0), n, type, &device, &host),
        "cusolverDnXgesvd_bufferSize");
  s.allocate(device, host);
  for (std::int64_t i = 0; i < s.count; ++i)
    check(cusolverDnXgesvd(s.handles.solver, s.handles.params, jobu, jobvt, m, n, type, part(a, i, s.count), m, type,
                           part(values, i, s.count), type, at(u, i), m, type, at(vt, i), n, type, s.on_device(),
                           s.bytes(), s.on_host.data(), s.on_host.size(), s.info_of(info_, i)),
          "cusolverDnXgesvd");
}

void Solver::triangle(const Tensor& a, bool upper, bool transposed, bool unitriangular, const Tensor& b) {
  State& s = *state_;
  if (!s.handles.blas) {
    make(s.device, CUBLAS_STATUS_ALLOC_FAILED, "cublasCreate", [&] { return cublasCreate(&s.handles.blas); });
    check(cublasSetStream(s.handles.blas, s.handles.stream), "cublasSetStream");
  }
  const cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasDiagType_t diagonal = unitriangular ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const auto m = static_cast<int>(height(b)), n = static_cast<int>(width(b)), count = static_cast<int>(s.count);
  for_element(a, [&]<class T>(T*) {
    const T one = 1;
    const auto single = [&](auto function, const char* name) {
      check(function(s.handles.blas, CUBLAS_SIDE_RIGHT, fill, operation, diagonal, m, n, &one, part<T>(a, 0, 1), n,
                     part<T>(b, 0, 1), m),
            name);
    };
    const auto batched = [&](auto function, const char* name) {
      const Tensor from = addresses(a, s.count), to = addresses(b, s.count);
      check(function(s.handles.blas, CUBLAS_SIDE_RIGHT, fill, operation, diagonal, m, n, &one,
                     static_cast<const T**>(from.raw_data()), n, static_cast<T**>(to.raw_data()), m, count),
            name);
    };
    if constexpr (std::is_same_v<T, double>) {
      if (count == 1) single(cublasDtrsm, "cublasDtrsm");
      else batched(cublasDtrsmBatched, "cublasDtrsmBatched");
    } else {
      if (count == 1) single(cublasStrsm, "cublasStrsm");
      else batched(cublasStrsmBatched, "cublasStrsmBatched");
    }
  });
}

}  // namespace minima::detail

#else

namespace minima::detail {

struct Solver::State {};

bool can_open_cusolver() { return false; }

Solver::Solver(const char* op, const Tensor&) { throw Error(str(op, ": minima was built without cuSOLVER's header")); }
Solver::~Solver() = default;
void Solver::cholesky(const Tensor&, bool) {}
void Solver::lu(const Tensor&, const Tensor&) {}
void Solver::solve(const Tensor&, const Tensor&, bool, const Tensor&) {}
void Solver::reflectors(const Tensor&, const Tensor&) {}
void Solver::orthonormal(const Tensor&, const Tensor&, std::int64_t) {}
void Solver::symmetric(const Tensor&, bool, bool, const Tensor&) {}
void Solver::singular(const Tensor&, const Tensor&, const Tensor&, const Tensor&) {}
void Solver::triangle(const Tensor&, bool, bool, bool, const Tensor&) {}

}  // namespace minima::detail

#endif
