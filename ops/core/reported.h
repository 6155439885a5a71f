#pragma once

#include <minima/tensor/device/observer.h>

namespace minima::detail {

/// Reports to the observer, for its scope, work that a formula does by calling kernels directly instead of operators.
class Reported {
 public:
  Reported(const char* op, Cost cost) : listener_(observer()) {
    if (listener_) listener_->begin(op, cost);
  }
  Reported(const Reported&) = delete;
  ~Reported() {
    if (listener_) listener_->end();
  }

 private:
  Observer* listener_;
};

}  // namespace minima::detail
