#include "simulated/tests/library/products.h"

#include "simulated/machine/report.h"

#include <minima/tensor/cuda/handles.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/train/captured_step/graph_driver.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// minima's products on cuBLASLt: how algorithms are chosen, failures, workspaces.

namespace minima::products_test {
namespace {

class SimulatedLibraryProducts : public LibraryOnSimulatedGpus {
 protected:
  void TearDown() override {
    autotune(false);
    deterministic(false);
  }
};

/// A product of a width that no other test has, so that it has no plan yet.
struct Factors {
  Tensor a, b;
};
Factors factors(std::int64_t k = 512) {
  static std::int64_t width = 0;
  width += 8;
  return {randn({16, k}), randn({k, width})};
}

Tensor on_gpu(const Factors& x) { return matmul(x.a.to(first_gpu), x.b.to(first_gpu)); }

/// The number of cuBLASLt's products in body().
std::int64_t products_in(const std::function<void()>& body) {
  const std::int64_t before = simulated::calls("cublasLtMatmul");
  body();
  return simulated::calls("cublasLtMatmul") - before;
}

std::string name_of(int algorithm) { return "cublasLtMatmul.algorithm" + std::to_string(algorithm); }

/// The algorithm of the one product in body().
int algorithm_of(const std::function<void()>& body) {
  const std::vector<int> all{66, 67, 68, 69, 70, 20, 21};
  std::vector<std::int64_t> before;
  for (const int algorithm : all) before.push_back(simulated::calls(name_of(algorithm)));
  EXPECT_EQ(products_in(body), 1);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (simulated::calls(name_of(all[i])) > before[i]) return all[i];
  return 0;
}

TEST_F(SimulatedLibraryProducts, AutotuneKeepsTheFastestAndTimesOnce) {
  EXPECT_EQ(algorithm_of([] { on_gpu(factors()); }), 69) << "the heuristic's choice";
  for (const char* plan : {"tile 64, 4", "tile 128, 1", "tile 128, 2", "tile 128, 4", "tile 128, 8"})
    simulated::set_seconds(std::string(plan) + " parts", 1e-3);
  autotune(true);
  const Factors x = factors();
  EXPECT_GT(products_in([&] { on_gpu(x); }), 4);
  simulated::set_seconds("tile 64, 1 parts", 1);  // timed once
  EXPECT_EQ(algorithm_of([&] { on_gpu(x); }), 70);
  EXPECT_LE(distance(on_gpu(x), matmul(x.a, x.b)), 1e-6);
}

TEST_F(SimulatedLibraryProducts, ADeterministicProductIsNotTimed) {
  autotune(true);
  deterministic(true);
  EXPECT_EQ(products_in([] { on_gpu(factors()); }), 1);
}

/// Earlier timings may differ from run to run, too.
TEST_F(SimulatedLibraryProducts, ADeterministicProductUsesTheHeuristicsChoice) {
  const Factors x = factors();
  const int preferred = algorithm_of([&] { on_gpu(factors()); });
  simulated::fail_call(name_of(preferred), 1, CUBLAS_STATUS_NOT_SUPPORTED);  // when it is timed
  autotune(true);
  on_gpu(x);
  autotune(false);
  EXPECT_NE(algorithm_of([&] { on_gpu(x); }), preferred);
  deterministic(true);
  EXPECT_EQ(algorithm_of([&] { on_gpu(x); }), preferred);
}

TEST_F(SimulatedLibraryProducts, AFailingCandidateIsSkipped) {
  autotune(true);
  for (const int status : {CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_EXECUTION_FAILED}) {
    const Factors x = factors();
    simulated::fail_call("cublasLtMatmul", 2, status);
    EXPECT_LE(distance(on_gpu(x), matmul(x.a, x.b)), 1e-6);
  }
}

TEST_F(SimulatedLibraryProducts, ACandidateWithoutSuccessIsNotRun) {
  const int first = algorithm_of([] { on_gpu(factors()); });
  simulated::fail_call("cublasLtMatmulAlgoGetHeuristic.state", 1, CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_NE(algorithm_of([] { on_gpu(factors()); }), first);
}

TEST_F(SimulatedLibraryProducts, AnAlgorithmThatDoesNotRunGivesWayToTheNext) {
  const Factors x = factors();
  simulated::fail_call("cublasLtMatmul", 1, CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_LE(distance(on_gpu(x), matmul(x.a, x.b)), 1e-6);
}

TEST_F(SimulatedLibraryProducts, AFailureIsNamed) {
  simulated::fail_call("cublasLtMatmul", 1, CUBLAS_STATUS_INTERNAL_ERROR);
  try {
    on_gpu(factors());
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cublasLtMatmul"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("CUBLAS_STATUS_INTERNAL_ERROR"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(cuda::is_broken());
}

/// Ends the process with 1 if an illegal address shows in cuBLASLt first and is taken for what it is.
[[noreturn]] void exit_after_fault(std::uint64_t seed) {
  const Factors x = factors();
  const Tensor a = x.a.to(first_gpu), b = x.b.to(first_gpu);
  int* const host = pinned_ints(1);
  synchronize(first_gpu);
  simulated::reseed(seed);
  try {
    simulated::fail_kernel(cudaErrorIllegalAddress);
    launch_on(first_gpu, store_kernel, host, 7);
    for (int i = 0; i < 1000; ++i) matmul(a, b);
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
  }
  std::exit(cuda::is_broken());
}

TEST_F(SimulatedLibraryProducts, AnErrorOfTheDeviceThatCublasLtReportsEndsAllWork) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    EXPECT_EXIT(exit_after_fault(seed), ::testing::ExitedWithCode(1), "cudaErrorIllegalAddress");
}

TEST_F(SimulatedLibraryProducts, PartsOfASumKeepTheirPrecisionOnRequest) {
  RandomGenerator generator(3);
  const Tensor a = randn({16, 8192}, {}, &generator).to(bfloat16), b = randn({8192, 8}, {}, &generator).to(bfloat16);
  const Tensor exact = matmul(a.to(float64), b.to(float64));
  const auto error = [&] {
    const Tensor y = matmul(a.to(first_gpu), b.to(first_gpu)).to(Device::cpu()).to(float64);
    return mean(square(y - exact)).item<double>();
  };
  EXPECT_TRUE(cublas::allows_reduced_precision_reduction());
  const double reduced = error();
  cublas::allow_reduced_precision_reduction(false);
  const double whole = error();
  cublas::allow_reduced_precision_reduction(true);
  EXPECT_LT(whole, 0.7 * reduced) << "the result is rounded in both cases, the parts in one";
  EXPECT_EQ(error(), reduced);
}

/// A captured product that is cut into parts.
std::unique_ptr<train::GraphDriver::Graph> captured(int pool, const Tensor& a, const Tensor& b, Tensor& c) {
  train::GraphDriver& driver = train::cuda_graphs();
  driver.enter(first_gpu);
  matmul(a, b);  // makes handle and plan
  driver.begin(first_gpu, pool);
  std::unique_ptr<train::GraphDriver::Graph> graph;
  {
    const detail::CaptureScope scope(first_gpu);
    c = matmul(a, b);
  }
  graph = driver.end(first_gpu);
  driver.leave(first_gpu);
  return graph;
}

TEST_F(SimulatedLibraryProducts, TwoGraphsOfOneThreadReplayOnTwoStreams) {
  const Factors x = factors(), y = factors();
  const Tensor a = x.a.to(first_gpu), b = x.b.to(first_gpu), c = y.a.to(first_gpu), d = y.b.to(first_gpu);
  Tensor first, second;
  const auto one = captured(101, a, b, first), other = captured(102, c, d, second);
  const Stream stream = Stream::create(first_gpu);
  const simulated::CaughtReports caught;
  synchronize(first_gpu);
  failures([&] {
    one->replay();
    const StreamGuard guard(stream);
    other->replay();
    return true;
  });
  EXPECT_EQ(caught.count(), 0u);
  EXPECT_LE(distance(first, matmul(x.a, x.b)), 1e-6);
  EXPECT_LE(distance(second, matmul(y.a, y.b)), 1e-6);
}

}  // namespace
}  // namespace minima::products_test
