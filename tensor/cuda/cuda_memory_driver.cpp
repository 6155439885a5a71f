#include <minima/tensor/cuda/cuda_memory_driver.h>

#include <minima/tensor/base/environment.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/bytes.h>
#include <minima/tensor/cuda/library_status.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/device/memory_driver.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <cuda.h>  // IWYU pragma: keep

namespace minima::cuda {

namespace {

using device_memory::Mark;
using device_memory::Page;
using device_memory::StreamToken;

/// A page is the smallest size from least_page_bytes on with which most_pages fill a GPU: creating and mapping a page
/// takes the driver tens of microseconds whatever its size, but larger pages leave more memory idle.
constexpr std::size_t least_page_bytes = std::size_t{2} << 20, most_pages = 32768;

cudaStream_t stream_of(StreamToken token) { return static_cast<const minima::detail::StreamState*>(token)->handle; }

/// Shareable pages that network cards may read are those that NCCL registers and sends without a copy.
CUmemAllocationProp page_properties(int device, bool is_shareable, bool is_rdma_capable) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
  if (is_shareable) properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.allocFlags.gpuDirectRDMACapable = is_rdma_capable;
  return properties;
}

bool supports(int device, CUdevice_attribute attribute) {
  int supported = 0;
  MINIMA_CUDA_CHECK(cuDeviceGetAttribute(&supported, attribute, device));
  return supported != 0;
}

std::size_t find_page_bytes(const CUmemAllocationProp& properties, std::size_t memory) {
  std::size_t granularity = 0;
  MINIMA_CUDA_CHECK(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  std::size_t bytes = least_page_bytes;
  while (bytes < memory / most_pages) bytes *= 2;
  return (bytes + granularity - 1) / granularity * granularity;
}

}  // namespace

CudaMemoryDriver::CudaMemoryDriver(int device) : device_(device) {
  const DeviceGuard guard(device);
  MINIMA_CUDA_CHECK(cudaFree(nullptr));  // creates the context that the driver functions need
  if (minima::detail::environment_flag("MINIMA_NO_VMM", false) ||
      !supports(device, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED))
    return;
  is_shareable_ = supports(device, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED);
  is_rdma_capable_ = supports(device, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED);
  std::string why = why_no_pages();
  if (why.empty()) return;
  if (is_shareable_ || is_rdma_capable_) {
    is_shareable_ = is_rdma_capable_ = false;
    const std::string why_no_plain_pages = why_no_pages();
    if (why_no_plain_pages.empty()) {
      std::fprintf(stderr,
                   "minima: cuda:%d: the driver refuses memory that other processes and network cards can open (%s); "
                   "NCCL will copy through its buffers\n",
                   device, why.c_str());
      return;
    }
    why = why_no_plain_pages;
  }
  page_bytes_ = 0;
  std::fprintf(stderr,
               "minima: cuda:%d: the driver refuses virtual memory (%s); using cudaMalloc as with MINIMA_NO_VMM=1\n",
               device, why.c_str());
}

std::string CudaMemoryDriver::why_no_pages() try {
  page_bytes_ = find_page_bytes(page_properties(device_, is_shareable_, is_rdma_capable_), memory().total);
  char* const address = reserve(page_bytes_);
  if (!address) return "";
  Page page = 0;
  try {
    page = create_page();
    if (page && map(address, &page, 1)) unmap(address, 1);
  } catch (const Error&) {
    if (page) static_cast<void>(cuMemRelease(page));
    static_cast<void>(cuMemAddressFree(reinterpret_cast<CUdeviceptr>(address), page_bytes_));
    throw;
  }
  if (page) destroy_page(page);
  unreserve(address, page_bytes_);
  return "";
} catch (const Error& error) {
  throw_if_broken();
  return error.what();
}

CudaMemoryDriver::Memory CudaMemoryDriver::memory() {
  const DeviceGuard guard(device_);
  Memory result{};
  MINIMA_CUDA_CHECK(cudaMemGetInfo(&result.free, &result.total));
  return result;
}

char* CudaMemoryDriver::reserve(std::size_t bytes) {
  const DeviceGuard guard(device_);
  CUdeviceptr address = 0;
  return cuMemAddressReserve(&address, bytes, 0, 0, 0) == CUDA_SUCCESS ? reinterpret_cast<char*>(address) : nullptr;
}

void CudaMemoryDriver::unreserve(char* address, std::size_t bytes) {
  const DeviceGuard guard(device_);
  MINIMA_CUDA_CHECK(cuMemAddressFree(reinterpret_cast<CUdeviceptr>(address), bytes));
}

Page CudaMemoryDriver::create_page() {
  const DeviceGuard guard(device_);
  const CUmemAllocationProp properties = page_properties(device_, is_shareable_, is_rdma_capable_);
  CUmemGenericAllocationHandle page = 0;
  const CUresult status = cuMemCreate(&page, page_bytes_, &properties, 0);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) return 0;
  check(status, "cuMemCreate");
  return page;
}

