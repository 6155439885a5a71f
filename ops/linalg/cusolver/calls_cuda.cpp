#include <minima/ops/linalg/cusolver/calls.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/op.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>
#include <minima/tensor/cuda/solver/solver_handles.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>

#include <library_types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#if __has_include(<cusolverDn.h>) && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <cusolverDn.h>

namespace minima::detail {

using cuda::check_blas, cuda::check_solver;

namespace {

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

/// Whether a batch of square matrices is one call, as in PyTorch: the functions for one matrix are faster for large
/// ones.
bool is_one_call(std::int64_t count, std::int64_t n) { return count > 1 && n < 512; }
/// The same of triangular systems.
bool is_one_solve(std::int64_t count, std::int64_t n) { return count > 1 && (count > 8 || n < 64); }

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
  cuda::SolverHandles handles;
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
  info_ = zeros({state_->count}, {.dtype = DType::int32, .device = x.device()});
  state_->handles = cuda::acquire_solver(x.device());  // last: what throws after it would lose them
}

Solver::~Solver() {
  try {
    state_->finish_on_host();
  } catch (...) {  // a broken device: nothing runs on it any more, and the next call says so
    state_->on_host.clear();
  }
  cuda::release_solver(state_->device, state_->handles);
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
        check_solver(cusolverDnDpotrfBatched(s.handles.solver, triangle, size, all, size, s.info_of(info_, 0), count),
                     "cusolverDnDpotrfBatched");
      else
        check_solver(cusolverDnSpotrfBatched(s.handles.solver, triangle, size, all, size, s.info_of(info_, 0), count),
                     "cusolverDnSpotrfBatched");
    });
  }
  std::size_t device = 0, host = 0;
  check_solver(cusolverDnXpotrf_bufferSize(s.handles.solver, s.handles.params, triangle, n, type_of(a), a.raw_data(), n,
                                           type_of(a), &device, &host),
               "cusolverDnXpotrf_bufferSize");
  s.allocate(device, host);
  check_solver(
      cusolverDnXpotrf(s.handles.solver, s.handles.params, triangle, n, type_of(a), a.raw_data(), n, type_of(a),
                       s.on_device(), s.bytes(), s.on_host.data(), s.on_host.size(), s.info_of(info_, 0)),
      "cusolverDnXpotrf");
}

void Solver::lu(const Tensor& a, const Tensor& pivots) {
  State& s = *state_;
  const std::int64_t m = height(a), n = width(a);
  if (m == n && is_one_call(s.count, n)) {
    const Tensor matrices = addresses(a, s.count),
                 swaps = empty(pivots.shape(), {.dtype = DType::int32, .device = s.device});
    const auto size = static_cast<int>(n), count = static_cast<int>(s.count);
    for_element(a, [&]<class T>(T*) {
      const auto factor = [&](auto function, const char* name) {
        check_blas(function(cuda::blas_of(s.handles, s.device), size, static_cast<T**>(matrices.raw_data()), size,
                            swaps.data<std::int32_t>(), s.info_of(info_, 0), count),
                   name);
      };
      if constexpr (std::is_same_v<T, double>) factor(cublasDgetrfBatched, "cublasDgetrfBatched");
      else factor(cublasSgetrfBatched, "cublasSgetrfBatched");
    });
    return copy_values(swaps, pivots);
  }
  std::size_t device = 0, host = 0;
  check_solver(cusolverDnXgetrf_bufferSize(s.handles.solver, s.handles.params, m, n, type_of(a), a.raw_data(), m,
                                           type_of(a), &device, &host),
               "cusolverDnXgetrf_bufferSize");
  s.allocate(device, host);
  for (std::int64_t i = 0; i < s.count; ++i)
    check_solver(cusolverDnXgetrf(s.handles.solver, s.handles.params, m, n, type_of(a), part(a, i, s.count), m,
                                  part<std::int64_t>(pivots, i, s.count), type_of(a), s.on_device(), s.bytes(),
                                  s.on_host.data(), s.on_host.size(), s.info_of(info_, i)),
                 "cusolverDnXgetrf");
}

