#pragma once

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/fault.h>

#include <mutex>

namespace minima::cuda {

/// The records of all kinds of faults, in memory that `allocate` provides.
class FaultTable {
 public:
  static constexpr int capacity = 64;

  template <class Allocate>
  Fault* place(const FaultText& text, Allocate&& allocate) {
    const std::lock_guard lock(mutex_);
    if (!places_) places_ = allocate(capacity);
    if (count_ == capacity) throw Error("too many kinds of faults; the table is full");
    texts_[count_] = text;
    places_[count_] = {};
    Fault* const made = places_ + count_;
    __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
    return made;
  }

  void throw_first() {
    const int count = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
    for (int i = 0; i < count; ++i) {
      if (__atomic_load_n(&places_[i].raised, __ATOMIC_ACQUIRE) == 0) continue;
      const Fault fault = places_[i];
      // Clears all records, since later ones, in backward for instance, follow from this fault.
      for (int k = 0; k < count; ++k) {
        __atomic_store_n(&places_[k].raised, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&places_[k].claimed, 0, __ATOMIC_RELEASE);
      }
      throw IndexError(str(texts_[i].before, fault.value, texts_[i].between, fault.size, texts_[i].after));
    }
  }

 private:
  std::mutex mutex_;
  Fault* places_ = nullptr;
  FaultText texts_[capacity] = {};
  int count_ = 0;
};

}  // namespace minima::cuda
