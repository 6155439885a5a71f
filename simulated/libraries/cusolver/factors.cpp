#include "simulated/libraries/cusolver/solver.h"

#include <cusolverDn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace simulated;

namespace {

int store_cholesky(const Stored& a, bool upper) {
  Dense factor = a.load();
  const int found = cholesky(factor, upper);
  a.store(factor);
  return found;
}

Workspace potrf_needs(const Stored& a) { return needs(a.n * 8, a.is_double); }
Workspace getrf_needs(const Stored& a) { return needs(a.m * std::max<std::int64_t>(a.n, 1), a.is_double); }
Workspace geqrf_needs(const Stored& a) { return needs(a.n * 32, a.is_double); }

cusolverStatus_t potrf_batched(const char* name, cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, void* a,
                               int lda, int* info, int count, bool is_double) {
  return handle_call(name, handle, [&](const Call& call) {
    char one = 0;
    if (!matrix(&one, n, n, lda, is_double).is_valid() || count < 0 || !a) return CUSOLVER_STATUS_INVALID_VALUE;
    if (!is_of_current_device(call, handle->handle, name)) return CUSOLVER_STATUS_EXECUTION_FAILED;
    const auto size = static_cast<std::size_t>(count);
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const auto run = [=, &memory = call.machine.memory, device = handle->handle.device] {
      for (int i = 0; i < count; ++i) {
        const Stored x = matrix(static_cast<void**>(a)[i], n, n, lda, is_double);
        if (!memory.is_accessible(device, x.address, x.bytes())) throw DeviceFault{cudaErrorIllegalAddress};
        info[i] = store_cholesky(x, upper);
        x.spoil(!upper);  // "the other part of A is used as a workspace"
      }
    };
    const double flops = number(n) * number(n) * number(n) / 3 * count;
    return solver_status(submit_dense(call, handle->handle, name,
                                      {{static_cast<const char*>(a), size * sizeof(void*)},
                                       {reinterpret_cast<const char*>(info), size * sizeof(int)}},
                                      flops, is_double, run));
  });
}

cusolverStatus_t orgqr_size(const char* name, cusolverDnHandle_t handle, int m, int n, int k, const void* a, int lda,
                            int* elements, bool is_double) {
  return solver_call(name, Reach::process, [&](const Call&) {
    if (!is_solver_handle(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n > m || k > n || k < 0 || !matrix(a, m, n, lda, is_double).is_valid()) return CUSOLVER_STATUS_INVALID_VALUE;
    *elements = 32 * n;
    return CUSOLVER_STATUS_SUCCESS;
  });
}

cusolverStatus_t orgqr(const char* name, cusolverDnHandle_t handle, int m, int n, int k, void* a, int lda,
                       const void* tau, void* workspace, int elements, int* info, bool is_double) {
  return handle_call(name, handle, [&](const Call& call) {
    const Stored to = matrix(a, m, n, lda, is_double), scales = vector_of(const_cast<void*>(tau), k, is_double);
    if (n > m || k > n || !to.is_valid() || !scales.is_valid()) return CUSOLVER_STATUS_INVALID_VALUE;
    const double flops =
        4 * number(k) * (number(m) * number(n) - number(k) * number(m + n) / 2 + number(k) * number(k) / 3);
    const std::size_t given = static_cast<std::size_t>(elements) * to.element();
    return submit(call, handle, {name, flops, is_double, {to.access(), scales.access()}, info},
                  needs(std::int64_t{32} * n, is_double), {.device = workspace, .device_bytes = given}, [to, scales] {
                    Dense q = to.load();
                    orthonormal(q, load_vector(scales));
                    to.store(q);
                    return 0;
                  });
  });
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t own, cublasFillMode_t,
                                             int64_t n, cudaDataType a_type, const void* a, int64_t lda,
                                             cudaDataType compute_type, size_t* device_bytes, size_t* host_bytes) {
  const Stored x = matrix(a, n, n, lda, a_type == CUDA_R_64F);
  return size_call("cusolverDnXpotrf_bufferSize", handle, own, is_real({a_type, compute_type}) && x.is_valid(),
                   potrf_needs(x), device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t own, cublasFillMode_t uplo, int64_t n,
                                  cudaDataType a_type, void* a, int64_t lda, cudaDataType compute_type, void* on_device,
                                  size_t device_bytes, void* on_host, size_t host_bytes, int* info) {
  return params_call("cusolverDnXpotrf", handle, own, [&](const Call& call) {
    const Stored x = matrix(a, n, n, lda, a_type == CUDA_R_64F);
    if (!is_real({a_type, compute_type}) || !x.is_valid()) return CUSOLVER_STATUS_INVALID_VALUE;
    return submit(call, handle,
                  {"cusolverDnXpotrf", number(n) * number(n) * number(n) / 3, x.is_double, {x.access()}, info},
                  potrf_needs(x), {on_device, device_bytes, on_host, host_bytes},
                  [x, upper = uplo == CUBLAS_FILL_MODE_UPPER] { return store_cholesky(x, upper); });
  });
}

cusolverStatus_t cusolverDnSpotrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, float* a[], int lda,
                                         int* info, int count) {
  return potrf_batched("cusolverDnSpotrfBatched", handle, uplo, n, a, lda, info, count, false);
}
cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, double* a[], int lda,
                                         int* info, int count) {
  return potrf_batched("cusolverDnDpotrfBatched", handle, uplo, n, a, lda, info, count, true);
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t own, int64_t m, int64_t n,
                                             cudaDataType a_type, const void* a, int64_t lda, cudaDataType compute_type,
                                             size_t* device_bytes, size_t* host_bytes) {
  const Stored x = matrix(a, m, n, lda, a_type == CUDA_R_64F);
  return size_call("cusolverDnXgetrf_bufferSize", handle, own, is_real({a_type, compute_type}) && x.is_valid(),
                   getrf_needs(x), device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t own, int64_t m, int64_t n,
                                  cudaDataType a_type, void* a, int64_t lda, int64_t* pivots, cudaDataType compute_type,
                                  void* on_device, size_t device_bytes, void* on_host, size_t host_bytes, int* info) {
  return params_call("cusolverDnXgetrf", handle, own, [&](const Call& call) {
    const Stored x = matrix(a, m, n, lda, a_type == CUDA_R_64F);
    if (!is_real({a_type, compute_type}) || !x.is_valid() || !pivots) return CUSOLVER_STATUS_INVALID_VALUE;
    const double k = number(std::min(m, n));
    const double flops = 2 * k * (number(m) * number(n) - k * number(m + n) / 2 + k * k / 3);
    const std::size_t bytes = static_cast<std::size_t>(std::min(m, n)) * sizeof(int64_t);
    return submit(
        call, handle,
        {"cusolverDnXgetrf", flops, x.is_double, {x.access(), {reinterpret_cast<const char*>(pivots), bytes}}, info},
        getrf_needs(x), {on_device, device_bytes, on_host, host_bytes}, [x, pivots] {
          Dense factors = x.load();
          std::vector<std::int64_t> swaps;
          const int found = lu(factors, swaps);
          x.store(factors);
          std::copy(swaps.begin(), swaps.end(), pivots);
          return found;
        });
  });
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t own, cublasOperation_t trans, int64_t n,
                                  int64_t nrhs, cudaDataType a_type, const void* a, int64_t lda, const int64_t* pivots,
                                  cudaDataType b_type, void* b, int64_t ldb, int* info) {
  return params_call("cusolverDnXgetrs", handle, own, [&](const Call& call) {
    const bool is_double = a_type == CUDA_R_64F;
    const Stored factors = matrix(a, n, n, lda, is_double), right = matrix(b, n, nrhs, ldb, is_double);
    if (!is_real({a_type, b_type}) || !factors.is_valid() || !right.is_valid() || !pivots)
      return CUSOLVER_STATUS_INVALID_VALUE;
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(int64_t);
    return submit(call, handle,
                  {"cusolverDnXgetrs",
                   2 * number(n) * number(n) * number(nrhs),
                   is_double,
                   {factors.access(), right.access(), {reinterpret_cast<const char*>(pivots), bytes}},
                   info},
                  {}, {}, [=] {
                    Dense x = right.load();
                    solve(factors.load(), {pivots, pivots + n}, trans != CUBLAS_OP_N, x);
                    right.store(x);
                    return 0;
                  });
  });
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t own, int64_t m, int64_t n,
                                             cudaDataType a_type, const void* a, int64_t lda, cudaDataType tau_type,
                                             const void*, cudaDataType compute_type, size_t* device_bytes,
                                             size_t* host_bytes) {
  const Stored x = matrix(a, m, n, lda, a_type == CUDA_R_64F);
  return size_call("cusolverDnXgeqrf_bufferSize", handle, own,
                   is_real({a_type, tau_type, compute_type}) && x.is_valid(), geqrf_needs(x), device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t own, int64_t m, int64_t n,
                                  cudaDataType a_type, void* a, int64_t lda, cudaDataType tau_type, void* tau,
                                  cudaDataType compute_type, void* on_device, size_t device_bytes, void* on_host,
                                  size_t host_bytes, int* info) {
  return params_call("cusolverDnXgeqrf", handle, own, [&](const Call& call) {
    const Stored x = matrix(a, m, n, lda, a_type == CUDA_R_64F), scales = vector_of(tau, std::min(m, n), x.is_double);
    if (!is_real({a_type, tau_type, compute_type}) || !x.is_valid() || !scales.is_valid())
      return CUSOLVER_STATUS_INVALID_VALUE;
    const double k = number(std::min(m, n));
    const double flops = 4 * k * (number(m) * number(n) - k * number(m + n) / 2 + k * k / 3);
    return submit(call, handle, {"cusolverDnXgeqrf", flops, x.is_double, {x.access(), scales.access()}, info},
                  geqrf_needs(x), {on_device, device_bytes, on_host, host_bytes}, [x, scales] {
                    Dense factors = x.load();
                    std::vector<double> found;
                    qr(factors, found);
                    x.store(factors);
                    store_vector(scales, found);
                    return 0;
                  });
  });
}

cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const float* a, int lda,
                                             const float*, int* elements) {
  return orgqr_size("cusolverDnSorgqr_bufferSize", handle, m, n, k, a, lda, elements, false);
}
cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const double* a, int lda,
                                             const double*, int* elements) {
  return orgqr_size("cusolverDnDorgqr_bufferSize", handle, m, n, k, a, lda, elements, true);
}
cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t handle, int m, int n, int k, float* a, int lda, const float* tau,
                                  float* workspace, int elements, int* info) {
  return orgqr("cusolverDnSorgqr", handle, m, n, k, a, lda, tau, workspace, elements, info, false);
}
cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t handle, int m, int n, int k, double* a, int lda, const double* tau,
                                  double* workspace, int elements, int* info) {
  return orgqr("cusolverDnDorgqr", handle, m, n, k, a, lda, tau, workspace, elements, info, true);
}

}  // extern "C"
