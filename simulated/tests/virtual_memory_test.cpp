#include "simulated/tests/simulated.h"

#include <cuda.h>

#include <thread>

namespace simulated::virtual_memory_test {
namespace {

// CUDA Driver API, "Virtual Memory Management".

constexpr std::size_t page = std::size_t{2} << 20;

CUmemAllocationProp on_device(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return properties;
}

class SimulatedVirtualMemory : public Simulated {
 protected:
  void SetUp() override {
    Simulated::SetUp();
    EXPECT_CUDA(cudaFree(nullptr));  // makes a context current
    EXPECT_EQ(cuMemAddressReserve(&range_, 4 * page, 0, 0, 0), CUDA_SUCCESS);
  }
  CUmemGenericAllocationHandle create(std::size_t bytes = page, int device = 0) {
    CUmemGenericAllocationHandle handle = 0;
    const CUmemAllocationProp properties = on_device(device);
    EXPECT_EQ(cuMemCreate(&handle, bytes, &properties, 0), CUDA_SUCCESS);
    return handle;
  }
  CUresult allow(CUdeviceptr address, std::size_t bytes, int device = 0) {
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, device}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return cuMemSetAccess(address, bytes, &access, 1);
  }
  /// Maps fresh pages with access.
  void back(CUdeviceptr address, int pages) {
    for (int i = 0; i < pages; ++i) {
      const auto handle = create();
      EXPECT_EQ(cuMemMap(address + i * page, page, 0, handle, 0), CUDA_SUCCESS);
      EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
    }
    EXPECT_EQ(allow(address, pages * page), CUDA_SUCCESS);
  }
  /// The error of a memset there.
  static cudaError_t touch(CUdeviceptr address, std::size_t bytes) {
    static_cast<void>(cudaMemsetAsync(reinterpret_cast<void*>(address), 0, bytes, nullptr));
    return cudaDeviceSynchronize();
  }
  static std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    EXPECT_CUDA(cudaMemGetInfo(&free, &total));
    return free;
  }

  CUdeviceptr range_ = 0;
};

