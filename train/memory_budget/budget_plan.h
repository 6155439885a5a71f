#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::train {

/// Decides what a memory budget does with the tensors a block saves for backward.
enum class BlockMode : std::uint8_t {
  keep,             ///< keep everything, as without a budget
  recompute_cheap,  ///< keep products and attention, recompute the rest
  recompute,        ///< keep the block's input only
  offload           ///< move the input to pinned CPU memory and recompute
};
inline constexpr int block_mode_count = 4;
MINIMA_API const char* name(BlockMode mode);

/// Measurements of one block, taken while every block is recomputed.
struct BlockCosts {
  std::string name;
  std::int64_t saved = 0;     ///< bytes from forward to backward if kept
  std::int64_t products = 0;  ///< bytes if only products are kept
  std::int64_t extra = 0;     ///< of `products`, bytes that a kept block does not save; they add to its backward peak
  std::int64_t input = 0;     ///< bytes of its input
  double forward_seconds = 0;
  double cheap_seconds = 0;                          ///< of forward_seconds, the part outside products
  double offload_seconds = 0;                        ///< delay of moving its input out and back
  std::int64_t forward_peak = 0, backward_peak = 0;  ///< bytes in use on the device
};

/// Measurements of one step.
struct StepCosts {
  std::vector<BlockCosts> blocks;  ///< in the order of the forward
  std::int64_t head_peak = 0;      ///< between the last block's forward and its backward
  std::int64_t rest_peak = 0;      ///< while no block holds saved tensors
  bool can_offload = false;
};

struct BudgetPlan {
  std::vector<BlockMode> modes;
  std::int64_t peak = 0;  ///< predicted
  double seconds = 0;     ///< of recomputation and offloading
};

/// The peak of a step with these modes: the maximum, over the parts of the step, of their own peak plus what blocks
/// have saved by then.
MINIMA_API std::int64_t predicted_peak(const StepCosts& costs, const std::vector<BlockMode>& modes);
/// The smallest peak of any plan.
MINIMA_API std::int64_t smallest_peak(const StepCosts& costs);
/// The plan with the least recomputation time whose predicted peak is at most `budget`: a knapsack whose capacity is
/// checked at every block, because the first blocks' saved tensors are alive while the last blocks run. A larger budget
/// never has a smaller peak. Throws ValueError naming smallest_peak if no plan fits.
MINIMA_API BudgetPlan plan_budget(const StepCosts& costs, std::int64_t budget);

}  // namespace minima::train
