#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/storage/storage.h>

#include <cstdint>
#include <memory>

namespace minima::profiler {

class BlockSizes;

/// While it exists, predictions for simulated GPUs know how large the tensors are that this thread's kernels work on. A
/// captured step is priced when it is captured, so there must be one by then. Without a simulated GPU in use it does
/// nothing.
class MINIMA_API KnownSizes final : public MemoryObserver {
 public:
  KnownSizes();
  KnownSizes(const KnownSizes&) = delete;
  ~KnownSizes();
  void change(const Storage& storage, std::int64_t bytes) noexcept override;

 private:
  std::unique_ptr<BlockSizes> sizes_;
  MemoryObserver* outer_;
};

}  // namespace minima::profiler