// No thread but those that have called the runtime has a context. Assumed; see simulated/README.md.
TEST_F(SimulatedVirtualMemory, AThreadNeedsAContext) {
  std::thread([] {
    const CUmemAllocationProp properties = on_device(0);
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_EQ(cuMemCreate(&handle, page, &properties, 0), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_CUDA(cudaSetDevice(0));
    EXPECT_EQ(cuMemCreate(&handle, page, &properties, 0), CUDA_SUCCESS);
  }).join();
}

// cuMemMap: "Both ptr, size, and offset must be a multiple of" the granularity; the same of cuMemCreate's size.
TEST_F(SimulatedVirtualMemory, SizesAndAddressesAreWholePages) {
  const CUmemAllocationProp properties = on_device(0);
  std::size_t granularity = 0;
  EXPECT_EQ(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
  EXPECT_EQ(granularity, page);
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, page + 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  handle = create();
  EXPECT_EQ(cuMemMap(range_ + 4096, page, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(range_, page / 2, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(range_, 2 * page, 0, handle, 0), CUDA_ERROR_INVALID_VALUE) << "more than the handle has";
  const CUmemAllocationProp nowhere = on_device(7);
  EXPECT_EQ(cuMemCreate(&handle, page, &nowhere, 0), CUDA_ERROR_INVALID_DEVICE);
}

// cuMemMap: only "on VA range reservations that are not currently mapped".
TEST_F(SimulatedVirtualMemory, OnlyFreeReservedAddressesAreMapped) {
  const auto handle = create();
  EXPECT_EQ(cuMemMap(range_, page, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(range_, page, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(range_ + 4 * page, page, 0, handle, 0), CUDA_ERROR_INVALID_VALUE) << "beyond the reservation";
}

// cuMemUnmap: "all mappings start with no accessibility setup".
TEST_F(SimulatedVirtualMemory, AMappingWithoutAccessFaults) {
  EXPECT_EQ(cuMemMap(range_, page, 0, create(), 0), CUDA_SUCCESS);
  EXPECT_EQ(touch(range_, 4), cudaErrorIllegalAddress);
}

TEST_F(SimulatedVirtualMemory, AccessIsForTheNamedDevices) {
  const auto handle = create();
  EXPECT_EQ(cuMemMap(range_, page, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(allow(range_, page, 1), CUDA_SUCCESS);
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(touch(range_, page), cudaSuccess);
  EXPECT_CUDA(cudaSetDevice(0));
  EXPECT_EQ(touch(range_, page), cudaErrorIllegalAddress);
}

// cuMemSetAccess: "The range must be a fully mapped address range".
TEST_F(SimulatedVirtualMemory, AccessSpansMappingsButNoHoles) {
  EXPECT_EQ(cuMemMap(range_, page, 0, create(), 0), CUDA_SUCCESS);
  EXPECT_EQ(allow(range_, 2 * page), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(range_ + page, page, 0, create(), 0), CUDA_SUCCESS);
  EXPECT_EQ(allow(range_, 2 * page), CUDA_SUCCESS);
  EXPECT_EQ(touch(range_, 2 * page), cudaSuccess);
  EXPECT_EQ(touch(range_ + page, page + 1), cudaErrorIllegalAddress);
}

// cuMemUnmap: "cannot unmap a sub-range of an address range mapped by cuMemCreate / cuMemMap".
TEST_F(SimulatedVirtualMemory, MappingsAreUnmappedWhole) {
  EXPECT_EQ(cuMemMap(range_, 2 * page, 0, create(2 * page), 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemUnmap(range_, page), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(range_, 2 * page), CUDA_SUCCESS);
  EXPECT_EQ(cuMemUnmap(range_, 2 * page), CUDA_ERROR_INVALID_VALUE);
}

// cuMemRelease: "will be freed when all outstanding mappings to the memory are unmapped and when all outstanding
// references to the handle … are also released".
TEST_F(SimulatedVirtualMemory, APageLivesWhileItIsMappedOrHeld) {
  const std::size_t before = free_bytes();
  const auto handle = create();
  EXPECT_EQ(cuMemMap(range_, page, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(before - free_bytes(), page);
  EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(range_, page), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
}

// One page at two addresses, and its contents when it moves.
TEST_F(SimulatedVirtualMemory, ContentsMoveWithThePage) {
  const auto handle = create();
  EXPECT_EQ(cuMemMap(range_, page, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(range_ + page, page, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(allow(range_, 2 * page), CUDA_SUCCESS);
  EXPECT_CUDA(launch(nullptr, store_kernel, reinterpret_cast<int*>(range_), 7));
  EXPECT_EQ(value_of(reinterpret_cast<int*>(range_ + page)), 7);
}

// cuMemCreate: CUDA_ERROR_OUT_OF_MEMORY.
TEST_F(SimulatedVirtualMemory, IsLimitedByTheDevice) {
  const CUmemAllocationProp properties = on_device(0);
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, std::size_t{79} << 30, &properties, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemCreate(&handle, std::size_t{2} << 30, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

// cuMemAddressFree: "The size must match what was given", and nothing may be mapped there.
TEST_F(SimulatedVirtualMemory, AReservationIsFreedWholeAndEmpty) {
  EXPECT_EQ(cuMemAddressFree(range_, page), CUDA_ERROR_INVALID_VALUE);
  back(range_ + page, 1);
  EXPECT_EQ(cuMemAddressFree(range_, 4 * page), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(range_ + page, page), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(range_, 4 * page), CUDA_SUCCESS);
}

// Unmapping what pending work may use is undefined, whichever stream that is in.
TEST_F(SimulatedVirtualMemory, UnmappingUnderPendingWorkIsReported) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    restart("1xH100", seed);
    EXPECT_CUDA(cudaFree(nullptr));
    EXPECT_EQ(cuMemAddressReserve(&range_, 4 * page, 0, 0, 0), CUDA_SUCCESS);
    back(range_, 2);
    EXPECT_CUDA(cudaMemsetAsync(reinterpret_cast<void*>(range_), 0, page, new_stream()));
    texts.insert(report_of([&] { EXPECT_EQ(cuMemUnmap(range_ + page, page), CUDA_SUCCESS); }));
    EXPECT_EQ(texts.size(), 1u) << "another page";
    const std::string own = report_of([&] { EXPECT_EQ(cuMemUnmap(range_, page), CUDA_SUCCESS); });
    if (own == "cuMemUnmap: a memset on cuda:0 has not run yet and may use the memory") return;
  }
  FAIL() << "no seed left the memset for later";
}

}  // namespace
}  // namespace simulated::virtual_memory_test
