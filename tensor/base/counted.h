#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <type_traits>
#include <utility>

// Intrusive reference counting: ReferenceCount is the counter, Counted a polymorphic base that has one, Ref the handle.

namespace minima {

/// A thread-safe reference count. It starts at one: the creator's reference.
class ReferenceCount {
 public:
  void retain() { __atomic_fetch_add(&count_, 1u, __ATOMIC_RELAXED); }
  /// Drops a reference; true if it was the last. A sole owner sees its own count and needs no read-modify-write.
  [[nodiscard]] bool release() noexcept { return is_one() || __atomic_sub_fetch(&count_, 1u, __ATOMIC_ACQ_REL) == 0u; }
  /// True if the caller holds the only reference.
  bool is_one() const { return value() == 1u; }
  std::uint32_t value() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE); }
  /// Turns a weak reference into a strong one. False if the count is at most one, as its last owner may be in
  /// release().
  [[nodiscard]] bool retain_if_shared() {
    std::uint32_t count = value();
    while (count > 1u)
      if (__atomic_compare_exchange_n(&count_, &count, count + 1u, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return true;
    return false;
  }

 private:
  std::uint32_t count_ = 1;
};

/// Base of shared objects; the last release deletes the object.
class MINIMA_API Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  virtual ~Counted();

  void retain() { references_.retain(); }
  void release() noexcept {
    if (references_.release()) delete this;
  }

 private:
  ReferenceCount references_;
};

/// An owning handle to anything with `retain()` and `release()`.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Adopts one reference: `Ref<Job>(new Job)`.
  explicit Ref(T* object) : object_(object) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& other) : object_(other.get()) {
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : object_(other.object_) {
    if (object_) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives the reference up to the caller.
  [[nodiscard]] T* detach() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

}  // namespace minima
