#include "simulated/failure_plan.h"
#include "simulated/tests/simulated.h"

#include <cuda.h>

#include <stdexcept>
#include <thread>

namespace simulated::errors_test {
namespace {

class SimulatedErrors : public Simulated {};

// Runtime API, "Error Handling": the last error belongs to the thread; only cudaGetLastError resets it.
TEST_F(SimulatedErrors, TheLastOneIsKeptPerThreadUntilItIsTaken) {
  EXPECT_EQ(cudaSetDevice(9), cudaErrorInvalidDevice);
  EXPECT_CUDA(cudaStreamSynchronize(nullptr)) << "a later call succeeds";
  std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

// Programming Guide, "Error Checking": cudaErrorNotReady is not reported by cudaGetLastError.
TEST_F(SimulatedErrors, NotReadyIsNone) {
  fail_call("cudaStreamQuery", 1, cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// Runtime API, note to most functions: "may also return error codes from previous, asynchronous launches".
TEST_F(SimulatedErrors, OfAKernelArriveAtLaterUnrelatedCalls) {
  int* const x = device_ints(1);
  fail_kernel(cudaErrorAssert);
  static_cast<void>(launch(new_stream(), store_kernel, x, 1));
  cudaError_t seen = cudaSuccess;
  for (int i = 0; i < 1000 && seen == cudaSuccess; ++i) {
    std::size_t free = 0, total = 0;
    seen = cudaMemGetInfo(&free, &total);
  }
  EXPECT_EQ(seen, cudaErrorAssert);
}

// Runtime API, cudaErrorIllegalAddress: "any further CUDA work will return the same error".
TEST_F(SimulatedErrors, ThatEndAllWorkStay) {
  int* const x = device_ints(1);
  int* const host = pinned_ints(1);
  *host = 0;
  const cudaStream_t stream = new_stream();
  static_cast<void>(cudaMemsetAsync(x, 0, 5, stream));
  static_cast<void>(launch(stream, store_kernel, host, 1));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(*host, 0) << "later work does not run";
  cudaGetLastError();
  EXPECT_EQ(cudaFree(x), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorIllegalAddress);
  CUdeviceptr range = 0;
  EXPECT_EQ(cuMemAddressReserve(&range, 2 << 20, 0, 0, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
  int count = 0;
  EXPECT_CUDA(cudaGetDeviceCount(&count)) << "asking needs no context";
}

TEST_F(SimulatedErrors, OfADriverCallAreNotTheRuntimes) {
  EXPECT_NE(cuMemAddressFree(4096, 4096), CUDA_SUCCESS);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  const char* text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(1000), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
}

TEST_F(SimulatedErrors, AnyCallFailsAsPlanned) {
  fail_call("cudaMalloc", 2, cudaErrorMemoryAllocation);
  fail_call("cuMemAddressReserve", 1, CUDA_ERROR_OUT_OF_MEMORY);
  void* pointer = nullptr;
  EXPECT_CUDA(cudaMalloc(&pointer, 4));
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorMemoryAllocation);
  EXPECT_CUDA(cudaMalloc(&pointer, 4));
  EXPECT_EQ(calls("cudaMalloc"), 3);
  CUdeviceptr range = 0;
  EXPECT_EQ(cuMemAddressReserve(&range, 2 << 20, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  fail_call("cudaStreamSynchronize", 1, cudaErrorECCUncorrectable);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorECCUncorrectable);
  EXPECT_EQ(cudaFree(pointer), cudaErrorECCUncorrectable) << "this one ends all work";
}

TEST(SimulatedFailurePlan, IsReadFromText) {
  FailurePlan plan("cudaMalloc:2=2,cuMemMap:1=1");
  EXPECT_EQ(plan.count("cudaMalloc"), 0);
  EXPECT_EQ(plan.count("cudaMalloc"), 2);
  EXPECT_EQ(plan.count("cuMemMap"), 1);
  EXPECT_EQ(plan.count("cuMemMap"), 0);
  for (const char* const text : {"cudaMalloc", "cudaMalloc:2", "cudaMalloc=2", "cudaMalloc:x=2", "=:1"})
    EXPECT_THROW(FailurePlan{text}, std::invalid_argument) << text;
}

TEST_F(SimulatedErrors, WhatIsNotModelledStopsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  int value = 0;
  EXPECT_DEATH(static_cast<void>(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(63), 0)),
               "cudaDeviceGetAttribute of attribute 63 is not modelled");
}

// Programming Guide, "Host Functions": work may not call CUDA.
void calling_kernel(int* x) { static_cast<void>(cudaFree(x)); }
TEST_F(SimulatedErrors, WorkThatCallsCudaStopsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        static_cast<void>(launch(nullptr, calling_kernel, device_ints(1)));
        static_cast<void>(cudaDeviceSynchronize());
      },
      "cudaFree called by kernel test");
}

// Unless caught, a report ends the program.
TEST_F(SimulatedErrors, AReportStopsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(report("the memory is in use"), "simulated GPU: the memory is in use .MINIMA_SIMULATED_SEED=1.");
}

}  // namespace
}  // namespace simulated::errors_test
