// minima relies on this part of cuBLASLt and NVRTC. It is compiled against simulated/include, and against the toolkit's
// headers where there is a toolkit, so that names, numbers and signatures are the same in both. NVML's header comes
// with drivers.

#include <cublasLt.h>
#include <nvrtc.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#define EXPECT_VALUE(name, value) static_assert(static_cast<int>(name) == (value), #name)
#define EXPECT_FUNCTION(name, ...) static_assert(std::is_same_v<decltype(name), __VA_ARGS__>, #name)

EXPECT_VALUE(CUDA_R_32F, 0);
EXPECT_VALUE(CUDA_R_64F, 1);
EXPECT_VALUE(CUDA_R_16F, 2);
EXPECT_VALUE(CUDA_R_16BF, 14);
EXPECT_VALUE(CUBLAS_STATUS_SUCCESS, 0);
EXPECT_VALUE(CUBLAS_STATUS_NOT_INITIALIZED, 1);
EXPECT_VALUE(CUBLAS_STATUS_ALLOC_FAILED, 3);
EXPECT_VALUE(CUBLAS_STATUS_INVALID_VALUE, 7);
EXPECT_VALUE(CUBLAS_STATUS_ARCH_MISMATCH, 8);
EXPECT_VALUE(CUBLAS_STATUS_EXECUTION_FAILED, 13);
EXPECT_VALUE(CUBLAS_STATUS_INTERNAL_ERROR, 14);
EXPECT_VALUE(CUBLAS_STATUS_NOT_SUPPORTED, 15);
EXPECT_VALUE(CUBLAS_OP_N, 0);
EXPECT_VALUE(CUBLAS_OP_T, 1);
EXPECT_VALUE(CUBLAS_COMPUTE_32F, 68);
EXPECT_VALUE(CUBLAS_COMPUTE_64F, 70);
EXPECT_VALUE(CUBLAS_COMPUTE_32F_FAST_TF32, 77);
EXPECT_VALUE(CUBLASLT_EPILOGUE_DEFAULT, 1);
EXPECT_VALUE(CUBLASLT_EPILOGUE_RELU, 2);
EXPECT_VALUE(CUBLASLT_EPILOGUE_BIAS, 4);
EXPECT_VALUE(CUBLASLT_EPILOGUE_RELU_BIAS, 6);
EXPECT_VALUE(CUBLASLT_EPILOGUE_GELU, 32);
EXPECT_VALUE(CUBLASLT_EPILOGUE_GELU_BIAS, 36);
EXPECT_VALUE(CUBLASLT_EPILOGUE_GELU_AUX, 160);
EXPECT_VALUE(CUBLASLT_EPILOGUE_GELU_AUX_BIAS, 164);
EXPECT_VALUE(CUBLASLT_EPILOGUE_DGELU, 192);
EXPECT_VALUE(CUBLASLT_EPILOGUE_DGELU_BGRAD, 208);
EXPECT_VALUE(CUBLASLT_EPILOGUE_BGRADA, 256);
EXPECT_VALUE(CUBLASLT_EPILOGUE_BGRADB, 512);
EXPECT_VALUE(CUBLASLT_ORDER_COL, 0);
EXPECT_VALUE(CUBLASLT_ORDER_ROW, 1);
EXPECT_VALUE(CUBLASLT_MATRIX_LAYOUT_ORDER, 1);
EXPECT_VALUE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 5);
EXPECT_VALUE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 6);
EXPECT_VALUE(CUBLASLT_MATMUL_DESC_TRANSA, 3);
EXPECT_VALUE(CUBLASLT_MATMUL_DESC_TRANSB, 4);
EXPECT_VALUE(CUBLASLT_MATMUL_DESC_EPILOGUE, 7);
EXPECT_VALUE(CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8);
EXPECT_VALUE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, 11);
EXPECT_VALUE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 12);
EXPECT_VALUE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, 22);
EXPECT_VALUE(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1);
EXPECT_VALUE(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 3);
EXPECT_VALUE(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, 2);
EXPECT_VALUE(CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE, 4);
EXPECT_VALUE(CUBLASLT_REDUCTION_SCHEME_MASK, 7);
EXPECT_VALUE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5);
EXPECT_VALUE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 6);
EXPECT_VALUE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 7);
EXPECT_VALUE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8);
EXPECT_VALUE(CUBLASLT_ALGO_CONFIG_ID, 0);
EXPECT_VALUE(NVRTC_SUCCESS, 0);

