#include "tests/support/expect_error.h"
#include "tests/support/gpu_test.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/bytes.h>
#include <minima/tensor/cuda/handles.h>
#include <minima/tensor/cuda/library_status.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/transfer.h>
#include <minima/tensor/cuda/launch.cuh>

#include <gtest/gtest.h>

#include <cstring>

// Tests of the runtime that need CUDA's headers.

namespace minima::gpu_cuda_test {
namespace {

using test::message_of;

TEST(Launch, NoBlocksAreNoLaunch) {
  void* arguments[] = {nullptr};
  EXPECT_NO_THROW(cuda::launch_kernel("nothing", nullptr, nullptr, cuda::grid_for(0), arguments));
}

TEST(Launch, GridsCoverTheirCount) {
  EXPECT_EQ(cuda::grid_for(0).blocks.x, 0u);
  EXPECT_EQ(cuda::grid_for(1).blocks.x, 1u);
  EXPECT_EQ(cuda::grid_for(256).blocks.x, 1u);
  EXPECT_EQ(cuda::grid_for(257).blocks.x, 2u);
  EXPECT_EQ(cuda::grid_for(std::int64_t{1} << 50).blocks.x, 0x7fffffffu) << "kernels stride over the rest";
}

class GpuCuda : public test::GpuTest {};

TEST_F(GpuCuda, AFailedLaunchNamesTheKernel) {
  static const char not_a_kernel = 0;
  void* arguments[] = {nullptr};
  const cuda::StartKernel start = [](const void* kernel, const cuda::Grid& grid, void** values, cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid.blocks, grid.threads, values, grid.shared_bytes, stream);
  };
  const std::string text =
      message_of<Error>([&] { cuda::launch_kernel("softmax", &not_a_kernel, start, cuda::grid_for(10), arguments); });
  EXPECT_TRUE(text.starts_with("CUDA: kernel softmax: ")) << text;
}

TEST_F(GpuCuda, AForeignByteIsFound) {
  const Tensor bytes = empty({1'000'003}, {.dtype = DType::uint8, .device = Device::cuda()});
  const Tensor first = empty({1}, {.dtype = DType::int64, .device = Device::cuda()});
  const auto find = [&] {
    MINIMA_CUDA_CHECK(cudaMemset(first.raw_data(), 0xFF, 8));
    cuda::find_foreign_byte(bytes.raw_data(), bytes.numel(), 7, static_cast<unsigned long long*>(first.raw_data()));
    return first.item<std::int64_t>();
  };
  MINIMA_CUDA_CHECK(cudaMemset(bytes.raw_data(), 7, 1'000'003));
  EXPECT_EQ(find(), -1);
  for (const std::int64_t place : {1'000'002, 500'000, 0}) {
    MINIMA_CUDA_CHECK(cudaMemset(static_cast<char*>(bytes.raw_data()) + place, 8, 1));
    EXPECT_EQ(find(), place);
  }
}

TEST_F(GpuCuda, TheDebugModeFindsAWriteOutside) {
  debug_memory(true);
  {
    const Tensor x = empty({100}, {.device = Device::cuda()});
    const std::vector<float> fresh = x.to_vector<float>();
    EXPECT_NE(fresh[50], fresh[50]) << "fresh memory is NaN";
    MINIMA_CUDA_CHECK(cudaMemset(static_cast<char*>(x.raw_data()) + 401, 1, 1));
  }
  const std::string text = message_of<Error>([] { check_memory(); });
  debug_memory(false);
  EXPECT_NE(text.find("a write outside a storage of 400 bytes on cuda:0"), std::string::npos) << text;
  EXPECT_NE(text.find("1 bytes after its end"), std::string::npos) << text;
}

TEST_F(GpuCuda, HandlesAndWorkspacesStayTheSame) {
  EXPECT_EQ(cuda::cublas_lt_handle(), cuda::cublas_lt_handle());
  EXPECT_EQ(cuda::cudnn_handle(), cuda::cudnn_handle());
  const cuda::Workspace of_default;
  EXPECT_GE(of_default.bytes(), std::size_t{8} << 20);
  EXPECT_EQ(cuda::Workspace().data(), of_default.data());
  const Stream other = Stream::create();
  const StreamGuard guard(other);
  EXPECT_NE(cuda::Workspace().data(), of_default.data());
  cudaStream_t of_handle = nullptr;
  MINIMA_CUDA_CHECK(cudnnGetStream(cuda::cudnn_handle(), &of_handle));
  EXPECT_EQ(of_handle, static_cast<cudaStream_t>(other.handle()));
}

TEST_F(GpuCuda, ForeignStreamsAndMemoryAreUsedAsTheyAre) {
  constexpr std::int64_t count = 1 << 20;
  static int released = 0;
  cudaStream_t stream = nullptr;  // never destroyed, since the library keeps a reference to it
  MINIMA_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  void* memory = nullptr;
  MINIMA_CUDA_CHECK(cudaMalloc(&memory, count * sizeof(float)));
  {
    const StreamGuard guard(Stream::wrap(stream));
    EXPECT_EQ(current_stream().handle(), stream);
    const Tensor values = detail::on_device(from_vector(std::vector<float>(count, 3.0f), {count}), Device::cuda());
    const std::int64_t before = memory_stats(Device::cuda()).allocated;
    const auto release = [](void* context) { released += cudaFree(context) == cudaSuccess; };
    const Tensor x = from_blob(memory, Layout::contiguous({count}), {.device = Device::cuda()}, release, memory);
    EXPECT_EQ(memory_stats(Device::cuda()).allocated, before) << "not the allocator's";
    EXPECT_EQ(x.raw_data(), memory);
    detail::transfer(values, x);
    EXPECT_EQ(x.to_vector<float>(), std::vector<float>(count, 3.0f));
  }
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace minima::gpu_cuda_test
