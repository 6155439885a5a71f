#pragma once

#include <minima/tensor/storage/allocator.h>

#include <utility>

namespace minima {

/// A block of memory, shared by the tensors that view it. Counts its users and, through the version, the in-place
/// changes, so that autograd notices when a saved tensor is no longer what it was.
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

  void retain() { __atomic_fetch_add(&references_, 1u, __ATOMIC_RELAXED); }
  void release() noexcept {
    // A sole owner sees its own count; then no read-modify-write is needed.
    if (__atomic_load_n(&references_, __ATOMIC_ACQUIRE) == 1u ||
        __atomic_sub_fetch(&references_, 1u, __ATOMIC_ACQ_REL) == 0u)
      allocator_->release(this);
  }
  std::uint32_t references() const { return __atomic_load_n(&references_, __ATOMIC_ACQUIRE); }
  bool unique() const { return references() == 1u; }

  /// For the allocator's own book-keeping.
  struct Bookkeeping {
    std::uint32_t size_class = 0;
    Purpose purpose = Purpose::activations;
  } bookkeeping;

 private:
  void* data_;
  std::size_t bytes_;
  Allocator* allocator_;
  std::uint32_t references_ = 1;
  std::uint32_t version_ = 0;
  Device device_;
};

/// An owning handle to a storage.
class StoragePtr {
 public:
  StoragePtr() = default;
  /// Takes over one reference.
  explicit StoragePtr(Storage* storage) : storage_(storage) {}
  StoragePtr(const StoragePtr& other) : storage_(other.storage_) {
    if (storage_) storage_->retain();
  }
  StoragePtr(StoragePtr&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StoragePtr& operator=(StoragePtr other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StoragePtr() {
    if (storage_) storage_->release();
  }

  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  Storage& operator*() const { return *storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  Storage* storage_ = nullptr;
};

/// A storage over memory that somebody else owns; `release(context)` runs when the last user is gone.
MINIMA_API StoragePtr borrow_storage(void* data, std::size_t bytes, Device device, void (*release)(void*),
                                     void* context);
/// A storage that is a part of another, keeps it alive, and counts its in-place changes apart.
MINIMA_API StoragePtr slice_storage(const StoragePtr& whole, std::size_t byte_offset, std::size_t bytes);

}  // namespace minima
