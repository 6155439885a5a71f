#pragma once

#include <minima/tensor/storage/storage.h>

#include <c10/core/Device.h>
#include <c10/util/ArrayRef.h>

namespace c10 {

using DeleterFnPtr = void (*)(void*);

/// A storage's address and what its owner passed as context.
class DataPtr {
 public:
  DataPtr() = default;
  DataPtr(void* data, Device device) : data_(data), device_(device) {}
  DataPtr(void* data, void* context, DeleterFnPtr deleter, Device device)
      : data_(data), context_(context), deleter_(deleter), device_(device) {}

  void* get() const { return data_; }
  void* mutable_get() const { return data_; }
  void* get_context() const { return context_; }
  DeleterFnPtr get_deleter() const { return deleter_; }
  Device device() const { return device_; }
  operator bool() const { return data_ || context_; }
  bool operator==(std::nullptr_t) const { return !data_; }
  /// Whether both have the same address. LibTorch compares whether they have one.
  bool operator==(const DataPtr& other) const { return data_ == other.data_; }

 private:
  void* data_ = nullptr;
  void* context_ = nullptr;
  DeleterFnPtr deleter_ = nullptr;
  Device device_ = kCPU;
};

/// The memory that a tensor and its views share: a handle like the tensor's. It cannot be resized.
class Storage {
 public:
  Storage() = default;
  Storage(minima::StoragePtr storage) : storage_(std::move(storage)) {}

  void* mutable_data() const { return storage_->data(); }
  const void* data() const { return storage_->data(); }
  template <class T>
  T* data() const {
    return static_cast<T*>(storage_->data());
  }
  /// The context is always null: a deleter given to from_blob stays with minima.
  DataPtr data_ptr() const { return DataPtr(storage_->data(), device()); }
  DataPtr mutable_data_ptr() const { return data_ptr(); }
  std::size_t nbytes() const { return storage_->bytes(); }
  Device device() const { return from_native(storage_->device()); }
  DeviceType device_type() const { return device().type(); }
  bool resizable() const { return false; }
  std::size_t use_count() const { return storage_->references(); }
  bool unique() const { return storage_->unique(); }
  bool is_alias_of(const Storage& other) const { return storage_.get() == other.storage_.get(); }
  operator bool() const { return static_cast<bool>(storage_); }
  minima::Storage* unsafeGetStorageImpl() const { return storage_.get(); }
  const minima::StoragePtr& native() const { return storage_; }

 private:
  minima::StoragePtr storage_;
};

}  // namespace c10
