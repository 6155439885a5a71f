#pragma once

#include <utility>

/// Declares the option `name` of type `T` in an options class: a member `name_` (initialised by what follows the macro,
/// `TORCH_ARG(bool, bias) = true;`), setters that return `*this` to be chained, and getters.
#define TORCH_ARG(T, name)                                 \
 public:                                                   \
  auto name(const T& value) -> decltype(*this) {           \
    this->name##_ = value;                                 \
    return *this;                                          \
  }                                                        \
  auto name(T&& value) -> decltype(*this) {                \
    this->name##_ = ::std::move(value);                    \
    return *this;                                          \
  }                                                        \
  const T& name() const noexcept { return this->name##_; } \
  T& name() noexcept { return this->name##_; }             \
                                                           \
 private:                                                  \
  T name##_
