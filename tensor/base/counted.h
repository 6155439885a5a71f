#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <utility>

namespace minima::data {

/// Base of things that several threads own together; the last owner destroys it.
class MINIMA_API Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  virtual ~Counted();

  void retain() { __atomic_fetch_add(&references_, 1u, __ATOMIC_RELAXED); }
  void release() noexcept {
    if (__atomic_sub_fetch(&references_, 1u, __ATOMIC_ACQ_REL) == 0u) delete this;
  }

 private:
  std::uint32_t references_ = 1;
};

/// An owning handle to a Counted.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Takes over one reference: `Ref<Job>(new Job)`.
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

 private:
  T* object_ = nullptr;
};

}  // namespace minima::data
