#include "simulated/libraries/cublas_lt/descriptors.h"

#include "simulated/machine/report.h"

#include <cublasLt.h>
#include <library_types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>

namespace simulated {

namespace {

constexpr std::uint64_t alive = 0x6c74'6465'7363'7269;  // in descriptors that were created or initialised

template <class Fields> struct Stored {
  std::uint64_t mark;
  Fields fields;
};

template <class Opaque, class Fields> void write(Opaque* opaque, const Fields& fields) {
  static_assert(sizeof(Stored<Fields>) <= sizeof(Opaque));
  const Stored<Fields> stored{alive, fields};
  std::memcpy(static_cast<void*>(opaque), &stored, sizeof stored);
}

template <class Opaque, class Fields> bool read_fields(const Opaque* opaque, Fields& fields) {
  if (!opaque) return false;
  Stored<Fields> stored{};
  std::memcpy(static_cast<void*>(&stored), opaque, sizeof stored);
  fields = stored.fields;
  return stored.mark == alive;
}

template <class Opaque, class Fields> cublasStatus_t create(Opaque** opaque, const Fields& fields) {
  *opaque = new (std::nothrow) Opaque{};
  if (!*opaque) return CUBLAS_STATUS_ALLOC_FAILED;
  write(*opaque, fields);
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque, class Fields> cublasStatus_t init(Opaque* opaque, std::size_t bytes, const Fields& fields) {
  if (bytes < sizeof *opaque) return CUBLAS_STATUS_ALLOC_FAILED;
  write(opaque, fields);
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque> cublasStatus_t destroy(Opaque* opaque) {
  delete opaque;
  return CUBLAS_STATUS_SUCCESS;
}

/// "CUBLAS_STATUS_INVALID_VALUE if buf is NULL or sizeInBytes doesn't match size of internal storage".
template <class T> cublasStatus_t take(T& field, const void* value, std::size_t bytes) {
  if (!value || bytes != sizeof field) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(static_cast<void*>(&field), value, sizeof field);
  return CUBLAS_STATUS_SUCCESS;
}

/// Changes the fields of a descriptor: set(fields) says with what status.
template <class Fields, class Opaque, class Set> cublasStatus_t change(Opaque* opaque, const Set& set) {
  Fields fields;
  if (!read_fields(opaque, fields)) return CUBLAS_STATUS_INVALID_VALUE;
  const cublasStatus_t status = set(fields);
  if (status == CUBLAS_STATUS_SUCCESS) write(opaque, fields);
  return status;
}

MatrixLayout layout_of(cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
  return {.type = type, .rows = rows, .columns = columns, .ld = ld};
}

}  // namespace

bool read(const cublasLtMatrixLayoutOpaque_t* layout, MatrixLayout& fields) { return read_fields(layout, fields); }
bool read(const cublasLtMatmulDescOpaque_t* operation, MatmulDesc& fields) { return read_fields(operation, fields); }
bool read(const cublasLtMatmulPreferenceOpaque_t* preference, MatmulPreference& fields) {
  return read_fields(preference, fields);
}

}  // namespace simulated

using namespace simulated;

extern "C" {

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t ld) {
  return init(layout, bytes, layout_of(type, rows, columns, ld));
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
  return create(layout, layout_of(type, rows, columns, ld));
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroy(layout); }

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t bytes) {
  return change<MatrixLayout>(layout, [&](MatrixLayout& fields) {
    switch (attribute) {
      case CUBLASLT_MATRIX_LAYOUT_ORDER: return take(fields.order, value, bytes);
      case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return take(fields.batch, value, bytes);
      case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return take(fields.batch_stride, value, bytes);
    }
    not_modelled("cublasLtMatrixLayoutSetAttribute of attribute " + std::to_string(attribute));
  });
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t operation, size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
  return init(operation, bytes, MatmulDesc{.compute = compute, .scale = scale});
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  return create(operation, MatmulDesc{.compute = compute, .scale = scale});
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) { return destroy(operation); }

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  return change<MatmulDesc>(operation, [&](MatmulDesc& fields) {
    switch (attribute) {
      case CUBLASLT_MATMUL_DESC_TRANSA: return take(fields.transpose_a, value, bytes);
      case CUBLASLT_MATMUL_DESC_TRANSB: return take(fields.transpose_b, value, bytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE: return take(fields.epilogue, value, bytes);
      case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return take(fields.bias, value, bytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return take(fields.aux, value, bytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return take(fields.aux_ld, value, bytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE: return take(fields.aux_type, value, bytes);
    }
    not_modelled("cublasLtMatmulDescSetAttribute of attribute " + std::to_string(attribute));
  });
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t bytes) {
  return init(preference, bytes, MatmulPreference{});
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(preference, MatmulPreference{});
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { return destroy(preference); }

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    size_t bytes) {
  return change<MatmulPreference>(preference, [&](MatmulPreference& fields) {
    switch (attribute) {
      case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES: return take(fields.workspace, value, bytes);
      case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK: return take(fields.reduction_schemes, value, bytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: return take(fields.alignment_a, value, bytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES: return take(fields.alignment_b, value, bytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES: return take(fields.alignment_c, value, bytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: return take(fields.alignment_d, value, bytes);
    }
    not_modelled("cublasLtMatmulPreferenceSetAttribute of attribute " + std::to_string(attribute));
  });
}

}  // extern "C"
