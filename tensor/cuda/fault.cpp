#include <minima/tensor/cuda/fault.h>

#include <minima/tensor/cuda/fault_table.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>

#include <cstddef>

namespace minima::cuda {

namespace {

FaultTable& table() {
  static FaultTable* const all = new FaultTable;
  return *all;
}

}  // namespace

Fault* fault_place(const FaultText& text) {
  return table().place(text, [](int count) {
    const DeviceGuard guard(minima::detail::used_device());
    const RelaxedCapture relaxed;
    void* memory = nullptr;  // has the same address on the host and all GPUs
    MINIMA_CUDA_CHECK(cudaHostAlloc(&memory, static_cast<std::size_t>(count) * sizeof(Fault),
                                    cudaHostAllocPortable | cudaHostAllocMapped));
    return static_cast<Fault*>(memory);
  });
}

void throw_faults() { table().throw_first(); }

}  // namespace minima::cuda
