#pragma once

#include "simulated/tests/simulated.h"

#include <cublasLt.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

// A product put to the simulated cuBLASLt, and the same in float64.

namespace simulated {

inline std::size_t size_of(cudaDataType type) { return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2; }

/// Device memory that holds numbers as elements of a type.
class Elements {
 public:
  Elements(cudaDataType type, const std::vector<double>& values) : type_(type), count_(values.size()) {
    EXPECT_CUDA(cudaMalloc(&data_, count_ * size_of(type)));
    std::vector<char> bytes(count_ * size_of(type));
    for (std::size_t i = 0; i < count_; ++i) put(&bytes[i * size_of(type)], values[i]);
    EXPECT_CUDA(cudaMemcpy(data_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  }
  void* data() const { return data_; }
  cudaDataType type() const { return type_; }
  std::vector<double> values() const {
    std::vector<char> bytes(count_ * size_of(type_));
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaMemcpy(bytes.data(), data_, bytes.size(), cudaMemcpyDeviceToHost));
    std::vector<double> result(count_);
    for (std::size_t i = 0; i < count_; ++i) result[i] = get(&bytes[i * size_of(type_)]);
    return result;
  }

 private:
  /// Only of numbers that the type holds exactly.
  void put(char* to, double value) const {
    const auto single = static_cast<float>(value);
    const auto bits = std::bit_cast<std::uint32_t>(single);
    std::uint16_t half = static_cast<std::uint16_t>(bits >> 16);
    if (type_ == CUDA_R_16F && value != 0)
      half = static_cast<std::uint16_t>((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023));
    if (type_ == CUDA_R_64F) std::memcpy(to, &value, 8);
    else if (type_ == CUDA_R_32F) std::memcpy(to, &single, 4);
    else std::memcpy(to, &half, 2);
  }
  double get(const char* from) const {
    double wide = 0;
    float single = 0;
    std::uint16_t half = 0;
    if (type_ == CUDA_R_64F) return std::memcpy(&wide, from, 8), wide;
    if (type_ == CUDA_R_32F) return std::memcpy(&single, from, 4), single;
    std::memcpy(&half, from, 2);
    if (type_ == CUDA_R_16BF) return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const double size = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
    return half & 0x8000 ? -size : size;
  }

  cudaDataType type_;
  std::size_t count_;
  void* data_ = nullptr;
};

/// Small multiples of 1/4, which every type holds and whose products and sums float32 holds.
inline std::vector<double> numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> result(count);
  for (double& x : result) x = std::uniform_int_distribution<int>(-8, 8)(random) / 4.0;
  return result;
}

/// A test asks for this product. Defaults are the smallest product that has every algorithm.
struct Asked {
  std::int64_t m = 8, n = 16, k = 64;
  cudaDataType type = CUDA_R_32F, result = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  bool transpose_a = false, transpose_b = false;
  int batch = 1;
  double alpha = 1, beta = 0;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  std::int64_t more_ld = 0;  ///< on top of the least
  std::size_t workspace = std::size_t{1} << 20;
  int most = 16;      ///< algorithms to ask for
  int algorithm = 0;  ///< the one to run
  std::uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
};

/// Descriptors, memory and the algorithms for it.
class Product {
 public:
  explicit Product(const Asked& by, std::uint64_t seed = 1)
      : by_(by),
        lda_((by.transpose_a ? by.k : by.m) + by.more_ld),
        ldb_((by.transpose_b ? by.n : by.k) + by.more_ld),
        ldc_(by.m + by.more_ld),
        step_a_(lda_ * (by.transpose_a ? by.m : by.k)),
        step_b_(ldb_ * (by.transpose_b ? by.k : by.n)),
        step_c_(ldc_ * by.n),
        a(by.type, numbers(count(step_a_), seed)),
        b(by.type, numbers(count(step_b_), seed + 1)),
        d(by.result, numbers(count(step_c_), seed + 2)),
        vector(by.result, numbers(static_cast<std::size_t>(by.m + by.n), seed + 3)),
        aux(by.result, numbers(count(step_c_), seed + 4)),
        before_(d.values()) {
    EXPECT_EQ(cublasLtCreate(&handle_), CUBLAS_STATUS_SUCCESS);
    cublasLtMatmulDescCreate(&operation, by.compute, by.compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : CUDA_R_32F);
    set(CUBLASLT_MATMUL_DESC_TRANSA, by.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, by.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, by.epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector.data());
    if (by.epilogue & 128) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux.data());
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, ldc_);
    }
    layout(of_a, by.type, by.transpose_a ? by.k : by.m, by.transpose_a ? by.m : by.k, lda_, step_a_);
    layout(of_b, by.type, by.transpose_b ? by.n : by.k, by.transpose_b ? by.k : by.n, ldb_, step_b_);
    layout(of_c, by.result, by.m, by.n, ldc_, step_c_);
    EXPECT_CUDA(cudaMalloc(&workspace, std::size_t{1} << 20));
  }
  ~Product() {
    for (cublasLtMatrixLayout_t x : {of_a, of_b, of_c}) cublasLtMatrixLayoutDestroy(x);
    cublasLtMatmulDescDestroy(operation);
    cublasLtDestroy(handle_);
  }
  Product(const Product&) = delete;

  template <class A, class T> cublasStatus_t set(A attribute, const T& value) {
    return cublasLtMatmulDescSetAttribute(operation, attribute, static_cast<const void*>(&value), sizeof value);
  }

  /// Asks the heuristic.
  cublasStatus_t find(std::uint32_t alignment = 256) {
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulPreferenceCreate(&preference);
    const std::uint64_t bytes = by_.workspace;
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &alignment,
                                         sizeof alignment);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &by_.schemes,
                                         sizeof by_.schemes);
    found.resize(static_cast<std::size_t>(by_.most));
    int written = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handle_, operation, of_a, of_b, of_c, of_c, preference,
                                                                 by_.most, found.data(), &written);
    found.resize(static_cast<std::size_t>(written));
    cublasLtMatmulPreferenceDestroy(preference);
    return status;
  }

  /// Submits it to the stream, with the algorithm that was asked for.
  cublasStatus_t run(cudaStream_t stream = nullptr, std::size_t offset_of_a = 0) {
    const auto a_data = static_cast<char*>(a.data()) + offset_of_a;
    const float alpha = static_cast<float>(by_.alpha), beta = static_cast<float>(by_.beta);
    const bool wide = by_.compute == CUBLAS_COMPUTE_64F;
    return cublasLtMatmul(handle_, operation, wide ? static_cast<const void*>(&by_.alpha) : &alpha, a_data, of_a,
                          b.data(), of_b, wide ? static_cast<const void*>(&by_.beta) : &beta, d.data(), of_c, d.data(),
                          of_c, &found.at(static_cast<std::size_t>(by_.algorithm)).algo, workspace, by_.workspace,
                          stream);
  }

  struct Reference {
    std::vector<double> d, aux, vector;
  };
  /// The product by the definition, in float64.
  Reference reference() const {
    Reference result{before_, aux.values(), vector.values()};
    const auto va = a.values(), vb = b.values(), bias = vector.values(), kept = aux.values();
    const bool by_gelu = by_.epilogue & 64, sums_d = by_.epilogue == CUBLASLT_EPILOGUE_DGELU_BGRAD;
    if (sums_d) std::fill_n(result.vector.begin(), by_.m, 0.0);
    const bool sums_a = by_.epilogue == CUBLASLT_EPILOGUE_BGRADA, sums_b = by_.epilogue == CUBLASLT_EPILOGUE_BGRADB;
    if (sums_a || sums_b)
      for (std::int64_t line = 0; line < (sums_a ? by_.m : by_.n); ++line) {
        double sum = 0;
        for (std::int64_t k = 0; k < by_.k; ++k) sum += sums_a ? va[at_a(0, line, k)] : vb[at_b(0, k, line)];
        result.vector[static_cast<std::size_t>(line)] = sum;
      }
    for (int batch = 0; batch < by_.batch; ++batch)
      for (std::int64_t j = 0; j < by_.n; ++j)
        for (std::int64_t i = 0; i < by_.m; ++i) {
          double sum = 0;
          for (std::int64_t k = 0; k < by_.k; ++k) sum += va[at_a(batch, i, k)] * vb[at_b(batch, k, j)];
          const auto place = static_cast<std::size_t>(batch * step_c_ + j * ldc_ + i);
          double y = by_.alpha * sum + by_.beta * before_[place];
          if (by_.epilogue & 4) y += bias[static_cast<std::size_t>(i)];
          if (by_gelu) y *= gelu_slope(kept[place]);
          else if (by_.epilogue & 128) result.aux[place] = y;  // before it is rounded
          if (sums_d) result.vector[static_cast<std::size_t>(i)] += y;
          if (by_.epilogue & 2) y = y > 0 ? y : 0;
          if (by_.epilogue & 32) y = gelu(y);
          result.d[place] = y;
        }
    return result;
  }

 private:
  /// The slope of x · s, where s is the sigmoid of 2 √(2/π) (x + 0.044715 x³).
  static double gelu_slope(double x) {
    constexpr double twice = 2 * 0.7978845608028654;
    const double s = 1 / (1 + std::exp(-twice * (x + 0.044715 * x * x * x)));
    return s + x * s * (1 - s) * twice * (1 + 3 * 0.044715 * x * x);
  }
  static double gelu(double x) { return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
  std::size_t count(std::int64_t step) const { return static_cast<std::size_t>(step * by_.batch); }
  std::size_t at_a(int batch, std::int64_t i, std::int64_t k) const {
    return static_cast<std::size_t>(batch * step_a_ + (by_.transpose_a ? k + i * lda_ : i + k * lda_));
  }
  std::size_t at_b(int batch, std::int64_t k, std::int64_t j) const {
    return static_cast<std::size_t>(batch * step_b_ + (by_.transpose_b ? j + k * ldb_ : k + j * ldb_));
  }
  void layout(cublasLtMatrixLayout_t& to, cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t ld,
              std::int64_t step) {
    cublasLtMatrixLayoutCreate(&to, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), ld);
    const std::int32_t batch = by_.batch;
    cublasLtMatrixLayoutSetAttribute(to, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    cublasLtMatrixLayoutSetAttribute(to, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step);
  }

  Asked by_;
  std::int64_t lda_, ldb_, ldc_, step_a_, step_b_, step_c_;
  cublasLtHandle_t handle_ = nullptr;

 public:
  Elements a, b, d, vector, aux;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t of_a = nullptr, of_b = nullptr, of_c = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> found;
  void* workspace = nullptr;

 private:
  std::vector<double> before_;
};

}  // namespace simulated
