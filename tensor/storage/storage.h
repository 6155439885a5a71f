#pragma once

// IWYU pragma: begin_exports
#include <minima/tensor/base/counted.h>
#include <minima/tensor/storage/allocator.h>
// IWYU pragma: end_exports

namespace minima {

/// A reference-counted block of memory, shared by the tensors that view it. The version counts in-place changes, so
/// that autograd notices when a saved tensor has been modified.
class MINIMA_API Storage {
 public:
  Storage(void* data, std::size_t bytes, Device device, Allocator& allocator)
      : data_(data), bytes_(bytes), allocator_(&allocator), device_(device) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Device device() const { return device_; }

  std::uint32_t version() const { return __atomic_load_n(&version_, __ATOMIC_RELAXED); }
  void bump_version() { __atomic_fetch_add(&version_, 1u, __ATOMIC_RELAXED); }

  void retain() { references_.retain(); }
  void release() noexcept {
    if (references_.release()) allocator_->release(this);
  }
  std::uint32_t references() const { return references_.value(); }
  bool unique() const { return references_.is_one(); }

  /// For the allocator.
  struct Bookkeeping {
    std::uint32_t size_class = 0;
    Purpose purpose = Purpose::activations;
  } bookkeeping;

 private:
  void* data_;
  std::size_t bytes_;
  Allocator* allocator_;
  ReferenceCount references_;
  std::uint32_t version_ = 0;
  Device device_;
};

using StoragePtr = Ref<Storage>;

/// A storage over memory owned elsewhere. `release(context)` is called when the last reference is dropped.
MINIMA_API StoragePtr borrow_storage(void* data, std::size_t bytes, Device device, void (*release)(void*),
                                     void* context);
/// A storage for part of another. It keeps the whole alive and has its own version counter.
MINIMA_API StoragePtr slice_storage(const StoragePtr& whole, std::size_t byte_offset, std::size_t bytes);

}  // namespace minima
