#include <minima/optim/structured/lamb.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/optim/grouped.h>
#include <minima/optim/grouped_impl.h>  // IWYU pragma: keep
#include <minima/optim/optimizer.h>
#include <minima/optim/step_result.h>
#include <minima/optim/structured/lamb_rule.h>
#include <minima/optim/structured/over_parts.h>
#include <minima/optim/update_pass.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::optim {

template class Grouped<LambOptions>;

namespace {

/// An update that lacks only the move along its direction.
struct Directed {
  const Optimizer::Slot* slot;
  Tensor parameter, direction;
  Tensor size, step;  ///< their squared norms
};

}  // namespace

/// Computes all directions in one pass, then moves each tensor by its trust ratio, which stays on the device. Norms are
/// those of all shards.
void Lamb::update(const ScaledStep& scaled) {
  detail::UpdatePass pass(*this, scaled);
  std::vector<const Slot*> moved;
  for (Slot& slot : slots_)
    if (pass.add(slot, rule_for(options_[slot.group]))) moved.push_back(&slot);
  pass.run();
  std::vector<Directed> moves;
  std::vector<Tensor> parameters, squares;
  for (const Slot* slot : moved) {
    const Tensor parameter = slot->master.defined() ? slot->master : slot->parameter.detach();
    const Tensor direction = slot->state[2];
    moves.push_back({slot, parameter, direction, sum(square(parameter)), sum(square(direction))});
    parameters.insert(parameters.end(), 2, slot->parameter);
    squares.insert(squares.end(), {moves.back().size, moves.back().step});
  }
  detail::sum_over_parts(parameters, squares);
  for (const auto& [slot, parameter, direction, size_squared, step_squared] : moves) {
    const Tensor size = sqrt(size_squared), step = sqrt(step_squared);
    const Tensor zero = zeros_like(size), one = ones_like(size);
    Tensor ratio = where(logical_and(size > 0, step > 0), size / step, one);
    if (scaled.found_inf.defined()) ratio = where(scaled.found_inf.to(ratio.device()) != 0, zero, ratio);
    sub_(parameter, direction * (ratio * options_[slot->group].lr));
    if (slot->master.defined()) copy_(slot->parameter.detach(), parameter);
  }
}

std::vector<const char*> Lamb::state_names(const Slot&) const { return {"exp_avg", "exp_avg_sq"}; }

}  // namespace minima::optim
