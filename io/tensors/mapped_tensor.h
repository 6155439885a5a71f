#pragma once

#include <minima/io/files/mapped_file.h>
#include <minima/tensor/tensor.h>

#include <cstring>
#include <memory>

namespace minima::detail {

/// A contiguous tensor that shares ownership of a mapped file. The bytes must be inside the file and aligned for the
/// dtype.
inline Tensor map_tensor(const std::shared_ptr<MappedFile>& file, std::size_t offset, const Shape& shape, DType dtype) {
  auto owner = std::make_unique<std::shared_ptr<MappedFile>>(file);
  const auto release = [](void* context) { delete static_cast<std::shared_ptr<MappedFile>*>(context); };
  Tensor tensor = from_blob(file->data() + offset, Layout::contiguous(shape), {.dtype = dtype}, release, owner.get());
  static_cast<void>(owner.release());  // the tensor's now
  return tensor;
}

/// A contiguous tensor with a copy of the bytes.
inline Tensor copy_tensor(const std::byte* bytes, const Shape& shape, DType dtype) {
  Tensor tensor = empty(shape, {.dtype = dtype});
  const std::size_t size = static_cast<std::size_t>(tensor.numel()) * size_of(dtype);
  if (size > 0) std::memcpy(tensor.raw_data(), bytes, size);
  return tensor;
}

}  // namespace minima::detail
