#pragma once

#include <minima/io/state.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::optim {

struct AccumulationOptions {
  /// Batches of an epoch, usually `loader.batches()`: its last step then takes the batches that are left, as their
  /// mean, and the next epoch starts with a step of its own. 0: a step may continue in the next epoch.
  std::int64_t batches = 0;
  std::vector<Tensor> parameters = {};  ///< for flush(), and to save the gradients of a step that is not complete
};

/// Gradient accumulation: several batches per optimizer step.
///
///     optim::Accumulation accumulation(4, {.batches = loader.batches()});
///     for (int epoch = 0; epoch < epochs; ++epoch)
///       for (auto& [x, y] : loader) {
///         accumulation.part(cross_entropy(net(x), y)).backward();
///         if (!accumulation.is_complete()) continue;
///         optimizer.step();
///         optimizer.zero_grad();
///       }
///
/// Clear the gradients after a step only: a zero_grad() between a step's parts drops those before it. Where a loop over
/// an epoch is left early, call reset() and zero_grad(). With a loss scaler, call
/// `scaler.scale(accumulation.part(loss)).backward()` for each batch, and unscale, step and update once complete.
class MINIMA_API Accumulation {
 public:
  /// Throws ValueError for less than one part, or a negative number of batches.
  explicit Accumulation(std::int64_t parts, const AccumulationOptions& options = {});

  /// Counts a batch and returns its loss divided by the number of the step's parts.
  Tensor part(const Tensor& loss);
  /// Whether the last batch completed a step.
  bool is_complete() const { return seen_ == size_; }

  /// For a stream, whose number of batches is not known: after an epoch, scales the gradients of an incomplete step to
  /// the mean of the parts that it has, and returns true if an optimizer step is due. With several processes these
  /// parts must not have been under no_sync. Throws ValueError without AccumulationOptions::parameters.
  ///
  ///     if (accumulation.flush()) optimizer.step(), optimizer.zero_grad();
  bool flush();
  /// Starts an epoch and a step, and forgets the parts before.
  void reset();

  /// The place in the epoch and in the step, and the gradients of an incomplete step if the parameters are known;
  /// without them, save after complete steps.
  State state_dict() const;
  /// Throws ValueError for a state of more parts, or of other parameters.
  void load_state_dict(const State& state);

 private:
  std::int64_t parts_;
  AccumulationOptions options_;
  std::int64_t size_, seen_ = 0;  ///< parts of the current step, in all and so far
  std::int64_t batch_ = 0;        ///< of the epoch, the next one
};

}  // namespace minima::optim
