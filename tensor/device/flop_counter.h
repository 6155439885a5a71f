#pragma once

#include <minima/tensor/device/observer.h>

namespace minima {

/// Adds up, while it exists, the FLOPs that this thread's operators report.
class FlopCounter final : public Observer {
 public:
  FlopCounter() = default;
  FlopCounter(const FlopCounter&) = delete;
  FlopCounter& operator=(const FlopCounter&) = delete;
  ~FlopCounter() { set_observer(previous_); }
  void begin(const char* op, Cost cost) override {
    flops += cost.flops;
    if (previous_) previous_->begin(op, cost);
  }
  void call(const detail::OperatorCall& call) override {
    if (previous_) previous_->call(call);
  }
  void end() noexcept override {
    if (previous_) previous_->end();
  }
  void view(const Tensor& x, const Tensor& y) override {
    if (previous_) previous_->view(x, y);
  }
  void read(const Tensor& x) override {
    if (previous_) previous_->read(x);
  }

  double flops = 0;

 private:
  Observer* previous_ = set_observer(this);
};

}  // namespace minima
