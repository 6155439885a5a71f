#include "simulated/tests/simulated.h"

#include <cufft.h>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

// The simulated cuFFT computes transforms and refuses wrong plans.

namespace simulated::cufft_test {
namespace {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;

class Cufft : public Simulated {};

template <class T> T* to_device(const std::vector<T>& values) {
  void* memory = nullptr;
  EXPECT_CUDA(cudaMalloc(&memory, values.size() * sizeof(T)));
  EXPECT_CUDA(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(memory);
}
template <class T> std::vector<T> to_host(const T* from, std::size_t count) {
  std::vector<T> values(count);
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_CUDA(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

Numbers some(std::size_t count) {
  Numbers values;
  for (std::size_t i = 0; i < count; ++i)
    values.emplace_back(std::sin(static_cast<double>(3 * i + 1)), std::cos(static_cast<double>(5 * i)));
  return values;
}

Numbers dft(const Numbers& x, int sign) {
  const auto n = static_cast<double>(x.size());
  Numbers y(x.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    for (std::size_t j = 0; j < x.size(); ++j)
      y[k] += x[j] * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k) / n);
  return y;
}

struct Sizes {
  long long n, stride, distance;
};

/// A plan without memory of its own: it gets what it asks for.
cufftResult make(cufftHandle& plan, Sizes in, Sizes out, long long n, cufftType type, long long batch) {
  std::size_t bytes = 0;
  EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftSetAutoAllocation(plan, 0), CUFFT_SUCCESS);
  const cufftResult result = cufftMakePlanMany64(plan, 1, &n, &in.n, in.stride, in.distance, &out.n, out.stride,
                                                 out.distance, type, batch, &bytes);
  void* workspace = nullptr;
  if (result == CUFFT_SUCCESS && bytes > 0) {
    EXPECT_CUDA(cudaMalloc(&workspace, bytes));
    EXPECT_EQ(cufftSetWorkArea(plan, workspace), CUFFT_SUCCESS);
  }
  return result;
}

TEST_F(Cufft, TransformsBatchesWithStrides) {
  for (const std::size_t n : {1, 2, 7, 8, 12, 30})
    for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      const std::size_t batch = 3;
      const Numbers x = some(n * batch);  // [n, batch] here, [batch, n] there
      auto* const from = reinterpret_cast<cufftDoubleComplex*>(to_device(x));
      auto* const to = reinterpret_cast<cufftDoubleComplex*>(to_device(x));
      cufftHandle plan = 0;
      const auto length = static_cast<long long>(n);
      ASSERT_EQ(make(plan, {length, 3, 1}, {length, 1, length}, length, CUFFT_Z2Z, 3), CUFFT_SUCCESS);
      ASSERT_EQ(cufftExecZ2Z(plan, from, to, direction), CUFFT_SUCCESS);
      const Numbers y = to_host(reinterpret_cast<const Number*>(to), n * batch);
      for (std::size_t b = 0; b < batch; ++b) {
        Numbers line;
        for (std::size_t i = 0; i < n; ++i) line.push_back(x[i * batch + b]);
        const Numbers expected = dft(line, direction);
        for (std::size_t k = 0; k < n; ++k) EXPECT_LT(std::abs(y[b * n + k] - expected[k]), 1e-12) << n << ' ' << k;
      }
      EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
    }
}

TEST_F(Cufft, RealTransformsHaveHalfSpectraAndTheInverseDestroysIts) {
  for (const long long n : {6, 9}) {
    const long long half = n / 2 + 1;
    std::vector<double> x;
    Numbers line;
    for (long long i = 0; i < n; ++i)
      x.push_back(std::sin(2.0 * static_cast<double>(i) + 1)), line.emplace_back(x.back());
    double* const from = to_device(x);
    auto* const spectrum = reinterpret_cast<cufftDoubleComplex*>(to_device(Numbers(static_cast<std::size_t>(half))));
    cufftHandle there = 0, back = 0;
    ASSERT_EQ(make(there, {n, 1, n}, {half, 1, half}, n, CUFFT_D2Z, 1), CUFFT_SUCCESS);
    ASSERT_EQ(make(back, {half, 1, half}, {n, 1, n}, n, CUFFT_Z2D, 1), CUFFT_SUCCESS);
    ASSERT_EQ(cufftExecD2Z(there, from, spectrum), CUFFT_SUCCESS);
    const Numbers expected = dft(line, -1);
    Numbers y = to_host(reinterpret_cast<const Number*>(spectrum), static_cast<std::size_t>(half));
    for (std::size_t k = 0; k < y.size(); ++k) EXPECT_LT(std::abs(y[k] - expected[k]), 1e-12) << k;
    y[0] = y[0].real();
    if (n % 2 == 0) y.back() = y.back().real();
    auto* const exact = reinterpret_cast<cufftDoubleComplex*>(to_device(y));
    ASSERT_EQ(cufftExecZ2D(back, exact, from), CUFFT_SUCCESS);
    const std::vector<double> again = to_host(from, static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i] / static_cast<double>(n), x[i], 1e-12);
    EXPECT_TRUE(std::isnan(to_host(reinterpret_cast<const Number*>(exact), 1)[0].real()));
  }
}

TEST_F(Cufft, ReportsASpectrumThatIsNoneOfRealNumbers) {
  cufftHandle plan = 0;
  ASSERT_EQ(make(plan, {3, 1, 3}, {4, 1, 4}, 4, CUFFT_Z2D, 1), CUFFT_SUCCESS);
  auto* const from = reinterpret_cast<cufftDoubleComplex*>(to_device(Numbers{{1, 1}, {2, 3}, {4, 0}}));
  double* const to = to_device(std::vector<double>(4));
  EXPECT_NE(report_of([&] {
              EXPECT_EQ(cufftExecZ2D(plan, from, to), CUFFT_SUCCESS);
              EXPECT_CUDA(cudaDeviceSynchronize());
            }).find("no half spectrum"),
            std::string::npos);
}

TEST_F(Cufft, RefusesBadPlansAndExecutions) {
  cufftHandle plan = 0;
  EXPECT_EQ(make(plan, {8, 0, 8}, {8, 1, 8}, 8, CUFFT_C2C, 1), CUFFT_INVALID_VALUE) << "no stride";
  EXPECT_EQ(make(plan, {8, 1, 0}, {8, 1, 8}, 8, CUFFT_C2C, 2), CUFFT_INVALID_VALUE) << "transforms on one another";
  EXPECT_EQ(make(plan, {8, 1, 8}, {8, 1, 8}, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(make(plan, {8, 1, 8}, {8, 1, 8}, 8, CUFFT_C2C, 0), CUFFT_INVALID_SIZE);
  EXPECT_EQ(make(plan, {8, 1, 8}, {8, 1, 8}, 8, static_cast<cufftType>(1), 1), CUFFT_INVALID_TYPE);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_INVALID_PLAN);
  ASSERT_EQ(make(plan, {8, 1, 8}, {8, 1, 8}, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
  auto* const data = to_device(std::vector<cufftComplex>(16));
  auto* const odd = reinterpret_cast<cufftComplex*>(reinterpret_cast<float*>(data) + 1);
  EXPECT_EQ(cufftExecC2C(plan, data, data, 0), CUFFT_INVALID_VALUE) << "no direction";
  EXPECT_EQ(cufftExecC2C(plan, odd, data, CUFFT_FORWARD), CUFFT_INVALID_VALUE) << "not aligned";
  EXPECT_EQ(cufftExecR2C(plan, reinterpret_cast<float*>(data), data), CUFFT_INVALID_PLAN) << "another type";
  EXPECT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN) << "not made";
}

TEST_F(Cufft, NeedsTheWorkspaceThatItAskedFor) {
  cufftHandle plan = 0;
  long long n = 7;
  std::size_t bytes = 0;
  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  ASSERT_EQ(cufftSetAutoAllocation(plan, 0), CUFFT_SUCCESS);
  ASSERT_EQ(cufftMakePlanMany64(plan, 1, &n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &bytes), CUFFT_SUCCESS);
  ASSERT_GT(bytes, 0u);
  auto* const data = to_device(std::vector<cufftComplex>(7));
  EXPECT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_NO_WORKSPACE);
}

TEST_F(Cufft, FailsWhereATestPlansIt) {
  cufftHandle plan = 0;
  fail_call("cufftMakePlanMany64", 1, CUFFT_ALLOC_FAILED);
  EXPECT_EQ(make(plan, {8, 1, 8}, {8, 1, 8}, 8, CUFFT_C2C, 1), CUFFT_ALLOC_FAILED);
  ASSERT_EQ(make(plan, {8, 1, 8}, {8, 1, 8}, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
  auto* const data = to_device(std::vector<cufftComplex>(8));
  fail_call("cufftExecC2C", 1, CUFFT_EXEC_FAILED);
  EXPECT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_EXEC_FAILED);
  EXPECT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
}

/// The transform of a stream sees what the stream wrote before.
TEST_F(Cufft, RunsInTheOrderOfItsStream) {
  const std::set<int> sums = outcomes([] {
    const cudaStream_t stream = new_stream();
    cufftHandle plan = 0;
    EXPECT_EQ(make(plan, {2, 1, 2}, {2, 1, 2}, 2, CUFFT_C2C, 1), CUFFT_SUCCESS);
    EXPECT_EQ(cufftSetStream(plan, stream), CUFFT_SUCCESS);
    auto* const data = to_device(std::vector<cufftComplex>{{1, 0}, {2, 0}});
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaMemsetAsync(data, 0, sizeof(cufftComplex), stream));
    EXPECT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
    return static_cast<int>(to_host(data, 1)[0].x);
  });
  EXPECT_EQ(sums, std::set<int>{2});
}

}  // namespace
}  // namespace simulated::cufft_test