void CudaMemoryDriver::destroy_page(Page page) {
  const DeviceGuard guard(device_);
  MINIMA_CUDA_CHECK(cuMemRelease(page));
}

bool CudaMemoryDriver::map(char* address, const Page* pages, std::size_t count) {
  const DeviceGuard guard(device_);
  const auto start = reinterpret_cast<CUdeviceptr>(address);
  std::size_t mapped = 0;
  CUresult status = CUDA_SUCCESS;
  const char* call = "cuMemMap";
  while (mapped < count && status == CUDA_SUCCESS) {
    status = cuMemMap(start + mapped * page_bytes_, page_bytes_, 0, pages[mapped], 0);
    if (status == CUDA_SUCCESS) ++mapped;
  }
  if (status == CUDA_SUCCESS) {
    CUmemAccessDesc access{};
    access.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device_};
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    call = "cuMemSetAccess";
    status = cuMemSetAccess(start, count * page_bytes_, &access, 1);
  }
  if (status == CUDA_SUCCESS) return true;
  while (mapped > 0) static_cast<void>(cuMemUnmap(start + --mapped * page_bytes_, page_bytes_));
  if (status != CUDA_ERROR_OUT_OF_MEMORY) check(status, call);
  return false;
}

void CudaMemoryDriver::unmap(char* address, std::size_t count) {
  const DeviceGuard guard(device_);
  // One call per page: the driver requires each mapping to be unmapped as it was mapped.
  for (std::size_t i = 0; i < count; ++i)
    MINIMA_CUDA_CHECK(cuMemUnmap(reinterpret_cast<CUdeviceptr>(address) + i * page_bytes_, page_bytes_));
}

char* CudaMemoryDriver::allocate(std::size_t bytes) {
  const DeviceGuard guard(device_);
  const RelaxedCapture relaxed;
  void* address = nullptr;
  const cudaError_t status = cudaMalloc(&address, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error
    return nullptr;
  }
  check(status, "cudaMalloc");
  return static_cast<char*>(address);
}

void CudaMemoryDriver::free(char* address) {
  const DeviceGuard guard(device_);
  const RelaxedCapture relaxed;
  MINIMA_CUDA_CHECK(cudaFree(address));
}

Mark CudaMemoryDriver::record(StreamToken token) {
  const auto* const stream = static_cast<const minima::detail::StreamState*>(token);
  const DeviceGuard guard(stream->device);
  cudaEvent_t event = nullptr;
  if (!events_.empty() && stream->device == device_) {
    event = events_.back();
    events_.pop_back();
  } else {
    MINIMA_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    if (stream->device != device_) foreign_.insert(event);
  }
  if (const cudaError_t status = cudaEventRecord(event, stream->handle); status != cudaSuccess) {
    if (foreign_.erase(event) > 0) static_cast<void>(cudaEventDestroy(event));
    else events_.push_back(event);
    check(status, "cudaEventRecord");
  }
  return reinterpret_cast<Mark>(event);
}

bool CudaMemoryDriver::reached(Mark mark) {
  const auto event = reinterpret_cast<cudaEvent_t>(mark);
  const cudaError_t status = cudaEventQuery(event);
  if (status == cudaErrorNotReady) return false;
  check(status, "cudaEventQuery");
  if (foreign_.erase(event) > 0) MINIMA_CUDA_CHECK(cudaEventDestroy(event));
  else events_.push_back(event);
  return true;
}

void CudaMemoryDriver::synchronize() {
  const DeviceGuard guard(device_);
  MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
}

bool CudaMemoryDriver::is_lost() noexcept { return is_broken(); }

void CudaMemoryDriver::fill(StreamToken token, char* address, std::size_t bytes, unsigned char value) {
  const DeviceGuard guard(device_);
  MINIMA_CUDA_CHECK(cudaMemsetAsync(address, value, bytes, stream_of(token)));
}

std::int64_t CudaMemoryDriver::find_foreign(StreamToken token, const char* address, std::size_t bytes,
                                            unsigned char value) {
  auto* const state = const_cast<minima::detail::StreamState*>(static_cast<const minima::detail::StreamState*>(token));
  const StreamGuard guard{Stream(state)};
  constexpr unsigned long long none = ~0ull;
  unsigned long long first = none;
  void* result = nullptr;
  MINIMA_CUDA_CHECK(cudaMallocAsync(&result, sizeof first, state->handle));
  MINIMA_CUDA_CHECK(cudaMemsetAsync(result, 0xFF, sizeof first, state->handle));
  find_foreign_byte(address, static_cast<std::int64_t>(bytes), value, static_cast<unsigned long long*>(result));
  MINIMA_CUDA_CHECK(cudaMemcpyAsync(&first, result, sizeof first, cudaMemcpyDeviceToHost, state->handle));
  MINIMA_CUDA_CHECK(cudaFreeAsync(result, state->handle));
  MINIMA_CUDA_CHECK(cudaStreamSynchronize(state->handle));
  return first == none ? -1 : static_cast<std::int64_t>(first);
}

}  // namespace minima::cuda
