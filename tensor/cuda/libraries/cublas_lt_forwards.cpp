#include <minima/tensor/cuda/libraries/forward.h>

#include <minima/tensor/cuda/libraries/lazy_library.h>

#include <cublasLt.h>

using minima::cuda::cublas_lt_library;

MINIMA_FORWARD(cublas_lt_library, cublasLtCreate, 1)
MINIMA_FORWARD(cublas_lt_library, cublasLtDestroy, 1)
MINIMA_FORWARD(cublas_lt_library, cublasLtGetVersion, 0)
MINIMA_FORWARD(cublas_lt_library, cublasLtGetStatusName, 1)
MINIMA_FORWARD(cublas_lt_library, cublasLtGetStatusString, 1)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmul, 16)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatrixLayoutInit_internal, 6)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatrixLayoutCreate, 5)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatrixLayoutDestroy, 1)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatrixLayoutSetAttribute, 4)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulDescInit_internal, 4)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulDescCreate, 3)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulDescDestroy, 1)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulDescSetAttribute, 4)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulPreferenceInit_internal, 2)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulPreferenceCreate, 1)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulPreferenceDestroy, 1)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulPreferenceSetAttribute, 4)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulAlgoGetHeuristic, 10)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulAlgoCheck, 8)
MINIMA_FORWARD(cublas_lt_library, cublasLtMatmulAlgoConfigGetAttribute, 5)
