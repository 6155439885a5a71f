#pragma once

#include "simulated/libraries/cublas_lt/descriptors.h"

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

namespace simulated {

/// One matrix, or a batch of them, in memory.
struct Strides {
  std::int64_t row, column;  ///< elements from one to the next
};
Strides strides_of(const MatrixLayout& layout);
std::size_t bytes_of(cudaDataType type);
/// The bytes from the first element of the first matrix to behind the last of the last.
std::size_t span_of(const MatrixLayout& layout);

/// D [m, n] = epilogue(alpha · op(A) [m, k] · op(B) [k, n] + beta · C), as the descriptors say, without addresses of
/// matrices.
struct Problem {
  std::int64_t m = 0, n = 0, k = 0;
  MatrixLayout a, b, c, d;
  MatmulDesc operation;

  bool has_bias() const;
  bool has_aux() const { return operation.epilogue & 128; }
  bool has_relu() const { return operation.epilogue & 2; }
  bool has_gelu() const { return operation.epilogue & 32; }
  bool has_gelu_gradient() const { return operation.epilogue & 64; }
  bool sums_a() const { return operation.epilogue == CUBLASLT_EPILOGUE_BGRADA; }
  bool sums_b() const { return operation.epilogue == CUBLASLT_EPILOGUE_BGRADB; }
  bool sums_d() const { return operation.epilogue == CUBLASLT_EPILOGUE_DGELU_BGRAD; }
  /// The number of values in the vector that the epilogue reads or writes, 0 for none.
  std::int64_t vector_length() const;
  cudaDataType aux_type() const;
  std::size_t aux_bytes() const;
  double flops() const;
  double bytes() const;  ///< of the matrices

  /// Differs for problems that need algorithms of their own.
  std::uint64_t signature() const;
};

/// Fills `problem`, or says why the library refuses: CUBLAS_STATUS_INVALID_VALUE for what contradicts itself,
/// CUBLAS_STATUS_NOT_SUPPORTED for types, epilogues and alignments that it does not have.
cublasStatus_t describe(const cublasLtMatmulDescOpaque_t* operation, const cublasLtMatrixLayoutOpaque_t* a,
                        const cublasLtMatrixLayoutOpaque_t* b, const cublasLtMatrixLayoutOpaque_t* c,
                        const cublasLtMatrixLayoutOpaque_t* d, Problem& problem);

}  // namespace simulated
