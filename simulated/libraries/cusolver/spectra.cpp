#include "simulated/libraries/cusolver/solver.h"

#include <cusolverDn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace simulated;

namespace {

Workspace syevd_needs(const Stored& a) { return needs(3 * a.n * a.n + 8, a.is_double, 2 * a.n); }
constexpr std::int64_t most_matrices = 65535;  ///< of a batch
Workspace batch_needs(const Stored& a, std::int64_t count) { return needs(2 * a.n * a.n * count + 8, a.is_double); }
Workspace gesvd_needs(const Stored& a) { return needs(4 * a.m + a.n * a.n, a.is_double, a.n); }

/// The place of gesvd's vectors, and whether gesvd takes them.
struct Vectors {
  signed char job = 'N';
  Stored to{};

  bool is_valid() const {
    if (job == 'N') return to.ld >= 1;
    return (job == 'A' || job == 'S') && to.is_valid();
  }
  std::vector<Access> access() const { return job == 'N' ? std::vector<Access>{} : std::vector<Access>{to.access()}; }
};

Vectors u_of(signed char job, std::int64_t m, std::int64_t n, const void* u, std::int64_t ld, bool is_double) {
  return {job, matrix(u, m, job == 'A' ? m : n, ld, is_double)};
}
Vectors vt_of(signed char job, std::int64_t n, const void* vt, std::int64_t ld, bool is_double) {
  return {job, matrix(vt, n, n, ld, is_double)};
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t own, cusolverEigMode_t,
                                             cublasFillMode_t, int64_t n, cudaDataType a_type, const void* a,
                                             int64_t lda, cudaDataType w_type, const void*, cudaDataType compute_type,
                                             size_t* device_bytes, size_t* host_bytes) {
  const Stored x = matrix(a, n, n, lda, a_type == CUDA_R_64F);
  return size_call("cusolverDnXsyevd_bufferSize", handle, own, is_real({a_type, w_type, compute_type}) && x.is_valid(),
                   syevd_needs(x), device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t own, cusolverEigMode_t jobz,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType a_type, void* a, int64_t lda,
                                  cudaDataType w_type, void* w, cudaDataType compute_type, void* on_device,
                                  size_t device_bytes, void* on_host, size_t host_bytes, int* info) {
  return params_call("cusolverDnXsyevd", handle, own, [&](const Call& call) {
    const Stored x = matrix(a, n, n, lda, a_type == CUDA_R_64F), values = vector_of(w, n, x.is_double);
    if (!is_real({a_type, w_type, compute_type}) || !x.is_valid() || !values.is_valid())
      return CUSOLVER_STATUS_INVALID_VALUE;
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR, upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const double flops = (vectors ? 9.0 : 4.0 / 3) * number(n) * number(n) * number(n);
    return submit(call, handle, {"cusolverDnXsyevd", flops, x.is_double, {x.access(), values.access()}, info},
                  syevd_needs(x), {on_device, device_bytes, on_host, host_bytes}, [=] {
                    Dense columns = x.load();
                    store_vector(values, eigenvalues(columns, upper));
                    if (vectors) x.store(columns);
                    else x.spoil();
                    return 0;
                  });
  });
}

/// Matrices follow one another, lda · n elements apart.
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t own, cusolverEigMode_t,
                                                   cublasFillMode_t, int64_t n, cudaDataType a_type, const void* a,
                                                   int64_t lda, cudaDataType w_type, const void*,
                                                   cudaDataType compute_type, size_t* device_bytes, size_t* host_bytes,
                                                   int64_t count) {
  const Stored x = matrix(a, n, n, lda, a_type == CUDA_R_64F);
  return size_call("cusolverDnXsyevBatched_bufferSize", handle, own,
                   is_real({a_type, w_type, compute_type}) && x.is_valid() && count >= 1 && count <= most_matrices,
                   batch_needs(x, count), device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t own, cusolverEigMode_t jobz,
                                        cublasFillMode_t uplo, int64_t n, cudaDataType a_type, void* a, int64_t lda,
                                        cudaDataType w_type, void* w, cudaDataType compute_type, void* on_device,
                                        size_t device_bytes, void* on_host, size_t host_bytes, int* info,
                                        int64_t count) {
  return params_call("cusolverDnXsyevBatched", handle, own, [&](const Call& call) {
    const bool is_double = a_type == CUDA_R_64F;
    const Stored all = matrix(a, n, n * count, lda, is_double), values = vector_of(w, n * count, is_double);
    if (!is_real({a_type, w_type, compute_type}) || count < 1 || count > most_matrices || !all.is_valid() ||
        !values.is_valid())
      return CUSOLVER_STATUS_INVALID_VALUE;
    const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR, upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const double flops = (vectors ? 9.0 : 4.0 / 3) * number(n) * number(n) * number(n) * number(count);
    const Access found{reinterpret_cast<const char*>(info), static_cast<std::size_t>(count) * sizeof(int)};
    return submit(
        call, handle, {"cusolverDnXsyevBatched", flops, is_double, {all.access(), values.access(), found}, info},
        batch_needs(matrix(a, n, n, lda, is_double), count), {on_device, device_bytes, on_host, host_bytes}, [=] {
          const auto element = static_cast<std::int64_t>(all.element());
          for (std::int64_t i = 0; i < count; ++i) {
            const Stored one = matrix(all.address + i * lda * n * element, n, n, lda, is_double);
            Dense columns = one.load();
            store_vector(vector_of(values.address + i * n * element, n, is_double), eigenvalues(columns, upper));
            if (vectors) one.store(columns);
            else one.spoil();
            info[i] = 0;
          }
          return 0;
        });
  });
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t own, signed char jobu,
                                             signed char jobvt, int64_t m, int64_t n, cudaDataType a_type,
                                             const void* a, int64_t lda, cudaDataType s_type, const void*,
                                             cudaDataType u_type, const void* u, int64_t ldu, cudaDataType vt_type,
                                             const void* vt, int64_t ldvt, cudaDataType compute_type,
                                             size_t* device_bytes, size_t* host_bytes) {
  const Stored x = matrix(a, m, n, lda, a_type == CUDA_R_64F);
  const bool is_valid = is_real({a_type, s_type, u_type, vt_type, compute_type}) && x.is_valid() && m >= n &&
                        u_of(jobu, m, n, u, ldu, x.is_double).is_valid() &&
                        vt_of(jobvt, n, vt, ldvt, x.is_double).is_valid();
  return size_call("cusolverDnXgesvd_bufferSize", handle, own, is_valid, gesvd_needs(x), device_bytes, host_bytes);
}

/// "gesvd only supports m >= n."
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t own, signed char jobu,
                                  signed char jobvt, int64_t m, int64_t n, cudaDataType a_type, void* a, int64_t lda,
                                  cudaDataType s_type, void* s, cudaDataType u_type, void* u, int64_t ldu,
                                  cudaDataType vt_type, void* vt, int64_t ldvt, cudaDataType compute_type,
                                  void* on_device, size_t device_bytes, void* on_host, size_t host_bytes, int* info) {
  return params_call("cusolverDnXgesvd", handle, own, [&](const Call& call) {
    const Stored x = matrix(a, m, n, lda, a_type == CUDA_R_64F), values = vector_of(s, n, x.is_double);
    const Vectors left = u_of(jobu, m, n, u, ldu, x.is_double), right = vt_of(jobvt, n, vt, ldvt, x.is_double);
    if (m < n || !is_real({a_type, s_type, u_type, vt_type, compute_type}) || !x.is_valid() || !values.is_valid() ||
        !left.is_valid() || !right.is_valid())
      return CUSOLVER_STATUS_INVALID_VALUE;
    std::vector<Access> accesses{x.access(), values.access()};
    for (const Vectors& vectors : {left, right})
      for (const Access& access : vectors.access()) accesses.push_back(access);
    const double flops = (jobu == 'N' && jobvt == 'N' ? 4 : 16) * number(n) * number(n) * (number(m) - number(n) / 3);
    return submit(call, handle, {"cusolverDnXgesvd", flops, x.is_double, accesses, info}, gesvd_needs(x),
                  {on_device, device_bytes, on_host, host_bytes}, [=] {
                    const SingularValues found = singular_values(x.load());
                    x.spoil();
                    store_vector(values, found.s);
                    if (left.job != 'N') left.to.store(found.u);
                    for (std::int64_t j = 0; j < n && right.job != 'N'; ++j)
                      for (std::int64_t i = 0; i < n; ++i) right.to.set(i, j, found.v(j, i));
                    return 0;
                  });
  });
}

}  // extern "C"
