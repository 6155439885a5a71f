#include <minima/train/memory_budget/budget_plan.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/system_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::train {

const char* name(BlockMode mode) {
  constexpr const char* names[block_mode_count] = {"keep", "recompute cheap operators", "recompute", "offload"};
  return names[static_cast<int>(mode)];
}

namespace {

constexpr std::size_t most_states = 4096;

/// Bytes kept from forward to backward, relative to a recomputed block, which keeps its input.
std::int64_t kept_bytes(const BlockCosts& block, BlockMode mode) {
  switch (mode) {
    case BlockMode::keep: return block.saved;
    case BlockMode::recompute_cheap: return block.products;
    case BlockMode::recompute: return 0;
    case BlockMode::offload: return -block.input;
  }
  return 0;
}

double seconds_of(const BlockCosts& block, BlockMode mode) {
  switch (mode) {
    case BlockMode::keep: return 0;
    case BlockMode::recompute_cheap: return block.cheap_seconds;
    case BlockMode::recompute: return block.forward_seconds;
    case BlockMode::offload: return block.forward_seconds + block.offload_seconds;
  }
  return 0;
}

/// The peak while this block runs, with `before` bytes kept by earlier blocks.
std::int64_t peak_of(const BlockCosts& block, BlockMode mode, std::int64_t before) {
  const std::int64_t forward = block.forward_peak + std::max<std::int64_t>(kept_bytes(block, mode), 0);
  const std::int64_t backward = block.backward_peak + (mode == BlockMode::recompute_cheap ? block.extra : 0);
  return before + std::max(forward, backward);
}

bool is_possible(const StepCosts& costs, BlockMode mode) { return mode != BlockMode::offload || costs.can_offload; }

/// Modes for the first blocks, as a linked list of choices.
struct PartialPlan {
  std::int64_t kept;
  double seconds;
  std::int32_t previous;  ///< index in the list of the previous block
  BlockMode mode;
};

/// Drops plans that are no better than another in memory and in time; thins out the rest if there are too many.
void prune(std::vector<PartialPlan>& states) {
  std::sort(states.begin(), states.end(), [](const PartialPlan& a, const PartialPlan& b) {
    return a.kept != b.kept ? a.kept < b.kept : a.seconds < b.seconds;
  });
  std::vector<PartialPlan> best;
  for (const PartialPlan& state : states)
    if (best.empty() || state.seconds < best.back().seconds) best.push_back(state);
  if (best.size() > most_states) {
    const std::int64_t lowest = best.front().kept,
                       cell = (best.back().kept - lowest) / static_cast<std::int64_t>(most_states) + 1;
    std::vector<PartialPlan> thinned;
    for (const PartialPlan& state : best)  // later plans in a cell are faster
      if (!thinned.empty() && (thinned.back().kept - lowest) / cell == (state.kept - lowest) / cell)
        thinned.back() = state;
      else thinned.push_back(state);
    best = std::move(thinned);
  }
  states = std::move(best);
}

}  // namespace

std::int64_t predicted_peak(const StepCosts& costs, const std::vector<BlockMode>& modes) {
  std::int64_t kept = 0, peak = costs.rest_peak;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    peak = std::max(peak, peak_of(costs.blocks[i], modes[i], kept));
    kept += kept_bytes(costs.blocks[i], modes[i]);
  }
  return std::max(peak, costs.head_peak + kept);
}

std::int64_t smallest_peak(const StepCosts& costs) {
  const BlockMode frugal = costs.can_offload ? BlockMode::offload : BlockMode::recompute;
  return predicted_peak(costs, std::vector<BlockMode>(costs.blocks.size(), frugal));
}

BudgetPlan plan_budget(const StepCosts& costs, std::int64_t budget) {
  const auto refuse = [&] {
    throw ValueError(str("memory_budget: ", detail::bytes_text(budget),
                         " is not enough: even with every block recomputed, a step needs ",
                         detail::bytes_text(smallest_peak(costs)), "; the smallest feasible budget is ",
                         smallest_peak(costs), " bytes"));
  };
  if (costs.rest_peak > budget) refuse();
  std::vector<std::vector<PartialPlan>> lists{{{0, 0, -1, BlockMode::keep}}};
  for (const BlockCosts& block : costs.blocks) {
    std::vector<PartialPlan> next;
    const std::vector<PartialPlan>& states = lists.back();
    for (std::size_t i = 0; i < states.size(); ++i)
      for (int m = 0; m < block_mode_count; ++m) {
        const auto mode = static_cast<BlockMode>(m);
        if (!is_possible(costs, mode) || peak_of(block, mode, states[i].kept) > budget) continue;
        next.push_back({states[i].kept + kept_bytes(block, mode), states[i].seconds + seconds_of(block, mode),
                        static_cast<std::int32_t>(i), mode});
      }
    prune(next);
    lists.push_back(std::move(next));
  }
  const PartialPlan* best = nullptr;
  for (const PartialPlan& state : lists.back())
    if (costs.head_peak + state.kept <= budget && (!best || state.seconds < best->seconds)) best = &state;
  if (!best) refuse();
  BudgetPlan plan{.modes = std::vector<BlockMode>(costs.blocks.size()), .peak = 0, .seconds = best->seconds};
  for (std::size_t i = costs.blocks.size(); i > 0; --i) {
    plan.modes[i - 1] = best->mode;
    best = &lists[i - 1][static_cast<std::size_t>(best->previous)];
  }
  plan.peak = predicted_peak(costs, plan.modes);
  return plan;
}

}  // namespace minima::train
