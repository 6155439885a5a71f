#include <minima/tensor/storage/storage.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/small_memory.h>

#include <cstddef>
#include <new>  // IWYU pragma: keep

namespace minima {

namespace {

struct BorrowedStorage : Storage {
  using Storage::Storage;
  void (*owner_release)(void*) = nullptr;
  void* context = nullptr;
};

/// Owns only the headers of storages whose data belongs to others.
class BorrowedMemory final : public Allocator {
 public:
  Storage* allocate(std::size_t) override { throw Error("borrow_storage: this allocator only wraps existing memory"); }
  void release(Storage* released) noexcept override {
    auto* const storage = static_cast<BorrowedStorage*>(released);
    const auto owner_release = storage->owner_release;
    void* const context = storage->context;
    storage->~BorrowedStorage();
    detail::small_free(storage, sizeof(BorrowedStorage));
    if (owner_release) owner_release(context);
  }
};

struct SliceStorage : Storage {
  using Storage::Storage;
  StoragePtr whole;
};

class SliceMemory final : public Allocator {
 public:
  Storage* allocate(std::size_t) override {
    throw Error("slice_storage: this allocator only makes slices of storages");
  }
  void release(Storage* released) noexcept override {
    auto* const storage = static_cast<SliceStorage*>(released);
    storage->~SliceStorage();
    detail::small_free(storage, sizeof(SliceStorage));
  }
};

constinit BorrowedMemory borrowed_memory;
constinit SliceMemory slice_memory;

}  // namespace

StoragePtr borrow_storage(void* data, std::size_t bytes, Device device, void (*release)(void*), void* context) {
  if (!data && bytes > 0) throw ValueError(str("borrow_storage: a null pointer for ", bytes, " bytes"));
  void* const header = detail::small_allocate(sizeof(BorrowedStorage));
  auto* const storage = new (header) BorrowedStorage(data, bytes, device, borrowed_memory);
  storage->owner_release = release;
  storage->context = context;
  return StoragePtr(storage);
}

StoragePtr slice_storage(const StoragePtr& whole, std::size_t byte_offset, std::size_t bytes) {
  if (!whole) throw ValueError("slice_storage: the storage is null");
  if (byte_offset > whole->bytes() || bytes > whole->bytes() - byte_offset)
    throw ValueError(str("slice_storage: ", bytes, " bytes at offset ", byte_offset, " exceed a storage of ",
                         whole->bytes(), " bytes"));
  void* const header = detail::small_allocate(sizeof(SliceStorage));
  auto* const storage =
      new (header) SliceStorage(static_cast<char*>(whole->data()) + byte_offset, bytes, whole->device(), slice_memory);
  storage->whole = whole;
  storage->bookkeeping.purpose = whole->bookkeeping.purpose;
  return StoragePtr(storage);
}

}  // namespace minima
