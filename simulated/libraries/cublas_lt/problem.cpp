#include "simulated/libraries/cublas_lt/problem.h"

#include "simulated/libraries/cublas_lt/descriptors.h"

#include <cublasLt.h>
#include <library_types.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace simulated {

namespace {

bool is_half(cudaDataType type) { return type == CUDA_R_16F || type == CUDA_R_16BF; }

/// cuBLAS Library, "cublasLtMatmul()": the table of compute, scale and matrix types.
bool has_types(const Problem& p) {
  const cudaDataType factors = p.a.type, result = p.d.type;
  if (p.b.type != factors || p.c.type != result) return false;
  switch (p.operation.compute) {
    case CUBLAS_COMPUTE_64F: return p.operation.scale == CUDA_R_64F && factors == CUDA_R_64F && result == CUDA_R_64F;
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return p.operation.scale == CUDA_R_32F && factors == CUDA_R_32F && result == CUDA_R_32F;
    case CUBLAS_COMPUTE_32F:
      return p.operation.scale == CUDA_R_32F && (factors == CUDA_R_32F || is_half(factors)) &&
             (result == CUDA_R_32F || result == factors);
  }
  return false;
}

/// "Must be large enough so that matrix memory locations are not overlapping" (CUBLASLT_MATRIX_LAYOUT_LD).
bool is_valid(const MatrixLayout& layout) {
  const std::uint64_t line = layout.order == CUBLASLT_ORDER_COL ? layout.rows : layout.columns;
  return layout.rows > 0 && layout.columns > 0 && layout.ld >= static_cast<std::int64_t>(line) && layout.batch > 0 &&
         layout.batch_stride >= 0;
}

bool is_aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

/// "Must be divisible by 8 and be no less than the number of rows" (CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD). "ReLU, GELU
/// and Bias epilogue modes are not supported when D matrix memory order is defined as CUBLASLT_ORDER_ROW" (footnote of
/// the table). That vectors must start at 16 bytes, that batches and float64 have no epilogue but the default one, and
/// that an epilogue with sums is alone with them, are assumptions: the documentation does not say.
bool has_epilogue(const Problem& p) {
  if (p.operation.epilogue == CUBLASLT_EPILOGUE_DEFAULT) return true;
  if (p.d.order != CUBLASLT_ORDER_COL || p.d.batch > 1 || p.d.type == CUDA_R_64F) return false;
  if (p.vector_length() > 0 && !is_aligned(p.operation.bias)) return false;
  return !p.has_aux() || (is_aligned(p.operation.aux) && p.operation.aux_ld % 8 == 0 && p.aux_type() == p.d.type);
}

}  // namespace

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F: return 8;
    case CUDA_R_32F: return 4;
    default: return 2;
  }
}

Strides strides_of(const MatrixLayout& layout) {
  return layout.order == CUBLASLT_ORDER_COL ? Strides{1, layout.ld} : Strides{layout.ld, 1};
}

std::size_t span_of(const MatrixLayout& layout) {
  const Strides strides = strides_of(layout);
  const std::int64_t last = (layout.batch - 1) * layout.batch_stride +
                            (static_cast<std::int64_t>(layout.rows) - 1) * strides.row +
                            (static_cast<std::int64_t>(layout.columns) - 1) * strides.column;
  return static_cast<std::size_t>(last + 1) * bytes_of(layout.type);
}

bool Problem::has_bias() const { return (operation.epilogue & 4) && !sums_a() && !sums_b(); }

std::int64_t Problem::vector_length() const {
  if (sums_b()) return n;
  return sums_a() || sums_d() || has_bias() ? m : 0;
}

cudaDataType Problem::aux_type() const {
  return operation.aux_type < 0 ? d.type : static_cast<cudaDataType>(operation.aux_type);
}

std::size_t Problem::aux_bytes() const {
  return static_cast<std::size_t>((n - 1) * operation.aux_ld + m) * bytes_of(aux_type());
}

double Problem::flops() const {
  return 2.0 * d.batch * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

double Problem::bytes() const {
  const auto of = [&](const MatrixLayout& x) {
    return static_cast<double>(x.rows) * static_cast<double>(x.columns) * x.batch *
           static_cast<double>(bytes_of(x.type));
  };
  return of(a) + of(b) + of(d) + (has_aux() ? static_cast<double>(aux_bytes()) : 0);
}

std::uint64_t Problem::signature() const {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  const auto add = [&](auto value) {
    hash ^= static_cast<std::uint64_t>(value);
    hash *= 0x100'0000'01b3;
  };
  for (const MatrixLayout* const x : {&a, &b, &c, &d})
    for (const auto value :
         {static_cast<std::int64_t>(x->type), static_cast<std::int64_t>(x->order), static_cast<std::int64_t>(x->rows),
          static_cast<std::int64_t>(x->columns), x->ld, static_cast<std::int64_t>(x->batch), x->batch_stride})
      add(value);
  add(operation.compute), add(operation.scale), add(operation.transpose_a), add(operation.transpose_b);
  add(operation.epilogue), add(operation.aux_ld), add(operation.aux_type);
  return hash;
}

cublasStatus_t describe(const cublasLtMatmulDescOpaque_t* operation, const cublasLtMatrixLayoutOpaque_t* a,
                        const cublasLtMatrixLayoutOpaque_t* b, const cublasLtMatrixLayoutOpaque_t* c,
                        const cublasLtMatrixLayoutOpaque_t* d, Problem& problem) {
  Problem& p = problem;
  if (!read(operation, p.operation) || !read(a, p.a) || !read(b, p.b) || !read(c, p.c) || !read(d, p.d))
    return CUBLAS_STATUS_INVALID_VALUE;
  for (const MatrixLayout* const x : {&p.a, &p.b, &p.c, &p.d})
    if (!is_valid(*x) || x->batch != p.d.batch) return CUBLAS_STATUS_INVALID_VALUE;
  const auto rows = [](const MatrixLayout& x, cublasOperation_t transpose) {
    return static_cast<std::int64_t>(transpose == CUBLAS_OP_N ? x.rows : x.columns);
  };
  const auto columns = [](const MatrixLayout& x, cublasOperation_t transpose) {
    return static_cast<std::int64_t>(transpose == CUBLAS_OP_N ? x.columns : x.rows);
  };
  p.m = rows(p.a, p.operation.transpose_a);
  p.k = columns(p.a, p.operation.transpose_a);
  p.n = columns(p.b, p.operation.transpose_b);
  if (rows(p.b, p.operation.transpose_b) != p.k || p.c.rows != p.d.rows || p.c.columns != p.d.columns ||
      rows(p.d, CUBLAS_OP_N) != p.m || columns(p.d, CUBLAS_OP_N) != p.n)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (p.has_aux() && p.operation.aux_ld < p.m) return CUBLAS_STATUS_INVALID_VALUE;
  return has_types(p) && has_epilogue(p) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace simulated
