#include "simulated/tests/libraries/products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

// The simulated cuBLASLt's products agree with float64.

namespace simulated::cublas_lt_test {
namespace {

class CublasLt : public Simulated {};

double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, std::fabs(x[i] - y[i]) / (1 + std::fabs(y[i])));
  return largest;
}

/// The inputs' products and sums are exact in float32, so only the result's type rounds.
double rounding(cudaDataType type) {
  return type == CUDA_R_64F ? 1e-15 : type == CUDA_R_32F ? 1e-7 : type == CUDA_R_16F ? 5e-4 : 4e-3;
}

void expect_reference(const Asked& by, const std::string& what) {
  Product product(by);
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS) << what;
  const auto expected = product.reference();
  ASSERT_EQ(product.run(), CUBLAS_STATUS_SUCCESS) << what;
  const bool reads_aux = by.epilogue & 32 && by.epilogue & 128;  // gelu of what was rounded for the auxiliary
  const double bound =
      (reads_aux ? 2 : 1) * rounding(by.result) + (by.epilogue & (32 | 64) && by.result == CUDA_R_32F ? 1e-7 : 0);
  EXPECT_LE(distance(product.d.values(), expected.d), bound) << what;
  EXPECT_LE(distance(product.vector.values(), expected.vector), rounding(by.result)) << what;
  EXPECT_LE(distance(product.aux.values(), expected.aux), rounding(by.result)) << what;
}

struct Types {
  cudaDataType type, result;
  cublasComputeType_t compute;
};
constexpr Types all_types[] = {
    {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F}, {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
    {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F}, {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F},
    {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F}, {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
    {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F}};

TEST_F(CublasLt, MultipliesAllTypesTransposesAndShapes) {
  for (const auto [type, result, compute] : all_types)
    for (const bool transpose_a : {false, true})
      for (const bool transpose_b : {false, true})
        for (const std::int64_t odd : {0, 3})
          expect_reference({.m = 136 + odd,
                            .n = 72 + odd,
                            .k = 24 + odd,
                            .type = type,
                            .result = result,
                            .compute = compute,
                            .transpose_a = transpose_a,
                            .transpose_b = transpose_b,
                            .more_ld = odd * 2},
                           std::to_string(type) + " to " + std::to_string(result) + ", transposed " +
                               std::to_string(transpose_a) + std::to_string(transpose_b) + ", odd by " +
                               std::to_string(odd));
}

TEST_F(CublasLt, AddsToBatchesWithFactors) {
  for (const auto [type, result, compute] : all_types)
    expect_reference({.m = 8,
                      .n = 5,
                      .k = 16,
                      .type = type,
                      .result = result,
                      .compute = compute,
                      .batch = 3,
                      .alpha = 0.5,
                      .beta = 2},
                     std::to_string(type));
}

TEST_F(CublasLt, AllAlgorithmsAgree) {
  int algorithms = 1;
  for (int i = 0; i < algorithms; ++i) {
    Product product({.m = 16, .n = 8, .k = 512, .algorithm = i});
    ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
    algorithms = static_cast<int>(product.found.size());
    const auto expected = product.reference();
    ASSERT_EQ(product.run(), CUBLAS_STATUS_SUCCESS);
    EXPECT_LE(distance(product.d.values(), expected.d), 1e-7) << "algorithm " << i;
  }
  EXPECT_GE(algorithms, 5);
}

/// The error of all algorithms that cut a sum in parts, with and without CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE.
double error_of_parts(std::uint32_t schemes) {
  double largest = 0;
  int algorithms = 1;
  for (int i = 0; i < algorithms; ++i) {
    Product product(
        {.m = 16, .n = 8, .k = 512, .type = CUDA_R_16BF, .result = CUDA_R_16BF, .algorithm = i, .schemes = schemes});
    EXPECT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
    algorithms = static_cast<int>(product.found.size());
    const auto expected = product.reference();
    EXPECT_EQ(product.run(), CUBLAS_STATUS_SUCCESS);
    largest = std::max(largest, distance(product.d.values(), expected.d));
  }
  return largest;
}

TEST_F(CublasLt, RoundsPartsToTheResultsTypeWhereItMay) {
  EXPECT_LE(error_of_parts(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE), rounding(CUDA_R_16BF));
  EXPECT_GT(error_of_parts(CUBLASLT_REDUCTION_SCHEME_MASK), rounding(CUDA_R_16BF));
}

TEST_F(CublasLt, WithoutASchemeNoSumIsCut) {
  Product product({.m = 16, .n = 8, .k = 512, .schemes = 0});
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
  for (const auto& result : product.found) EXPECT_EQ(result.workspaceSize, 0u);
}

TEST_F(CublasLt, FinishesWithItsEpilogues) {
  for (const cublasLtEpilogue_t epilogue :
       {CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU,
        CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB})
    for (const auto [type, result, compute] : all_types) {
      if (type == CUDA_R_64F) continue;
      for (const bool transposed : {false, true})
        expect_reference({.m = 24,
                          .n = 40,
                          .k = 64,
                          .type = type,
                          .result = result,
                          .compute = compute,
                          .transpose_a = transposed,
                          .transpose_b = !transposed,
                          .epilogue = epilogue},
                         "epilogue " + std::to_string(epilogue) + " of " + std::to_string(type));
    }
}

TEST_F(CublasLt, Tf32RoundsFactors) {
  Product product({.m = 4, .n = 4, .k = 4, .compute = CUBLAS_COMPUTE_32F_FAST_TF32});
  std::vector<float> ones(16, 1.0f + 0x1p-12f);
  cudaMemcpy(product.a.data(), ones.data(), 64, cudaMemcpyHostToDevice);
  cudaMemcpy(product.b.data(), ones.data(), 64, cudaMemcpyHostToDevice);
  ASSERT_EQ(product.find(), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(product.run(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product.d.values()[0], 4);
}

}  // namespace
}  // namespace simulated::cublas_lt_test