void Solver::solve(const Tensor& factors, const Tensor& pivots, bool transposed, const Tensor& b) {
  State& s = *state_;
  const std::int64_t n = height(factors);
  const cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  if (is_one_call(s.count, n)) {
    const Tensor from = addresses(factors, s.count), to = addresses(b, s.count), swaps = cast(pivots, DType::int32);
    const auto size = static_cast<int>(n), right = static_cast<int>(width(b)), count = static_cast<int>(s.count);
    return for_element(b, [&]<class T>(T*) {
      int wrong = 0;  // a number of an argument
      const auto run = [&](auto function, const char* name) {
        check_blas(function(cuda::blas_of(s.handles, s.device), operation, size, right,
                            static_cast<const T**>(from.raw_data()), size, swaps.data<std::int32_t>(),
                            static_cast<T**>(to.raw_data()), size, &wrong, count),
                   name);
      };
      if constexpr (std::is_same_v<T, double>) run(cublasDgetrsBatched, "cublasDgetrsBatched");
      else run(cublasSgetrsBatched, "cublasSgetrsBatched");
    });
  }
  const Tensor unused = zeros({s.count}, {.dtype = DType::int32, .device = s.device});  // says only what is null
  for (std::int64_t i = 0; i < s.count; ++i)
    check_solver(cusolverDnXgetrs(s.handles.solver, s.handles.params, operation, n, width(b), type_of(factors),
                                  part(factors, i, s.count), n, part<std::int64_t>(pivots, i, s.count), type_of(b),
                                  part(b, i, s.count), n, s.info_of(unused, i)),
                 "cusolverDnXgetrs");
}

void Solver::reflectors(const Tensor& a, const Tensor& tau) {
  State& s = *state_;
  const std::int64_t m = height(a), n = width(a);
  std::size_t device = 0, host = 0;
  check_solver(cusolverDnXgeqrf_bufferSize(s.handles.solver, s.handles.params, m, n, type_of(a), a.raw_data(), m,
                                           type_of(a), tau.raw_data(), type_of(a), &device, &host),
               "cusolverDnXgeqrf_bufferSize");
  s.allocate(device, host);
  for (std::int64_t i = 0; i < s.count; ++i)
    check_solver(cusolverDnXgeqrf(s.handles.solver, s.handles.params, m, n, type_of(a), part(a, i, s.count), m,
                                  type_of(a), part(tau, i, s.count), type_of(a), s.on_device(), s.bytes(),
                                  s.on_host.data(), s.on_host.size(), s.info_of(info_, i)),
                 "cusolverDnXgeqrf");
}

