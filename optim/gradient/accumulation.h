#pragma once

#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>

namespace minima::optim {

/// Several batches for one step of the optimizer:
///
///     optim::Accumulation accumulation(4);
///     for (auto& [x, y] : loader) {
///       accumulation.part(cross_entropy(net(x), y)).backward();
///       if (!accumulation.is_complete()) continue;
///       optimizer.step();
///       optimizer.zero_grad();
///     }
///
/// With a loss scaler, `scaler.scale(accumulation.part(loss)).backward()`, and unscale, step and update when complete.
class Accumulation {
 public:
  explicit Accumulation(std::int64_t parts) : parts_(parts) {
    if (parts <= 0) throw ValueError("Accumulation: needs at least one part");
  }

  /// One part's share of the loss. Counts it.
  Tensor part(const Tensor& loss) {
    seen_ = is_complete() ? 1 : seen_ + 1;
    return parts_ == 1 ? loss : loss / static_cast<double>(parts_);
  }
  /// The last part was the last of its step.
  bool is_complete() const { return seen_ == parts_; }

 private:
  std::int64_t parts_, seen_ = 0;
};

}  // namespace minima::optim
