#include "tests/support/expect_error.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>
#include <minima/tensor/cuda/library_status.h>
#include <minima/tensor/cuda/nvml.h>

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <string>

namespace minima::cuda::lazy_library_cuda_test {
namespace {

using test::message_of;

TEST(LazyLibrary, AMissingLibrarySaysWhatWasCalledAndWhereItComesFrom) {
  LazyLibrary missing("cuNothing", "libnothing.so.7", "the package of nothing");
  EXPECT_FALSE(missing.is_there());
  const std::string text = message_of<Error>([&] { missing.find("nothingCreate"); });
  EXPECT_NE(text.find("nothingCreate: cuNothing could not be opened: libnothing.so.7"), std::string::npos) << text;
  EXPECT_NE(text.find("comes with the package of nothing"), std::string::npos) << text;
}

TEST(LazyLibrary, SaysWhichFileItOpenedOrWhyItCouldNot) {
  LazyLibrary missing("cuNothing", "libnothing.so.7", "the package of nothing"), mathematics("libm", "libm.so.6", "");
  EXPECT_EQ(missing.path(), "");
  EXPECT_TRUE(missing.failure().starts_with("cuNothing could not be opened: libnothing.so.7")) << missing.failure();
  EXPECT_TRUE(mathematics.path().ends_with("/libm.so.6")) << mathematics.path();
  EXPECT_EQ(mathematics.failure(), "");
}

TEST(LazyLibrary, AMissingFunctionIsNotAMissingLibrary) {
  LazyLibrary mathematics("libm", "libm.so.6", "libc6");
  EXPECT_TRUE(mathematics.is_there());
  EXPECT_NE(mathematics.find("cos"), nullptr);
  const std::string text = message_of<Error>([&] { mathematics.find("no_such_function"); });
  EXPECT_NE(text.find("no_such_function: not found in this machine's libm.so.6"), std::string::npos) << text;
}

TEST(LazyLibrary, OpensWhatALibraryNeedsFirst) {
  constexpr const char* needed[] = {"libanl.so.1", "libBrokenLocale.so.1"};  // of glibc, and used by no program
  LazyLibrary first("first", needed[0], "libc6"), second("second", needed[1], "libc6");
  LazyLibrary library("libm", "libm.so.6", "libc6", first, second);
  for (const char* const soname : needed) ASSERT_EQ(dlopen(soname, RTLD_LAZY | RTLD_NOLOAD), nullptr) << soname;
  EXPECT_TRUE(library.is_there());
  for (const char* const soname : needed) EXPECT_NE(dlopen(soname, RTLD_LAZY | RTLD_NOLOAD), nullptr) << soname;
}

TEST(LazyLibrary, ForwardsToTheRealFunctionWhereTheLibraryIs) {
  if (!cublas_lt_library.is_there()) GTEST_SKIP() << "no cuBLASLt on this machine";
  EXPECT_GE(cublasLtGetVersion(), 130000u);
  EXPECT_STREQ(cublasLtGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED");
  const std::string text = message_of<Error>([] { MINIMA_CUDA_CHECK(CUBLAS_STATUS_NOT_SUPPORTED); });
  EXPECT_NE(text.find("CUBLAS_STATUS_NOT_SUPPORTED"), std::string::npos) << text;
}

TEST(LazyLibrary, CudnnAnswersWithoutAGpu) {
  if (!cudnn_library.is_there()) GTEST_SKIP() << "no cuDNN on this machine";
  EXPECT_GE(cudnnGetVersion(), 90000u);
  if (device_count() > 0) GTEST_SKIP() << "shows what happens without a GPU, and this machine has one";
  cudnnHandle_t handle = nullptr;
  const std::string text = message_of<Error>([&] { MINIMA_CUDA_CHECK(cudnnCreate(&handle)); });
  EXPECT_TRUE(text.starts_with("cuDNN: cudnnCreate: ") || text.starts_with("CUDA: cudnnCreate: ")) << text;
}

TEST(Status, AFailedCallIsNamedAndDoesNotBreakTheProcess) {
  if (device_count() > 0) GTEST_SKIP() << "shows what happens without a GPU, and this machine has one";
  void* memory = nullptr;
  const std::string text = message_of<Error>([&] { MINIMA_CUDA_CHECK(cudaMalloc(&memory, 16)); });
  EXPECT_TRUE(text.starts_with("CUDA: cudaMalloc: ")) << text;
  EXPECT_FALSE(is_broken());
}

TEST(Status, AFailureInADestructorIsToldByTheNextSynchronizingCall) {
  keep_failure(cudaErrorInvalidValue, "cudaEventDestroy(e)");
  const std::string text = message_of<Error>([] { throw_kept_failure(); });
  EXPECT_NE(text.find("cudaEventDestroy"), std::string::npos) << text;
  EXPECT_NO_THROW(throw_kept_failure());
}

TEST(Sensors, TellNumbersOrTheReason) {
  const Sensors now = sensors(0);
  EXPECT_EQ(now.known, now.reason.empty());
  if (now.known) EXPECT_GT(now.memory_used, 0);
  else EXPECT_NE(now.reason.find("cuda:0"), std::string::npos) << now.reason;
}

}  // namespace
}  // namespace minima::cuda::lazy_library_cuda_test
