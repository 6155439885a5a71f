#include "simulated/tests/simulated.h"

#include <cusolverDn.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

// The simulated cuSOLVER and cuBLAS compute, leave undefined and refuse what NVIDIA's do. All matrices are
// column-major.

namespace simulated::cusolver_test {
namespace {

class Cusolver : public Simulated {
 protected:
  void SetUp() override {
    Simulated::SetUp();
    EXPECT_EQ(cusolverDnCreate(&handle), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(cusolverDnCreateParams(&params), CUSOLVER_STATUS_SUCCESS);
    info = static_cast<int*>(memory(16 * sizeof(int)));
  }

  static void* memory(std::size_t bytes) {
    void* address = nullptr;
    EXPECT_CUDA(cudaMalloc(&address, bytes));
    return address;
  }
  static double* to_device(const std::vector<double>& values) {
    void* const address = memory(values.size() * sizeof(double));
    EXPECT_CUDA(cudaMemcpy(address, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice));
    return static_cast<double*>(address);
  }
  template <class T> static std::vector<T> to_host(const T* from, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  cusolverStatus_t getrf(double* a, std::int64_t m, std::int64_t n, std::int64_t ld, std::int64_t* pivots,
                         std::size_t bytes = 4096) {
    return cusolverDnXgetrf(handle, params, m, n, CUDA_R_64F, a, ld, pivots, CUDA_R_64F, memory(bytes), bytes, nullptr,
                            0, info);
  }
  cusolverStatus_t gesvd(signed char job, double* a, std::int64_t m, std::int64_t n, double* s, double* u, double* vt,
                         std::size_t host_bytes = 4096) {
    host.resize(4096);
    return cusolverDnXgesvd(handle, params, job, job, m, n, CUDA_R_64F, a, m, CUDA_R_64F, s, CUDA_R_64F, u, m,
                            CUDA_R_64F, vt, n, CUDA_R_64F, memory(4096), 4096, host.data(), host_bytes, info);
  }

  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  int* info = nullptr;
  std::vector<char> host;
};

TEST_F(Cusolver, FactorsInColumnMajorOrderWithLeadingDimensions) {
  // [[1, 4], [2, 6]] with a third row that is not part of it.
  double* const a = to_device({1, 2, 99, 4, 6, 98});
  auto* const pivots = static_cast<std::int64_t*>(memory(2 * sizeof(std::int64_t)));
  ASSERT_EQ(getrf(a, 2, 2, 3, pivots), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(to_host(a, 6), (std::vector<double>{2, 0.5, 99, 6, 1, 98}));
  EXPECT_EQ(to_host(pivots, 2), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(to_host(info, 1)[0], 0);
  for (const bool transposed : {false, true}) {
    double* const b = to_device({5, 8});
    ASSERT_EQ(cusolverDnXgetrs(handle, params, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, 2, 1, CUDA_R_64F, a, 3, pivots,
                               CUDA_R_64F, b, 2, info),
              CUSOLVER_STATUS_SUCCESS);
    const std::vector<double> x = to_host(b, 2);
    const std::vector<double> expected = transposed ? std::vector<double>{-7, 6} : std::vector<double>{1, 1};
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected[static_cast<std::size_t>(i)], 1e-14);
  }
}

TEST_F(Cusolver, SaysWhichPivotIsZeroAndWhichMinorIsNotPositive) {
  auto* const pivots = static_cast<std::int64_t*>(memory(2 * sizeof(std::int64_t)));
  ASSERT_EQ(getrf(to_device({1, 2, 2, 4}), 2, 2, 2, pivots), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(to_host(info, 1)[0], 2);
  void* const workspace = memory(4096);
  ASSERT_EQ(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_LOWER, 2, CUDA_R_64F, to_device({1, 2, 0, 3}), 2,
                             CUDA_R_64F, workspace, 4096, nullptr, 0, info),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(to_host(info, 1)[0], 2);
}

TEST_F(Cusolver, ReadsOneTriangleAndLeavesTheOther) {
  double* const a = to_device({4, 2, 77, 5});
  ASSERT_EQ(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_LOWER, 2, CUDA_R_64F, a, 2, CUDA_R_64F, memory(4096),
                             4096, nullptr, 0, info),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(to_host(a, 4), (std::vector<double>{2, 1, 77, 2}));
  // A batch takes it as a workspace.
  double* const b = to_device({4, 2, 77, 5});
  auto* const batch = static_cast<double**>(memory(sizeof(double*)));
  EXPECT_CUDA(cudaMemcpy(batch, &b, sizeof b, cudaMemcpyHostToDevice));
  ASSERT_EQ(cusolverDnDpotrfBatched(handle, CUBLAS_FILL_MODE_LOWER, 2, batch, 2, info, 1), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(to_host(b, 2), (std::vector<double>{2, 1}));
  EXPECT_TRUE(std::isnan(to_host(b, 4)[2]));
}

TEST_F(Cusolver, ComputesSingularValuesAndDestroysTheMatrix) {
  double* const a = to_device({3, 0, 0, 0, -4, 0});
  double *const s = to_device({0, 0}), *const u = to_device(std::vector<double>(9)),
                *const vt = to_device({0, 0, 0, 0});
  ASSERT_EQ(gesvd('A', a, 3, 2, s, u, vt), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(to_host(s, 2), (std::vector<double>{4, 3}));
  EXPECT_EQ(std::abs(to_host(u, 9)[8]), 1) << "the column that is left";
  EXPECT_TRUE(std::isnan(to_host(a, 1)[0]));
}

TEST_F(Cusolver, SolvesWithTriangles) {
  cublasHandle_t blas = nullptr;
  ASSERT_EQ(cublasCreate(&blas), CUBLAS_STATUS_SUCCESS);
  // The upper triangle [[2, 1], [_, 4]].
  const double* const a = to_device({2, 99, 1, 4});
  const double two = 2;
  double* const b = to_device({3, 4});
  ASSERT_EQ(cublasDtrsm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2, 1, &two,
                        a, 2, b, 2),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(to_host(b, 2), (std::vector<double>{2, 2}));
  double* const c = to_device({2, 9});
  ASSERT_EQ(cublasDtrsm(blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 1, 2, &two,
                        a, 2, c, 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(to_host(c, 2), (std::vector<double>{2, 4}));
  EXPECT_EQ(cublasDtrsm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2, 1, &two,
                        a, 1, b, 2),
            CUBLAS_STATUS_INVALID_VALUE)
      << "leading dimension";
}

TEST_F(Cusolver, RefusesWhatTheRealOneRefuses) {
  double* const a = to_device(std::vector<double>(12, 1));
  auto* const pivots = static_cast<std::int64_t*>(memory(3 * sizeof(std::int64_t)));
  EXPECT_EQ(getrf(a, 3, 3, 2, pivots), CUSOLVER_STATUS_INVALID_VALUE) << "leading dimension";
  EXPECT_EQ(getrf(a, 3, 3, 3, nullptr), CUSOLVER_STATUS_INVALID_VALUE) << "no pivots";
  EXPECT_EQ(getrf(a, 3, 3, 3, pivots, 71), CUSOLVER_STATUS_INVALID_VALUE) << "workspace";
  EXPECT_EQ(getrf(a, 3, 3, 3, pivots, 72), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(cusolverDnXgetrf(handle, nullptr, 3, 3, CUDA_R_64F, a, 3, pivots, CUDA_R_64F, nullptr, 0, nullptr, 0, info),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnXgetrf(nullptr, params, 3, 3, CUDA_R_64F, a, 3, pivots, CUDA_R_64F, nullptr, 0, nullptr, 0, info),
            CUSOLVER_STATUS_NOT_INITIALIZED);
  double *const s = to_device({0, 0, 0}), *const u = to_device(std::vector<double>(16));
  EXPECT_EQ(gesvd('S', a, 3, 4, s, u, u), CUSOLVER_STATUS_INVALID_VALUE) << "wide";
  EXPECT_EQ(gesvd('X', a, 4, 3, s, u, u), CUSOLVER_STATUS_INVALID_VALUE) << "no such job";
  EXPECT_EQ(gesvd('S', a, 4, 3, s, u, u, 8), CUSOLVER_STATUS_INVALID_VALUE) << "the host's workspace";
  std::size_t bytes = 0, host_bytes = 0;
  for (const std::int64_t count : {65535, 65536})
    EXPECT_EQ(
        cusolverDnXsyevBatched_bufferSize(handle, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 2,
                                          CUDA_R_64F, a, 2, CUDA_R_64F, s, CUDA_R_64F, &bytes, &host_bytes, count),
        count == 65535 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE);
  int elements = 0;
  EXPECT_EQ(cusolverDnDorgqr_bufferSize(handle, 3, 4, 3, a, 3, s, &elements), CUSOLVER_STATUS_INVALID_VALUE)
      << "more columns than rows";
  ASSERT_EQ(cusolverDnDorgqr_bufferSize(handle, 4, 3, 3, a, 4, s, &elements), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(cusolverDnDorgqr(handle, 4, 3, 3, a, 4, s, u, elements - 1, info), CUSOLVER_STATUS_INVALID_VALUE);
}

TEST_F(Cusolver, AHostsAddressIsAnIllegalOne) {
  std::vector<double> on_host(4, 1);
  auto* const pivots = static_cast<std::int64_t*>(memory(2 * sizeof(std::int64_t)));
  EXPECT_EQ(getrf(on_host.data(), 2, 2, 2, pivots), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(Cusolver, FailsWhereATestPlansIt) {
  double* const a = to_device({1, 2, 3, 4});
  auto* const pivots = static_cast<std::int64_t*>(memory(2 * sizeof(std::int64_t)));
  fail_call("cusolverDnXgetrf", 1, CUSOLVER_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(getrf(a, 2, 2, 2, pivots), CUSOLVER_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(getrf(a, 2, 2, 2, pivots), CUSOLVER_STATUS_SUCCESS);
}

/// A matrix holds what its stream wrote before.
TEST_F(Cusolver, RunsInTheOrderOfItsStream) {
  const std::set<int> found = outcomes([this] {
    cusolverDnHandle_t own = nullptr;
    const cudaStream_t stream = new_stream();
    EXPECT_EQ(cusolverDnCreate(&own), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(cusolverDnCreateParams(&params), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(cusolverDnSetStream(own, stream), CUSOLVER_STATUS_SUCCESS);
    double* const a = to_device({1, 2, 3, 4});
    auto* const to = static_cast<int*>(memory(sizeof(int)));
    void *const workspace = memory(4096), *const pivots = memory(64);
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaMemsetAsync(a, 0, 4 * sizeof(double), stream));
    EXPECT_EQ(cusolverDnXgetrf(own, params, 2, 2, CUDA_R_64F, a, 2, static_cast<std::int64_t*>(pivots), CUDA_R_64F,
                               workspace, 4096, nullptr, 0, to),
              CUSOLVER_STATUS_SUCCESS);
    return to_host(to, 1)[0];
  });
  EXPECT_EQ(found, std::set<int>{1});
}

}  // namespace
}  // namespace simulated::cusolver_test
