#pragma once

#include <cublas_v2.h>
#include <driver_types.h>
#include <library_types.h>

#include <cstddef>
#include <cstdint>

// The functions of cuSOLVER that minima calls. Names and numbers are the toolkit's.

#define CUSOLVER_VERSION 12004

typedef enum {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9,
  CUSOLVER_STATUS_INVALID_WORKSPACE = 31
} cusolverStatus_t;
typedef enum { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 } cusolverEigMode_t;

typedef struct cusolverDnContext* cusolverDnHandle_t;
typedef struct cusolverDnParams* cusolverDnParams_t;

#ifdef __cplusplus
extern "C" {
#endif

cusolverStatus_t cusolverGetVersion(int* version);
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params);

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType a_type, const void* a,
                                             int64_t lda, cudaDataType compute_type, size_t* device_bytes,
                                             size_t* host_bytes);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                                  int64_t n, cudaDataType a_type, void* a, int64_t lda, cudaDataType compute_type,
                                  void* on_device, size_t device_bytes, void* on_host, size_t host_bytes, int* info);
cusolverStatus_t cusolverDnSpotrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, float* a[], int lda,
                                         int* info, int count);
cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, double* a[], int lda,
                                         int* info, int count);

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType a_type, const void* a, int64_t lda, cudaDataType compute_type,
                                             size_t* device_bytes, size_t* host_bytes);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType a_type, void* a, int64_t lda, int64_t* pivots, cudaDataType compute_type,
                                  void* on_device, size_t device_bytes, void* on_host, size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans,
                                  int64_t n, int64_t nrhs, cudaDataType a_type, const void* a, int64_t lda,
                                  const int64_t* pivots, cudaDataType b_type, void* b, int64_t ldb, int* info);

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType a_type, const void* a, int64_t lda, cudaDataType tau_type,
                                             const void* tau, cudaDataType compute_type, size_t* device_bytes,
                                             size_t* host_bytes);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType a_type, void* a, int64_t lda, cudaDataType tau_type, void* tau,
                                  cudaDataType compute_type, void* on_device, size_t device_bytes, void* on_host,
                                  size_t host_bytes, int* info);
cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const float* a, int lda,
                                             const float* tau, int* elements);
cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const double* a, int lda,
                                             const double* tau, int* elements);
cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t handle, int m, int n, int k, float* a, int lda, const float* tau,
                                  float* workspace, int elements, int* info);
cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t handle, int m, int n, int k, double* a, int lda, const double* tau,
                                  double* workspace, int elements, int* info);

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                             cudaDataType a_type, const void* a, int64_t lda, cudaDataType w_type,
                                             const void* w, cudaDataType compute_type, size_t* device_bytes,
                                             size_t* host_bytes);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType a_type, void* a, int64_t lda,
                                  cudaDataType w_type, void* w, cudaDataType compute_type, void* on_device,
                                  size_t device_bytes, void* on_host, size_t host_bytes, int* info);

cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                                   cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                                   cudaDataType a_type, const void* a, int64_t lda, cudaDataType w_type,
                                                   const void* w, cudaDataType compute_type, size_t* device_bytes,
                                                   size_t* host_bytes, int64_t count);
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                        cublasFillMode_t uplo, int64_t n, cudaDataType a_type, void* a, int64_t lda,
                                        cudaDataType w_type, void* w, cudaDataType compute_type, void* on_device,
                                        size_t device_bytes, void* on_host, size_t host_bytes, int* info,
                                        int64_t count);

cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                             signed char jobvt, int64_t m, int64_t n, cudaDataType a_type,
                                             const void* a, int64_t lda, cudaDataType s_type, const void* s,
                                             cudaDataType u_type, const void* u, int64_t ldu, cudaDataType vt_type,
                                             const void* vt, int64_t ldvt, cudaDataType compute_type,
                                             size_t* device_bytes, size_t* host_bytes);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                  signed char jobvt, int64_t m, int64_t n, cudaDataType a_type, void* a, int64_t lda,
                                  cudaDataType s_type, void* s, cudaDataType u_type, void* u, int64_t ldu,
                                  cudaDataType vt_type, void* vt, int64_t ldvt, cudaDataType compute_type,
                                  void* on_device, size_t device_bytes, void* on_host, size_t host_bytes, int* info);

#ifdef __cplusplus
}
#endif
