#pragma once

#include <minima/nn/module/any_module.h>
#include <minima/train/memory_budget/budget_plan.h>

namespace minima::train {

struct MemoryBudgetOptions {
  /// What to decide about. None given: the children of the outermost Sequentials and ModuleLists of the model.
  std::vector<nn::AnyModule> blocks = {};
};

struct MINIMA_API BudgetReport {
  std::int64_t budget = 0;
  std::int64_t smallest = 0;        ///< feasible budget
  std::int64_t predicted_peak = 0;  ///< of the plan; 0 while there is none
  std::int64_t actual_peak = 0;     ///< since there is a plan
  std::int64_t evictions = 0;       ///< of blocks that were to be kept, for want of memory
  struct Block {
    std::string name;
    BlockMode mode;
    std::int64_t saved;      ///< bytes, if kept
    double forward_seconds;  ///< as measured
  };
  std::vector<Block> blocks = {};

  bool is_planned() const { return predicted_peak > 0; }
  /// `budget 64.0 MiB: predicted peak …, actual …; 12 blocks: 5 keep, 4 recompute cheap operators, 3 recompute`
  std::string text() const;
};

/// Trains within `bytes` of a device's memory: parameters, gradients, optimizer state and workspaces count, a data set
/// (Purpose::dataset) does not.
///
///     train::MemoryBudget budget(net, std::int64_t{64} << 20);
///     for (…) step();                       // as usual, on this thread
///     std::puts(budget.report().text().c_str());
///
/// The first two optimizer steps recompute every block. The first measures what each saves; the second, when gradients
/// and optimizer state are there, how long it takes and how much memory the parts of a step need. Then a plan keeps,
/// recomputes in part or recomputes each block (on a GPU also: offloads its input), so that the predicted peak lies
/// inside the budget and least time is spent. Before memory is taken that would exceed it, kept blocks are evicted and
/// recomputed later; where that does not suffice, OutOfMemoryError names the smallest feasible budget. So does the
/// ValueError of the third step's first block where no plan fits.
///
/// A step may have any number of backward passes (gradient accumulation), and not always the same. It ends with the
/// first forward that finds the gradients zeroed or the parameters changed. Another batch size is a matter for a new
/// budget. Under NoGrad blocks run as they are. One budget per thread. Memory that is not cached (MINIMA_NO_CACHE=1) is
/// not held to it.
class MINIMA_API MemoryBudget {
 public:
  /// Throws ValueError where the model has no Sequential or ModuleList, and for a block that does not map one tensor to
  /// one.
  MemoryBudget(const nn::ModuleBase& model, std::int64_t bytes, const MemoryBudgetOptions& options = {});
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;
  ~MemoryBudget();

  BudgetReport report() const;
  /// What was measured, once there is a plan.
  const StepCosts& costs() const;

  class Impl;

 private:
  struct Handle;
  Handle* handle_;
};

/// The same as a function: `auto budget = train::memory_budget(net, std::int64_t{64} << 20);`.
inline MemoryBudget memory_budget(const nn::ModuleBase& model, std::int64_t bytes,
                                  const MemoryBudgetOptions& options = {}) {
  return MemoryBudget(model, bytes, options);
}

}  // namespace minima::train
