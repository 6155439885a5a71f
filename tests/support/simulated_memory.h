#pragma once

#include <minima/autograd/checkpoint/offload.h>

#include <cstring>
#include <vector>

namespace minima::test {

/// A simulated second memory: bytes outside the library's allocator.
class SimulatedMemory final : public SecondMemory {
 public:
  Copy* store(const Tensor& tensor) override { return new Bytes(*this, tensor); }

  std::int64_t bytes = 0;  ///< held at the moment
  int stores = 0, fetches = 0, prefetches = 0;

 private:
  class Bytes final : public Copy {
   public:
    Bytes(SimulatedMemory& memory, const Tensor& tensor)
        : memory_(memory),
          layout_(tensor.layout()),
          dtype_(tensor.dtype()),
          bytes_(static_cast<std::size_t>(tensor.numel()) * tensor.itemsize()) {
      layout_.offset = 0;
      std::memcpy(bytes_.data(), tensor.raw_data(), bytes_.size());
      memory_.bytes += static_cast<std::int64_t>(bytes_.size());
      ++memory_.stores;
    }
    ~Bytes() override { memory_.bytes -= static_cast<std::int64_t>(bytes_.size()); }
    void prefetch() override { ++memory_.prefetches; }
    Tensor fetch() override {
      ++memory_.fetches;
      Tensor tensor = empty(Layout(layout_), {.dtype = dtype_});
      std::memcpy(tensor.raw_data(), bytes_.data(), bytes_.size());
      return tensor;
    }

   private:
    SimulatedMemory& memory_;
    Layout layout_;
    DType dtype_;
    std::vector<char> bytes_;
  };
};

}  // namespace minima::test
