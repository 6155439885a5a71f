#pragma once

#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>

namespace minima::optim {

/// Gradient accumulation: several batches per optimizer step.
///
///     optim::Accumulation accumulation(4);
///     for (auto& [x, y] : loader) {
///       accumulation.part(cross_entropy(net(x), y)).backward();
///       if (!accumulation.is_complete()) continue;
///       optimizer.step();
///       optimizer.zero_grad();
///     }
///
/// With a loss scaler, call `scaler.scale(accumulation.part(loss)).backward()` for each batch, and unscale, step and
/// update once complete.
class Accumulation {
 public:
  explicit Accumulation(std::int64_t parts) : parts_(parts) {
    if (parts <= 0) throw ValueError("Accumulation: needs at least one part");
  }

  /// Counts a batch and returns its loss divided by the number of parts.
  Tensor part(const Tensor& loss) {
    seen_ = is_complete() ? 1 : seen_ + 1;
    return parts_ == 1 ? loss : loss / static_cast<double>(parts_);
  }
  /// Whether the last batch completed a step.
  bool is_complete() const { return seen_ == parts_; }

 private:
  std::int64_t parts_, seen_ = 0;
};

}  // namespace minima::optim
