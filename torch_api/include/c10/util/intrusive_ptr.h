#pragma once

#include <memory>
#include <utility>

namespace c10 {

/// Here the two kinds of shared ownership are one, so programs written for either compile.
template <class T>
using intrusive_ptr = std::shared_ptr<T>;
template <class T>
using weak_intrusive_ptr = std::weak_ptr<T>;

struct intrusive_ptr_target {
  virtual ~intrusive_ptr_target() = default;
};

template <class T, class... Args>
std::shared_ptr<T> make_intrusive(Args&&... args) {
  return std::make_shared<T>(std::forward<Args>(args)...);
}

}  // namespace c10
