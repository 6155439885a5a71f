#pragma once

#include <minima/tensor/memory/device/memory_driver.h>

#include <cuda_runtime_api.h>

#include <set>
#include <string>
#include <vector>

namespace minima::cuda {

/// The memory of one GPU by CUDA's virtual memory management, or by cudaMalloc if the driver lacks it or
/// MINIMA_NO_VMM=1 disables it. Drivers may claim what they then refuse, so the constructor tries a page: one that
/// other processes and network cards can open, then a plain one. What it makes do with, it says on stderr. Stream
/// tokens are StreamStates. Called with the allocator's lock held.
class CudaMemoryDriver final : public device_memory::MemoryDriver {
 public:
  explicit CudaMemoryDriver(int device);

  Memory memory() override;
  std::size_t page_bytes() override { return page_bytes_; }
  char* reserve(std::size_t bytes) override;
  void unreserve(char* address, std::size_t bytes) override;
  device_memory::Page create_page() override;
  void destroy_page(device_memory::Page page) override;
  bool map(char* address, const device_memory::Page* pages, std::size_t count) override;
  void unmap(char* address, std::size_t count) override;
  char* allocate(std::size_t bytes) override;
  void free(char* address) override;
  device_memory::Mark record(device_memory::StreamToken stream) override;
  bool reached(device_memory::Mark mark) override;
  void synchronize() override;
  bool is_lost() noexcept override;
  void fill(device_memory::StreamToken stream, char* address, std::size_t bytes, unsigned char value) override;
  std::int64_t find_foreign(device_memory::StreamToken stream, const char* address, std::size_t bytes,
                            unsigned char value) override;

 private:
  /// Maps a page and unmaps it. Why the driver refuses that; empty if it does not, or if there is no memory to try it.
  std::string why_no_pages();

  const int device_;
  bool is_shareable_ = false, is_rdma_capable_ = false;  ///< what pages are created with, where the driver can
  std::size_t page_bytes_ = 0;
  std::vector<cudaEvent_t> events_;  ///< free for reuse
  std::set<cudaEvent_t> foreign_;    ///< pending in streams of other GPUs, so not reusable here
};

}  // namespace minima::cuda
