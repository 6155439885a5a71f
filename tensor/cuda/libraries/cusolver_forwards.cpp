#include <minima/tensor/cuda/libraries/forward.h>

#include <minima/tensor/cuda/libraries/lazy_library.h>

// Toolkits can be installed without cuSOLVER: minima is then built without it.
#if __has_include(<cusolverDn.h>) && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <cusolverDn.h>

using minima::cuda::cublas_library, minima::cuda::cusolver_library;

MINIMA_FORWARD(cusolver_library, cusolverDnCreate, 1)
MINIMA_FORWARD(cusolver_library, cusolverDnSetStream, 2)
MINIMA_FORWARD(cusolver_library, cusolverDnCreateParams, 1)
MINIMA_FORWARD(cusolver_library, cusolverDnXpotrf_bufferSize, 10)
MINIMA_FORWARD(cusolver_library, cusolverDnXpotrf, 13)
MINIMA_FORWARD(cusolver_library, cusolverDnSpotrfBatched, 7)
MINIMA_FORWARD(cusolver_library, cusolverDnDpotrfBatched, 7)
MINIMA_FORWARD(cusolver_library, cusolverDnXgetrf_bufferSize, 10)
MINIMA_FORWARD(cusolver_library, cusolverDnXgetrf, 14)
MINIMA_FORWARD(cusolver_library, cusolverDnXgetrs, 13)
MINIMA_FORWARD(cusolver_library, cusolverDnXgeqrf_bufferSize, 12)
MINIMA_FORWARD(cusolver_library, cusolverDnXgeqrf, 15)
MINIMA_FORWARD(cusolver_library, cusolverDnSorgqr_bufferSize, 8)
MINIMA_FORWARD(cusolver_library, cusolverDnDorgqr_bufferSize, 8)
MINIMA_FORWARD(cusolver_library, cusolverDnSorgqr, 10)
MINIMA_FORWARD(cusolver_library, cusolverDnDorgqr, 10)
MINIMA_FORWARD(cusolver_library, cusolverDnXsyevd_bufferSize, 13)
MINIMA_FORWARD(cusolver_library, cusolverDnXsyevd, 16)
MINIMA_FORWARD(cusolver_library, cusolverDnXsyevBatched_bufferSize, 14)
MINIMA_FORWARD(cusolver_library, cusolverDnXsyevBatched, 17)
MINIMA_FORWARD(cusolver_library, cusolverDnXgesvd_bufferSize, 20)
MINIMA_FORWARD(cusolver_library, cusolverDnXgesvd, 23)
MINIMA_FORWARD(cublas_library, cublasCreate_v2, 1)
MINIMA_FORWARD(cublas_library, cublasSetStream_v2, 2)
MINIMA_FORWARD(cublas_library, cublasSgetrfBatched, 7)
MINIMA_FORWARD(cublas_library, cublasDgetrfBatched, 7)
MINIMA_FORWARD(cublas_library, cublasSgetrsBatched, 11)
MINIMA_FORWARD(cublas_library, cublasDgetrsBatched, 11)
MINIMA_FORWARD(cublas_library, cublasStrsm_v2, 12)
MINIMA_FORWARD(cublas_library, cublasDtrsm_v2, 12)
MINIMA_FORWARD(cublas_library, cublasStrsmBatched, 13)
MINIMA_FORWARD(cublas_library, cublasDtrsmBatched, 13)
#endif
