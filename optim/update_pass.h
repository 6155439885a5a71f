#pragma once

#include <minima/optim/optimizer.h>
#include <minima/optim/update/run_updates.h>

namespace minima::optim::detail {

/// One step of an optimizer with a rule (rule.h): collects the parameters that have gradients, then updates them all.
/// On the CPU that is one parallel loop over the elements of all tensors. On CUDA each set of tensors with equal rules
/// and dtypes takes two launches, one to count the steps and one to update. Kernels read found-inf themselves, so that
/// a skipped step does not synchronise. After an exception parameters, state and step counts are unchanged.
class MINIMA_API UpdatePass {
 public:
  UpdatePass(Optimizer& optimizer, const ScaledStep& scaled) : optimizer_(optimizer), scaled_(scaled) {}
  UpdatePass(const UpdatePass&) = delete;
  ~UpdatePass();
  /// Adds the next update of a slot. The first one allocates state and master. False if the slot has no gradient.
  template <class Rule>
  bool add(Optimizer::Slot& slot, const Rule& rule);
  void run();

 private:
  struct WriteBack {
    Tensor parameter, dense;
  };
  /// The update of a slot, rule left out, in cpu_ or cuda_; null if the slot has no gradient.
  TensorUpdate* prepare(Optimizer::Slot& slot, int states);
  /// found-inf and inverse scale in the memory of `device`.
  StepControl control_for(Device device);

  Optimizer& optimizer_;
  ScaledStep scaled_;
  std::vector<TensorUpdate> cpu_, cuda_;
  double cpu_factor_ = 0;     ///< inverse scale, read at the first CPU slot; 0: not read yet
  std::vector<Tensor> kept_;  ///< gradients and scalars, alive until the pass ends
  std::vector<Tensor> changed_;
  std::vector<WriteBack> write_backs_;   ///< parameters that are not dense are updated in a dense copy
  std::vector<StepCount> before_;        ///< of cpu_
  std::vector<Optimizer::Slot*> fresh_;  ///< without state before this pass
  bool is_done_ = false;
};

/// Fills state tensor i of a slot.
MINIMA_API void fill_state(const Optimizer::Slot& slot, int i, double value);

template <class Rule>
bool UpdatePass::add(Optimizer::Slot& slot, const Rule& rule) {
  TensorUpdate* const update = prepare(slot, state_count<Rule>);
  if (!update) return false;
  if constexpr (requires { rule.initial_state(0); })
    if (!fresh_.empty() && fresh_.back() == &slot)
      for (int i = 0; i < state_count<Rule>; ++i)
        if (const double value = rule.initial_state(i); value != 0) fill_state(slot, i, value);
  Rule now = rule;
  if (!minima::detail::on_cuda(slot.parameter)) {  // kernels do this on the device
    advance_rule(now, *update->step_count);
    prepare_rule(now, *update->step_count);
  }
  set_rule(*update, now);
  return true;
}

}  // namespace minima::optim::detail