void Solver::orthonormal(const Tensor& a, const Tensor& tau, std::int64_t columns) {
  State& s = *state_;
  const auto m = static_cast<int>(height(a)), n = static_cast<int>(columns), k = static_cast<int>(tau.size(-1));
  for_element(a, [&]<class T>(T*) {
    constexpr bool is_double = std::is_same_v<T, double>;
    int elements = 0;
    const auto size = [&](auto function, const char* name) {
      check_solver(function(s.handles.solver, m, n, k, part<T>(a, 0, s.count), m, part<T>(tau, 0, s.count), &elements),
                   name);
    };
    if constexpr (is_double) size(cusolverDnDorgqr_bufferSize, "cusolverDnDorgqr_bufferSize");
    else size(cusolverDnSorgqr_bufferSize, "cusolverDnSorgqr_bufferSize");
    s.allocate(static_cast<std::size_t>(elements) * sizeof(T));
    const auto run = [&](auto function, const char* name) {
      for (std::int64_t i = 0; i < s.count; ++i)
        check_solver(function(s.handles.solver, m, n, k, part<T>(a, i, s.count), m, part<T>(tau, i, s.count),
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
  if (is_one_call(s.count, n)) {
    // The workspace grows with the batch, and more than 65,535 matrices are refused.
    constexpr std::int64_t most = 1024;
    const auto at = [&](const Tensor& x, std::int64_t i) { return part(x, i, s.count); };
    check_solver(
        cusolverDnXsyevBatched_bufferSize(s.handles.solver, s.handles.params, mode, triangle, n, type, a.raw_data(), n,
                                          type, values.raw_data(), type, &device, &host, std::min(s.count, most)),
        "cusolverDnXsyevBatched_bufferSize");
    s.allocate(device, host);
    for (std::int64_t i = 0; i < s.count; i += most)
      check_solver(cusolverDnXsyevBatched(s.handles.solver, s.handles.params, mode, triangle, n, type, at(a, i), n,
                                          type, at(values, i), type, s.on_device(), s.bytes(), s.on_host.data(),
                                          s.on_host.size(), s.info_of(info_, i), std::min(s.count - i, most)),
                   "cusolverDnXsyevBatched");
    return;
  }
  check_solver(cusolverDnXsyevd_bufferSize(s.handles.solver, s.handles.params, mode, triangle, n, type, a.raw_data(), n,
                                           type, values.raw_data(), type, &device, &host),
               "cusolverDnXsyevd_bufferSize");
  s.allocate(device, host);
  for (std::int64_t i = 0; i < s.count; ++i)
    check_solver(cusolverDnXsyevd(s.handles.solver, s.handles.params, mode, triangle, n, type, part(a, i, s.count), n,
                                  type, part(values, i, s.count), type, s.on_device(), s.bytes(), s.on_host.data(),
                                  s.on_host.size(), s.info_of(info_, i)),
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
  check_solver(
      cusolverDnXgesvd_bufferSize(s.handles.solver, s.handles.params, jobu, jobvt, m, n, type, a.raw_data(), m, type,
                                  values.raw_data(), type, at(u, 0), m, type, at(vt, 0), n, type, &device, &host),
      "cusolverDnXgesvd_bufferSize");
  s.allocate(device, host);
  for (std::int64_t i = 0; i < s.count; ++i)
    check_solver(cusolverDnXgesvd(s.handles.solver, s.handles.params, jobu, jobvt, m, n, type, part(a, i, s.count), m,
                                  type, part(values, i, s.count), type, at(u, i), m, type, at(vt, i), n, type,
                                  s.on_device(), s.bytes(), s.on_host.data(), s.on_host.size(), s.info_of(info_, i)),
                 "cusolverDnXgesvd");
}

void Solver::triangle(const Tensor& a, bool upper, bool transposed, bool unitriangular, const Tensor& b) {
  State& s = *state_;
  cublasHandle_t const blas = cuda::blas_of(s.handles, s.device);
  const cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasDiagType_t diagonal = unitriangular ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const auto m = static_cast<int>(height(b)), n = static_cast<int>(width(b)), count = static_cast<int>(s.count);
  const bool together = is_one_solve(s.count, n);
  for_element(a, [&]<class T>(T*) {
    const T one = 1;
    const auto single = [&](auto function, const char* name) {
      for (std::int64_t i = 0; i < s.count; ++i)
        check_blas(function(blas, CUBLAS_SIDE_RIGHT, fill, operation, diagonal, m, n, &one, part<T>(a, i, s.count), n,
                            part<T>(b, i, s.count), m),
                   name);
    };
    const auto batched = [&](auto function, const char* name) {
      const Tensor from = addresses(a, s.count), to = addresses(b, s.count);
      check_blas(function(blas, CUBLAS_SIDE_RIGHT, fill, operation, diagonal, m, n, &one,
                          static_cast<const T**>(from.raw_data()), n, static_cast<T**>(to.raw_data()), m, count),
                 name);
    };
    if constexpr (std::is_same_v<T, double>) {
      if (together) batched(cublasDtrsmBatched, "cublasDtrsmBatched");
      else single(cublasDtrsm, "cublasDtrsm");
    } else {
      if (together) batched(cublasStrsmBatched, "cublasStrsmBatched");
      else single(cublasStrsm, "cublasStrsm");
    }
  });
}

}  // namespace minima::detail

#else
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

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
