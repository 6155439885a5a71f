#pragma once

#include <minima/io/state.h>
#include <minima/optim/step_result.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace minima {
struct TokenLoss;  // ops/loss/token_loss.h
}

namespace minima::optim {

class Optimizer;

struct AccumulationOptions {
  /// Batches of an epoch, usually `loader.batches()`: its last step then takes the batches that are left, and the next
  /// epoch starts with a step of its own. 0: a step may continue in the next epoch.
  std::int64_t batches = 0;
  std::vector<Tensor> parameters = {};  ///< to save the gradients of a step that is not complete
};

/// Gradient accumulation: several batches per optimizer step, which is that of one large batch.
///
///     optim::Accumulation accumulation(4, {.batches = loader.batches()});
///     for (int epoch = 0; epoch < epochs; ++epoch)
///       for (auto& [tokens, targets, segments, positions] : loader) {
///         accumulation.part(token_loss(net(tokens), targets)).backward();
///         if (!accumulation.is_complete()) continue;
///         accumulation.step(optimizer);
///         optimizer.zero_grad();
///       }
///
/// Each part gives the sum of its losses and their number, and step() divides the gradients by the number of all:
/// batches of 1 and of 9 tokens count as 1 and 9. The division is a factor in the pass that updates the parameters, so
/// `.grad` holds sums; let Optimizer::max_grad_norm clip, which knows the factor, not clip_grad_norm_. With several
/// processes call sum_over_ranks() of DistributedDataParallel or Sharding once. With a loss scaler, call
/// `scaler.scale(accumulation.part(loss)).backward()` for each batch, and once complete
/// `scaler.step(optimizer, accumulation.scaled_step())` and update().
///
/// Clear the gradients after a step only: a zero_grad() between a step's parts drops those before it. Where a loop over
/// an epoch is left early, call reset() and zero_grad().
class MINIMA_API Accumulation {
 public:
  /// Throws ValueError for less than one part, or a negative number of batches.
  explicit Accumulation(std::int64_t parts, const AccumulationOptions& options = {});

  /// Counts a batch and returns the tensor to call backward() on, the loss's sum. Throws ShapeError unless sum and
  /// count are of rank 0.
  Tensor part(const TokenLoss& loss);
  /// The same for a loss that is the sum over `count` samples, as with Reduction::sum.
  Tensor part(const Tensor& sum, std::int64_t count);
  /// Counts a batch and returns its loss divided by the number of the step's parts: the mean of means, which is the
  /// gradient of one large batch only if all parts have equally many targets. Step through the optimizer itself.
  [[deprecated(
      "equal weights are wrong where parts differ in size; pass a sum and a count, part(TokenLoss) or part(sum, "
      "count), and call step(optimizer)")]]
  Tensor part(const Tensor& mean);
  /// Whether the last batch completed a step.
  bool is_complete() const { return seen_ == size_; }

  /// The optimizer's step on the mean over the targets of all parts and processes. Skips it, as StepResult says, if
  /// there is none. Several optimizers may step in turn. Throws ValueError if the step is not complete (see flush()),
  /// and for shards of several ranks whose counts are not added up.
  StepResult step(Optimizer& optimizer);
  /// The same instructions for a loss scaler's step, or for an optimizer's own.
  ScaledStep scaled_step();
  /// The step's loss, Σ sums / Σ counts over the parts so far, and over all processes once it is complete; 0 if nothing
  /// counts. float64 of rank 0, on the losses' device. With several processes all must call it.
  Tensor mean();
  /// The number of the same targets, float64 of rank 0.
  Tensor count();

  /// For a stream, whose number of batches is not known: after an epoch, completes a step with the parts that it has,
  /// and returns true if an optimizer step is due. With several processes these parts must not have been under no_sync.
  ///
  ///     if (accumulation.flush()) accumulation.step(optimizer), optimizer.zero_grad();
  ///
  /// After parts without a count, it scales the gradients, for which it needs AccumulationOptions::parameters; else it
  /// throws ValueError.
  bool flush();
  /// Starts an epoch and a step, and forgets the parts before.
  void reset();

  /// Adds up [sum, count], a float64 tensor, over processes. sum_over_ranks() calls it.
  void reduce_with(Function<Tensor(const Tensor&)> reduce) { reduce_ = std::move(reduce); }

  /// The place in the epoch and in the step, and the gradients and sums of an incomplete step if the parameters are
  /// known; without them, save after complete steps. Of several processes each saves its own.
  State state_dict() const;
  /// Throws ValueError for a state of more parts, or of other parameters.
  void load_state_dict(const State& state);

 private:
  void begin_part(bool counted);
  /// [sum, count] of the step, over all processes if it is complete.
  const Tensor& totals();

  std::int64_t parts_;
  AccumulationOptions options_;
  std::int64_t size_, seen_ = 0;  ///< parts of the current step, in all and so far
  std::int64_t batch_ = 0;        ///< of the epoch, the next one
  bool counted_ = true;           ///< whether the step's parts have counts
  bool is_reduced_ = false;       ///< whether totals_ are those of all processes
  Tensor totals_;                 ///< float64 [2]: the sum and the count of the parts so far
  Function<Tensor(const Tensor&)> reduce_;
};

}  // namespace minima::optim
