#pragma once

#include <minima/tensor/tensor.h>

// Tensors handed to and taken from other libraries without a copy, by DLPack (https://dmlc.github.io/dlpack): the
// structures of its version 0 with the layout that its header fixes.

namespace minima {

namespace dlpack {

struct Device {
  std::int32_t type;  ///< 1: CPU, 2: CUDA
  std::int32_t id;
};
struct DataType {
  std::uint8_t code;  ///< 0: signed, 1: unsigned, 2: IEEE floating, 4: bfloat16, 6: bool
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  Device device;
  std::int32_t rank;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null: row-major
  std::uint64_t byte_offset;
};
struct Managed {
  DLTensor tensor;
  void* context;
  void (*deleter)(Managed*);  ///< whoever holds it calls this once when done
};

}  // namespace dlpack

/// x's memory for another library, which calls the deleter when it is done; until then the memory stays. A pointer to
/// this is a `DLManagedTensor*`. Throws ValueError for a tensor that requires grad (detach it first).
MINIMA_API dlpack::Managed* to_dlpack(const Tensor& x);
/// A tensor on another library's memory; `managed` is ours from here on, and its deleter is called when no tensor uses
/// it. Throws DTypeError and ValueError for dtypes and devices that minima has not, without taking it. On CUDA the
/// other library must have finished writing.
MINIMA_API Tensor from_dlpack(dlpack::Managed* managed);

}  // namespace minima