using Layout = cublasLtMatrixLayout_t;
using Desc = cublasLtMatmulDesc_t;
using Preference = cublasLtMatmulPreference_t;
using Result = cublasLtMatmulHeuristicResult_t;
EXPECT_FUNCTION(cublasLtCreate, cublasStatus_t(cublasLtHandle_t*));
EXPECT_FUNCTION(cublasLtDestroy, cublasStatus_t(cublasLtHandle_t));
EXPECT_FUNCTION(cublasLtGetVersion, size_t());
EXPECT_FUNCTION(cublasLtGetStatusName, const char*(cublasStatus_t));
EXPECT_FUNCTION(cublasLtGetStatusString, const char*(cublasStatus_t));
EXPECT_FUNCTION(cublasLtMatmul, cublasStatus_t(cublasLtHandle_t, Desc, const void*, const void*, Layout, const void*,
                                               Layout, const void*, const void*, Layout, void*, Layout,
                                               const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t));
EXPECT_FUNCTION(cublasLtMatrixLayoutInit_internal,
                cublasStatus_t(Layout, size_t, cudaDataType, uint64_t, uint64_t, int64_t));
EXPECT_FUNCTION(cublasLtMatrixLayoutCreate, cublasStatus_t(Layout*, cudaDataType, uint64_t, uint64_t, int64_t));
EXPECT_FUNCTION(cublasLtMatrixLayoutDestroy, cublasStatus_t(Layout));
EXPECT_FUNCTION(cublasLtMatrixLayoutSetAttribute,
                cublasStatus_t(Layout, cublasLtMatrixLayoutAttribute_t, const void*, size_t));
EXPECT_FUNCTION(cublasLtMatmulDescInit_internal, cublasStatus_t(Desc, size_t, cublasComputeType_t, cudaDataType_t));
EXPECT_FUNCTION(cublasLtMatmulDescCreate, cublasStatus_t(Desc*, cublasComputeType_t, cudaDataType_t));
EXPECT_FUNCTION(cublasLtMatmulDescDestroy, cublasStatus_t(Desc));
EXPECT_FUNCTION(cublasLtMatmulDescSetAttribute,
                cublasStatus_t(Desc, cublasLtMatmulDescAttributes_t, const void*, size_t));
EXPECT_FUNCTION(cublasLtMatmulPreferenceInit_internal, cublasStatus_t(Preference, size_t));
EXPECT_FUNCTION(cublasLtMatmulPreferenceCreate, cublasStatus_t(Preference*));
EXPECT_FUNCTION(cublasLtMatmulPreferenceDestroy, cublasStatus_t(Preference));
EXPECT_FUNCTION(cublasLtMatmulPreferenceSetAttribute,
                cublasStatus_t(Preference, cublasLtMatmulPreferenceAttributes_t, const void*, size_t));
EXPECT_FUNCTION(cublasLtMatmulAlgoGetHeuristic, cublasStatus_t(cublasLtHandle_t, Desc, Layout, Layout, Layout, Layout,
                                                               Preference, int, Result[], int*));
EXPECT_FUNCTION(cublasLtMatmulAlgoCheck, cublasStatus_t(cublasLtHandle_t, Desc, Layout, Layout, Layout, Layout,
                                                        const cublasLtMatmulAlgo_t*, Result*));
EXPECT_FUNCTION(cublasLtMatmulAlgoConfigGetAttribute,
                cublasStatus_t(const cublasLtMatmulAlgo_t*, cublasLtMatmulAlgoConfigAttributes_t, void*, size_t,
                               size_t*));
EXPECT_FUNCTION(nvrtcGetErrorString, const char*(nvrtcResult));
EXPECT_FUNCTION(nvrtcVersion, nvrtcResult(int*, int*));
EXPECT_FUNCTION(nvrtcCreateProgram,
                nvrtcResult(nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*));
EXPECT_FUNCTION(nvrtcDestroyProgram, nvrtcResult(nvrtcProgram*));
EXPECT_FUNCTION(nvrtcCompileProgram, nvrtcResult(nvrtcProgram, int, const char* const*));
EXPECT_FUNCTION(nvrtcGetCUBINSize, nvrtcResult(nvrtcProgram, size_t*));
EXPECT_FUNCTION(nvrtcGetCUBIN, nvrtcResult(nvrtcProgram, char*));
EXPECT_FUNCTION(nvrtcGetProgramLogSize, nvrtcResult(nvrtcProgram, size_t*));
EXPECT_FUNCTION(nvrtcGetProgramLog, nvrtcResult(nvrtcProgram, char*));

static_assert(sizeof(cublasLtMatmulAlgo_t) == 64 && sizeof(cublasLtMatrixLayoutOpaque_t) == 64);
static_assert(sizeof(cublasLtMatmulDescOpaque_t) == 256 && sizeof(cublasLtMatmulPreferenceOpaque_t) == 64);
static_assert(offsetof(Result, workspaceSize) == 64 && offsetof(Result, state) == 72 &&
              offsetof(Result, wavesCount) == 76 && sizeof(Result) == 96);
static_assert(std::is_same_v<cublasLtHandle_t, struct cublasLtContext*>);
