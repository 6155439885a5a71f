#pragma once

#include <minima/nn/module/any_module.h>
#include <minima/train/memory_budget/budget_plan.h>

namespace minima::train {

struct MemoryBudgetOptions {
  /// The units of the plan. Empty: the children of the model's outermost Sequentials and ModuleLists.
  std::vector<nn::AnyModule> blocks = {};
};

/// Tells what a budget costs and saves.
struct MINIMA_API BudgetReport {
  std::int64_t budget = 0;
  std::int64_t smallest = 0;        ///< smallest feasible budget
  std::int64_t predicted_peak = 0;  ///< of the plan; 0 until there is one
  std::int64_t actual_peak = 0;     ///< since the plan was made
  std::int64_t evictions = 0;       ///< of kept blocks, because memory ran short
  struct Block {
    std::string name;
    BlockMode mode;
    std::int64_t saved;      ///< bytes if kept
    double forward_seconds;  ///< measured
  };
  std::vector<Block> blocks = {};

  bool is_planned() const { return predicted_peak > 0; }
  /// `budget 64.0 MiB: predicted peak …, actual …; 12 blocks: 5 keep, 4 recompute cheap operators, 3 recompute`
  std::string text() const;
};

/// Trains within `bytes` of a device's memory. Parameters, gradients, optimizer state and workspaces count, a data set
/// (Purpose::dataset) does not.
///
///     train::MemoryBudget budget(net, std::int64_t{64} << 20);
///     for (…) step();                       // unchanged, on this thread
///     std::puts(budget.report().text().c_str());
///
/// The first two optimizer steps recompute every block. The first measures how much each block saves. The second, with
/// gradients and optimizer state allocated, measures times and peaks. From then on a plan keeps, partly recomputes or
/// recomputes each block (on a GPU it can also offload the block's input), so that the predicted peak is within the
/// budget and the recomputation time is least. Before an allocation that would exceed the budget, kept blocks are
/// evicted and recomputed later. If that is not enough, OutOfMemoryError names the smallest feasible budget. If no plan
/// fits, the first block of the third step throws ValueError, which names it too.
///
/// A step may have any number of backward passes (gradient accumulation), and the number may vary. It ends at the first
/// forward that finds the gradients zeroed or the parameters changed. Create a new budget when the batch size changes.
/// Under NoGrad, blocks run unchanged. One budget per thread. On the CPU, tensors of up to 32 KiB are counted when a
/// larger one follows, so a budget of a few MiB may be exceeded by some of them. Memory that is not cached
/// (MINIMA_NO_CACHE=1) is not limited.
class MINIMA_API MemoryBudget {
 public:
  /// Throws ValueError if the model has no Sequential or ModuleList, or if a block does not map one tensor to one
  /// tensor.
  MemoryBudget(const nn::ModuleBase& model, std::int64_t bytes, const MemoryBudgetOptions& options = {});
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;
  ~MemoryBudget();

  BudgetReport report() const;
  /// The measurements; complete once there is a plan.
  const StepCosts& costs() const;

  class Impl;

 private:
  struct Handle;
  Handle* handle_;
};

/// Creates a MemoryBudget: `auto budget = train::memory_budget(net, std::int64_t{64} << 20);`.
inline MemoryBudget memory_budget(const nn::ModuleBase& model, std::int64_t bytes,
                                  const MemoryBudgetOptions& options = {}) {
  return MemoryBudget(model, bytes, options);
}

}  // namespace minima::train
