// minima relies on this part of cuSOLVER and cuBLAS. It is compiled against simulated/include, and against the
// toolkit's headers where they are.

#if __has_include(<cusolverDn.h>) && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <type_traits>

#define EXPECT_VALUE(name, value) static_assert(static_cast<int>(name) == (value), #name)
#define EXPECT_FUNCTION(name, ...) static_assert(std::is_same_v<decltype(name), __VA_ARGS__>, #name)

EXPECT_VALUE(CUSOLVER_STATUS_SUCCESS, 0);
EXPECT_VALUE(CUSOLVER_STATUS_NOT_INITIALIZED, 1);
EXPECT_VALUE(CUSOLVER_STATUS_ALLOC_FAILED, 2);
EXPECT_VALUE(CUSOLVER_STATUS_INVALID_VALUE, 3);
EXPECT_VALUE(CUSOLVER_STATUS_ARCH_MISMATCH, 4);
EXPECT_VALUE(CUSOLVER_STATUS_EXECUTION_FAILED, 6);
EXPECT_VALUE(CUSOLVER_STATUS_INTERNAL_ERROR, 7);
EXPECT_VALUE(CUSOLVER_STATUS_NOT_SUPPORTED, 9);
EXPECT_VALUE(CUSOLVER_STATUS_INVALID_WORKSPACE, 31);
EXPECT_VALUE(CUSOLVER_EIG_MODE_NOVECTOR, 0);
EXPECT_VALUE(CUSOLVER_EIG_MODE_VECTOR, 1);
EXPECT_VALUE(CUBLAS_FILL_MODE_LOWER, 0);
EXPECT_VALUE(CUBLAS_FILL_MODE_UPPER, 1);
EXPECT_VALUE(CUBLAS_DIAG_NON_UNIT, 0);
EXPECT_VALUE(CUBLAS_DIAG_UNIT, 1);
EXPECT_VALUE(CUBLAS_SIDE_LEFT, 0);
EXPECT_VALUE(CUBLAS_SIDE_RIGHT, 1);

using Handle = cusolverDnHandle_t;
using Params = cusolverDnParams_t;
using Type = cudaDataType;

EXPECT_FUNCTION(cusolverGetVersion, cusolverStatus_t(int*));
EXPECT_FUNCTION(cusolverDnCreate, cusolverStatus_t(Handle*));
EXPECT_FUNCTION(cusolverDnSetStream, cusolverStatus_t(Handle, cudaStream_t));
EXPECT_FUNCTION(cusolverDnCreateParams, cusolverStatus_t(Params*));
EXPECT_FUNCTION(cusolverDnXpotrf_bufferSize, cusolverStatus_t(Handle, Params, cublasFillMode_t, int64_t, Type,
                                                              const void*, int64_t, Type, size_t*, size_t*));
EXPECT_FUNCTION(cusolverDnXpotrf, cusolverStatus_t(Handle, Params, cublasFillMode_t, int64_t, Type, void*, int64_t,
                                                   Type, void*, size_t, void*, size_t, int*));
EXPECT_FUNCTION(cusolverDnSpotrfBatched, cusolverStatus_t(Handle, cublasFillMode_t, int, float*[], int, int*, int));
EXPECT_FUNCTION(cusolverDnDpotrfBatched, cusolverStatus_t(Handle, cublasFillMode_t, int, double*[], int, int*, int));
EXPECT_FUNCTION(cusolverDnXgetrf_bufferSize,
                cusolverStatus_t(Handle, Params, int64_t, int64_t, Type, const void*, int64_t, Type, size_t*, size_t*));
EXPECT_FUNCTION(cusolverDnXgetrf, cusolverStatus_t(Handle, Params, int64_t, int64_t, Type, void*, int64_t, int64_t*,
                                                   Type, void*, size_t, void*, size_t, int*));
EXPECT_FUNCTION(cusolverDnXgetrs, cusolverStatus_t(Handle, Params, cublasOperation_t, int64_t, int64_t, Type,
                                                   const void*, int64_t, const int64_t*, Type, void*, int64_t, int*));
EXPECT_FUNCTION(cusolverDnXgeqrf_bufferSize, cusolverStatus_t(Handle, Params, int64_t, int64_t, Type, const void*,
                                                              int64_t, Type, const void*, Type, size_t*, size_t*));
