#include <minima/tensor/storage/storage.h>

#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstring>

namespace minima::storage_test {
namespace {

StoragePtr make(std::size_t bytes) { return StoragePtr(allocator_of(Device::cpu()).allocate(bytes)); }

TEST(Storage, CountsItsUsers) {
  StoragePtr a = make(8);
  EXPECT_TRUE(a->unique());
  const StoragePtr b = a;
  EXPECT_FALSE(a->unique());
  a = StoragePtr();
  EXPECT_TRUE(b->unique());
}

TEST(Storage, FreshOnesStartAtVersionZero) {
  make(64)->bump_version();
  EXPECT_EQ(make(64)->version(), 0u);
}

TEST(Storage, BorrowedMemoryIsGivenBackOnce) {
  int calls = 0;
  char memory[16];
  const auto count = [](void* context) { ++*static_cast<int*>(context); };
  {
    const StoragePtr a = borrow_storage(memory, 16, Device::cpu(), count, &calls);
    const StoragePtr b = a;
    EXPECT_EQ(a->data(), memory);
    EXPECT_EQ(a->bytes(), 16u);
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
}

TEST(Storage, BorrowingNeedsNoRelease) {
  char memory[16];
  EXPECT_EQ(borrow_storage(memory, 16, Device::cpu(), nullptr, nullptr)->data(), memory);
  EXPECT_EQ(borrow_storage(nullptr, 0, Device::cpu(), nullptr, nullptr)->bytes(), 0u);
  EXPECT_THROW(borrow_storage(nullptr, 4, Device::cpu(), nullptr, nullptr), ValueError);
}

TEST(Storage, BorrowedMemoryIsNotCounted) {
  static char memory[1 << 16];
  const std::int64_t before = memory_stats().allocated;
  const StoragePtr storage = borrow_storage(memory, sizeof memory, Device::cpu(), nullptr, nullptr);
  EXPECT_EQ(memory_stats().allocated, before);
}

TEST(Storage, SlicesShareMemoryAndKeepTheWholeAlive) {
  StoragePtr whole = make(100);
  char* const data = static_cast<char*>(whole->data());
  std::memset(data, 7, 100);
  const StoragePtr slice = slice_storage(whole, 40, 60), empty = slice_storage(whole, 100, 0);
  EXPECT_EQ(slice->data(), data + 40);
  EXPECT_EQ(slice->bytes(), 60u);
  EXPECT_EQ(empty->bytes(), 0u);
  whole = StoragePtr();
  EXPECT_EQ(static_cast<char*>(slice->data())[59], 7);
}

TEST(Storage, SlicesCountTheirOwnChanges) {
  const StoragePtr whole = make(100);
  const StoragePtr first = slice_storage(whole, 0, 50), second = slice_storage(whole, 50, 50);
  first->bump_version();
  EXPECT_EQ(first->version(), 1u);
  EXPECT_EQ(second->version(), 0u);
  EXPECT_EQ(whole->version(), 0u);
}

TEST(Storage, SlicesMustLieWithin) {
  const StoragePtr whole = make(100);
  EXPECT_THROW(slice_storage(whole, 41, 60), ValueError);
  EXPECT_THROW(slice_storage(whole, 101, 0), ValueError);
  EXPECT_THROW(slice_storage(whole, 8, SIZE_MAX), ValueError);
  EXPECT_THROW(slice_storage(StoragePtr(), 0, 0), ValueError);
  EXPECT_TRUE(whole->unique()) << "a refused slice must not retain the whole";
}

}  // namespace
}  // namespace minima::storage_test
