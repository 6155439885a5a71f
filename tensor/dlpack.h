#pragma once

#include <minima/tensor/tensor.h>

// Zero-copy exchange of tensors with other libraries through DLPack (https://dmlc.github.io/dlpack). The structures
// have the memory layout of DLPack version 0.

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
  void (*deleter)(Managed*);  ///< the consumer calls this once when done
};

}  // namespace dlpack

/// Exports x. Its memory stays alive until the consumer calls the deleter. The result is a `DLManagedTensor*`. Throws
/// ValueError if x requires grad; detach it first.
MINIMA_API dlpack::Managed* to_dlpack(const Tensor& x);
/// Imports another library's tensor. It takes ownership of `managed` and calls its deleter when the last tensor that
/// uses the memory is gone. Throws DTypeError or ValueError, without taking ownership, if minima lacks the dtype or
/// device. On CUDA the other library must have finished writing.
MINIMA_API Tensor from_dlpack(dlpack::Managed* managed);

}  // namespace minima
