#include "simulated/tests/libraries/products.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

// The rules of cuBLASLt: what it refuses, and how its work runs. Sections are those of the cuBLAS Library's
// documentation, "Using the cuBLASLt API", and of the comments in cublasLt.h.

namespace simulated::cublas_lt_rules_test {
namespace {

class CublasLtRules : public Simulated {};

/// Cut into parts, which need the workspace.
constexpr Asked in_parts{.m = 16, .n = 8, .k = 512};

bool has_parts(const cublasLtMatmulHeuristicResult_t& result) { return result.workspaceSize > 0; }

/// cublasLtMatmul(): the table of types. A product has one type of factors, and float64 its own scale.
TEST_F(CublasLtRules, RefuseOtherCombinationsOfTypes) {
  const auto found = [](cudaDataType type, cudaDataType result, cublasComputeType_t compute) {
    return Product({.type = type, .result = result, .compute = compute}).find();
  };
  EXPECT_EQ(found(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(found(CUDA_R_16F, CUDA_R_16BF, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(found(CUDA_R_32F, CUDA_R_16F, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(found(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(found(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_64F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(found(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F_FAST_TF32), CUBLAS_STATUS_NOT_SUPPORTED);
}

/// CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: "must be divisible by 8". That vectors start at 16 bytes, and that float64 has
/// no epilogue, are assumptions.
TEST_F(CublasLtRules, RefuseEpiloguesThatTheAddressesOrTypesDoNotAllow) {
  EXPECT_EQ(Product({.m = 8, .epilogue = CUBLASLT_EPILOGUE_GELU_AUX}).find(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(Product({.m = 9, .epilogue = CUBLASLT_EPILOGUE_GELU_AUX}).find(), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Product({.m = 9, .epilogue = CUBLASLT_EPILOGUE_GELU}).find(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(
      Product(
          {.type = CUDA_R_64F, .result = CUDA_R_64F, .compute = CUBLAS_COMPUTE_64F, .epilogue = CUBLASLT_EPILOGUE_BIAS})
          .find(),
      CUBLAS_STATUS_NOT_SUPPORTED);
  Product product({.epilogue = CUBLASLT_EPILOGUE_BIAS});
  const void* const odd = static_cast<const char*>(product.vector.data()) + 4;
  product.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, odd);
  EXPECT_EQ(product.find(), CUBLAS_STATUS_NOT_SUPPORTED);
}

/// cublasLtMatmulDescSetAttribute(): "sizeInBytes doesn't match size of internal storage".
TEST_F(CublasLtRules, RefuseAttributesOfAnotherSize) {
  Product product({});
  EXPECT_EQ(product.set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::int64_t{4}), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(product.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int32_t{8}), CUBLAS_STATUS_INVALID_VALUE);
}

/// CUBLASLT_MATRIX_LAYOUT_LD: "must be large enough so that matrix memory locations are not overlapping".
TEST_F(CublasLtRules, RefuseLeadingDimensionsThatOverlap) {
  Product product({});
  cublasLtMatrixLayoutInit_internal(product.of_c, sizeof *product.of_c, CUDA_R_32F, 8, 16, 7);
  EXPECT_EQ(product.find(), CUBLAS_STATUS_INVALID_VALUE);
}

/// CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: a smaller value excludes "algorithms that can not work with matrix A
/// that is not as strictly aligned". One that was found for aligned memory does not run elsewhere.
TEST_F(CublasLtRules, AlgorithmsWantTheAlignmentThatTheyWereFoundFor) {
  Product product({.most = 1});
  ASSERT_EQ(product.find(256), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product.run(nullptr, 4), CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_EQ(product.find(4), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product.run(nullptr, 4), CUBLAS_STATUS_SUCCESS);
}

/// cublasLtMatmul(): "workspaceSizeInBytes is less than workspace required by configured algo" is an invalid value, and
/// so is another problem's algorithm.
TEST_F(CublasLtRules, AlgorithmsBelongToAProblemAndNeedTheirWorkspace) {
  Product product(in_parts), other({.m = 24, .n = 8, .k = 512});
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
  ASSERT_TRUE(has_parts(product.found[0]));
  void* const workspace = std::exchange(product.workspace, nullptr);
  EXPECT_EQ(product.run(), CUBLAS_STATUS_INVALID_VALUE);
  product.workspace = static_cast<char*>(workspace) + 64;
  EXPECT_EQ(product.run(), CUBLAS_STATUS_INVALID_VALUE) << "\"must be 256B aligned\"";
  product.workspace = workspace;
  EXPECT_EQ(product.run(), CUBLAS_STATUS_SUCCESS);
  other.found = product.found;
  EXPECT_EQ(other.run(), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasLtRules, WithoutAWorkspaceNothingIsCutIntoParts) {
  Asked without = in_parts;
  without.workspace = 0;
  Product product(without);
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
  for (const auto& result : product.found) EXPECT_FALSE(has_parts(result));
}

TEST_F(CublasLtRules, ProductsRunLateAndInStreamOrder) {
  std::set<bool> pending_at_once;
  const auto seen = outcomes([&] {
    Product first({}, 1), second({}, 2);
    first.find(), second.find();
    const cudaStream_t stream = new_stream();
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(first.run(stream), CUBLAS_STATUS_SUCCESS);
    pending_at_once.insert(pending() > 0);
    return 0;
  });
  EXPECT_EQ(pending_at_once, (std::set{false, true}));
  EXPECT_EQ(seen, std::set{0});
}

/// Work that has not run holds on to its memory, vectors and workspace included.
TEST_F(CublasLtRules, MemoryOfAPendingProductIsNotFreed) {
  int reports = 0;
  outcomes([&] {
    CaughtReports caught;
    Product product(in_parts);
    product.find();
    void* pool = nullptr;
    const cudaStream_t stream = new_stream(), other = new_stream();
    EXPECT_CUDA(cudaMallocAsync(&pool, std::size_t{1} << 20, stream));
    product.workspace = pool;
    product.run(stream);
    EXPECT_CUDA(cudaFreeAsync(pool, other));
    cudaStreamSynchronize(other);
    if (pending() == 0) return 0;
    reports += caught.count() > 0;
    return 0;
  });
  EXPECT_GT(reports, 0);
}

/// A workspace serves one stream: between the parts of one product and their sum another product may run.
TEST_F(CublasLtRules, AWorkspaceOfTwoStreamsIsARace) {
  const auto races = [](bool shared, bool one_stream) {
    int reports = 0;
    outcomes([&] {
      Product first(in_parts, 1), second(in_parts, 2);
      first.find(), second.find();
      if (shared) second.workspace = first.workspace;
      const cudaStream_t stream = new_stream(), other = one_stream ? stream : new_stream();
      CaughtReports caught;
      first.run(stream), second.run(other);
      EXPECT_CUDA(cudaDeviceSynchronize());
      reports += static_cast<int>(caught.count());
      return 0;
    });
    return reports;
  };
  EXPECT_GT(races(true, false), 0);
  EXPECT_EQ(races(true, true), 0);
  EXPECT_EQ(races(false, false), 0);
}

TEST_F(CublasLtRules, ACapturedProductRunsWithEachLaunchOfItsGraph) {
  Product product({.beta = 1});
  const std::vector<double> before = product.d.values(), once = product.reference().d;
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
  const cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  EXPECT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(product.run(stream), CUBLAS_STATUS_SUCCESS);
  EXPECT_CUDA(cudaStreamEndCapture(stream, &graph));
  EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  EXPECT_EQ(product.d.values(), before);
  for (int launch = 0; launch < 2; ++launch) EXPECT_CUDA(cudaGraphLaunch(executable, stream));
  const std::vector<double> after = product.d.values();
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i], before[i] + 2 * (once[i] - before[i]));
}

/// cublasLtCreate(): "allocates light hardware resources on the host and device", which a capture prohibits.
TEST_F(CublasLtRules, AHandleIsNotMadeInACapture) {
  const cudaStream_t stream = new_stream();
  cublasLtHandle_t handle = nullptr;
  cudaGraph_t graph = nullptr;
  EXPECT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CublasLtRules, AHandleAndAStreamBelongToTheirDevice) {
  Product product({});
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
  EXPECT_CUDA(cudaSetDevice(1));
  const cudaStream_t second = new_stream();
  EXPECT_EQ(report_of([&] { product.run(second); }),
            "cublasLtMatmul: the handle belongs to cuda:0, the current device is cuda:1");
  EXPECT_CUDA(cudaSetDevice(0));
  EXPECT_EQ(product.run(second), CUBLAS_STATUS_EXECUTION_FAILED);
}

/// An illegal address is an error of the device, which later calls return; the library has its own status for it
/// and leaves the program's last error alone.
TEST_F(CublasLtRules, AnErrorOfTheDeviceIsTheLibrarysStatusOnly) {
  Product product({});
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
  const cudaStream_t stream = new_stream();
  fail_kernel(cudaErrorIllegalAddress);
  int* const memory = device_ints(1);
  launch(stream, store_kernel, memory, 1);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  cudaGetLastError();
  EXPECT_EQ(product.run(stream), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorIllegalAddress);
}

TEST_F(CublasLtRules, AMatrixThatTheDeviceCannotReachIsAnIllegalAddress) {
  Product product({});
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product.run(nullptr, 1 << 30), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(CublasLtRules, FailuresCanBePlannedForCallsAlgorithmsAndResults) {
  Product product({});
  fail_call("cublasLtMatmulAlgoGetHeuristic", 1, CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(product.find(), CUBLAS_STATUS_NOT_SUPPORTED);
  fail_call("cublasLtMatmulAlgoGetHeuristic.state", 2, CUBLAS_STATUS_NOT_SUPPORTED);
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
  ASSERT_GT(product.found.size(), 1u);
  EXPECT_EQ(product.found[0].state, CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product.found[1].state, CUBLAS_STATUS_NOT_SUPPORTED);
  std::int32_t id = 0;
  EXPECT_EQ(
      cublasLtMatmulAlgoConfigGetAttribute(&product.found[0].algo, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id, nullptr),
      CUBLAS_STATUS_SUCCESS);
  fail_call("cublasLtMatmul.algorithm" + std::to_string(id), 1, CUBLAS_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(product.run(), CUBLAS_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(product.run(), CUBLAS_STATUS_SUCCESS);
}

}  // namespace
}  // namespace simulated::cublas_lt_rules_test