EXPECT_FUNCTION(cusolverDnXgeqrf, cusolverStatus_t(Handle, Params, int64_t, int64_t, Type, void*, int64_t, Type, void*,
                                                   Type, void*, size_t, void*, size_t, int*));
EXPECT_FUNCTION(cusolverDnSorgqr_bufferSize,
                cusolverStatus_t(Handle, int, int, int, const float*, int, const float*, int*));
EXPECT_FUNCTION(cusolverDnDorgqr_bufferSize,
                cusolverStatus_t(Handle, int, int, int, const double*, int, const double*, int*));
EXPECT_FUNCTION(cusolverDnSorgqr,
                cusolverStatus_t(Handle, int, int, int, float*, int, const float*, float*, int, int*));
EXPECT_FUNCTION(cusolverDnDorgqr,
                cusolverStatus_t(Handle, int, int, int, double*, int, const double*, double*, int, int*));
EXPECT_FUNCTION(cusolverDnXsyevd_bufferSize,
                cusolverStatus_t(Handle, Params, cusolverEigMode_t, cublasFillMode_t, int64_t, Type, const void*,
                                 int64_t, Type, const void*, Type, size_t*, size_t*));
EXPECT_FUNCTION(cusolverDnXsyevd,
                cusolverStatus_t(Handle, Params, cusolverEigMode_t, cublasFillMode_t, int64_t, Type, void*, int64_t,
                                 Type, void*, Type, void*, size_t, void*, size_t, int*));
EXPECT_FUNCTION(cusolverDnXgesvd_bufferSize,
                cusolverStatus_t(Handle, Params, signed char, signed char, int64_t, int64_t, Type, const void*, int64_t,
                                 Type, const void*, Type, const void*, int64_t, Type, const void*, int64_t, Type,
                                 size_t*, size_t*));
EXPECT_FUNCTION(cusolverDnXgesvd, cusolverStatus_t(Handle, Params, signed char, signed char, int64_t, int64_t, Type,
                                                   void*, int64_t, Type, void*, Type, void*, int64_t, Type, void*,
                                                   int64_t, Type, void*, size_t, void*, size_t, int*));
EXPECT_FUNCTION(cusolverDnXsyevBatched_bufferSize,
                cusolverStatus_t(Handle, Params, cusolverEigMode_t, cublasFillMode_t, int64_t, Type, const void*,
                                 int64_t, Type, const void*, Type, size_t*, size_t*, int64_t));
EXPECT_FUNCTION(cusolverDnXsyevBatched,
                cusolverStatus_t(Handle, Params, cusolverEigMode_t, cublasFillMode_t, int64_t, Type, void*, int64_t,
                                 Type, void*, Type, void*, size_t, void*, size_t, int*, int64_t));
EXPECT_FUNCTION(cublasSgetrfBatched, cublasStatus_t(cublasHandle_t, int, float* const[], int, int*, int*, int));
EXPECT_FUNCTION(cublasDgetrfBatched, cublasStatus_t(cublasHandle_t, int, double* const[], int, int*, int*, int));
EXPECT_FUNCTION(cublasSgetrsBatched, cublasStatus_t(cublasHandle_t, cublasOperation_t, int, int, const float* const[],
                                                    int, const int*, float* const[], int, int*, int));
EXPECT_FUNCTION(cublasDgetrsBatched, cublasStatus_t(cublasHandle_t, cublasOperation_t, int, int, const double* const[],
                                                    int, const int*, double* const[], int, int*, int));
EXPECT_FUNCTION(cublasCreate_v2, cublasStatus_t(cublasHandle_t*));
EXPECT_FUNCTION(cublasSetStream_v2, cublasStatus_t(cublasHandle_t, cudaStream_t));
EXPECT_FUNCTION(cublasStrsm_v2,
                cublasStatus_t(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                               int, int, const float*, const float*, int, float*, int));
EXPECT_FUNCTION(cublasDtrsm_v2,
                cublasStatus_t(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                               int, int, const double*, const double*, int, double*, int));
EXPECT_FUNCTION(cublasStrsmBatched,
                cublasStatus_t(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                               int, int, const float*, const float* const[], int, float* const[], int, int));
EXPECT_FUNCTION(cublasDtrsmBatched,
                cublasStatus_t(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                               int, int, const double*, const double* const[], int, double* const[], int, int));

static_assert(sizeof(int64_t) == sizeof(long long));
#endif
