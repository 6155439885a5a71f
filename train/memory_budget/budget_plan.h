#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::train {

/// What a memory budget does with what a block saves for its gradient.
enum class BlockMode : std::uint8_t {
  keep,             ///< as without a budget
  recompute_cheap,  ///< keeps products and attention, computes the rest again
  recompute,        ///< keeps its input alone
  offload           ///< not even that: the input waits in pinned CPU memory
};
inline constexpr int block_mode_count = 4;
MINIMA_API const char* name(BlockMode mode);

/// One block as it was measured while everything was recomputed.
struct BlockCosts {
  std::string name;
  std::int64_t saved = 0;     ///< bytes that stay from forward to backward if it is kept
  std::int64_t products = 0;  ///< that stay if products alone are
  std::int64_t extra = 0;     ///< of the latter, what a kept block does not save: they come on top in its backward
  std::int64_t input = 0;     ///< of its input
  double forward_seconds = 0;
  double cheap_seconds = 0;                          ///< of the forward, without products
  double offload_seconds = 0;                        ///< what bringing its input away and back delays
  std::int64_t forward_peak = 0, backward_peak = 0;  ///< bytes of the process
};

/// A step as it was measured.
struct StepCosts {
  std::vector<BlockCosts> blocks;  ///< in the order of the forward
  std::int64_t head_peak = 0;      ///< after the last block's forward, before its backward
  std::int64_t rest_peak = 0;      ///< while no block has anything saved
  bool can_offload = false;
};

struct BudgetPlan {
  std::vector<BlockMode> modes;
  std::int64_t peak = 0;  ///< predicted
  double seconds = 0;     ///< that recomputation takes
};

/// The peak of a step with these modes: the largest of what its parts need beside what blocks have saved by then.
MINIMA_API std::int64_t predicted_peak(const StepCosts& costs, const std::vector<BlockMode>& modes);
/// The smallest peak that there is a plan for.
MINIMA_API std::int64_t smallest_peak(const StepCosts& costs);
/// The plan that recomputes least among those whose predicted peak is at most `budget`: a knapsack whose capacity is
/// checked at every block, since what the first blocks keep is there while the last ones work. A larger budget never
/// has a smaller peak. Throws ValueError naming smallest_peak where there is none.
MINIMA_API BudgetPlan plan_budget(const StepCosts& costs, std::int64_t budget);

}  // namespace minima::train
