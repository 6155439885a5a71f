#pragma once

#include <cublasLt.h>

#include <cstdint>

// cuBLASLt's opaque descriptors hold these.

namespace simulated {

/// A batch of matrices.
struct MatrixLayout {
  cudaDataType type = CUDA_R_32F;
  cublasLtOrder_t order = CUBLASLT_ORDER_COL;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t ld = 0;  ///< elements from one column to the next, or from row to row
  std::int32_t batch = 1;
  std::int64_t batch_stride = 0;  ///< elements
};

/// The computation with the matrices.
struct MatmulDesc {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
  cublasOperation_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;  ///< or where the sums of a bias gradient go
  void* aux = nullptr;
  std::int64_t aux_ld = 0;
  std::int32_t aux_type = -1;  ///< a cudaDataType; -1: D's
};

struct MatmulPreference {
  std::uint64_t workspace = 0;  ///< bytes
  std::uint32_t reduction_schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint32_t alignment_a = 256, alignment_b = 256, alignment_c = 256, alignment_d = 256;
};

/// False for null and for memory that was never initialised.
bool read(const cublasLtMatrixLayoutOpaque_t* layout, MatrixLayout& fields);
bool read(const cublasLtMatmulDescOpaque_t* operation, MatmulDesc& fields);
bool read(const cublasLtMatmulPreferenceOpaque_t* preference, MatmulPreference& fields);

}  // namespace simulated
