#pragma once

#include <minima/ops/core/on_cuda.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/update/rule.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

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

/// Converts `count` elements from a half type to float32, and back.
MINIMA_API void widen(const void* from, DType dtype, float* to, std::int64_t count);
MINIMA_API void narrow(const float* from, void* to, DType dtype, std::int64_t count);

template <class T, class Rule>
void update_range(const Rule& rule, T* p, const T* g, T factor, T* const* state, std::int64_t count) {
  const Rule local = rule;  // on the stack, where the compiler sees that stores do not alias it
  T* const s0 = state[0];
  T* const s1 = state[1];
  T* const s2 = state[2];
  MINIMA_IVDEP
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (state_count<Rule> == 0) local(p[i], g[i] * factor);
    else if constexpr (state_count<Rule> == 1) local(p[i], g[i] * factor, s0[i]);
    else if constexpr (state_count<Rule> == 2) local(p[i], g[i] * factor, s0[i], s1[i]);
    else local(p[i], g[i] * factor, s0[i], s1[i], s2[i]);
  }
}

template <class T, class Rule>
void update_typed(const Rule& rule, const TensorUpdate& update, std::int64_t first, std::int64_t last) {
  T* state[max_states] = {};
  for (int s = 0; s < state_count<Rule>; ++s) state[s] = static_cast<T*>(update.state[s]) + first;
  update_range(rule, static_cast<T*>(update.parameter) + first, static_cast<const T*>(update.gradient) + first,
               static_cast<T>(update.gradient_factor), state, last - first);
}

/// Widens half gradients in a small buffer, updates the master and rounds it into the parameter.
template <class Rule>
void update_half(const Rule& rule, const TensorUpdate& update, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t block = 1024;
  float gradient[block];
  for (std::int64_t begin = first; begin < last; begin += block) {
    const std::int64_t count = last - begin < block ? last - begin : block;
    widen(static_cast<const char*>(update.gradient) + begin * 2, update.gradient_dtype, gradient, count);
    float* const p = static_cast<float*>(update.parameter) + begin;
    float* state[max_states] = {};
    for (int s = 0; s < state_count<Rule>; ++s) state[s] = static_cast<float*>(update.state[s]) + begin;
    update_range<float>(rule, p, gradient, static_cast<float>(update.gradient_factor), state, count);
    narrow(p, static_cast<char*>(update.rounded) + begin * 2, update.rounded_dtype, count);
  }
}

template <class Rule>
void update_on_cpu(const TensorUpdate& update, std::int64_t first, std::int64_t last) {
  Rule rule;
  __builtin_memcpy(&rule, update.rule, sizeof rule);
  if (update.rounded) update_half(rule, update, first, last);
  else if (update.dtype == DType::float64) update_typed<double>(rule, update, first, last);
  else update_typed<float>(rule, update, first, last);
}

/// Stores a rule in an update, with the functions that run it.
template <class Rule>
void set_rule(TensorUpdate& update, const Rule& rule) {
  static_assert(std::is_trivially_copyable_v<Rule> && sizeof(Rule) <= sizeof(TensorUpdate::rule));
  __builtin_memset(update.rule, 0, sizeof update.rule);  // rules are compared byte by byte
  __builtin_memcpy(update.rule, &rule, sizeof rule);
  update.run_on_cpu = update_on_cpu<Rule>;
  if constexpr (minima::detail::has_cuda_kernels && requires { has_cuda_kernel(rule); })
    update.run_on_cuda = update_on_cuda<Rule>;
}

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

/// Calls f(update, first, last) over all elements of all updates, in parallel; an element costs `nanoseconds`.
template <class F>
void for_elements(const std::vector<TensorUpdate>& updates, double nanoseconds, const F& f) {
  std::vector<std::int64_t> ends;
  ends.reserve(updates.size());
  std::int64_t total = 0;
  for (const TensorUpdate& update : updates) ends.push_back(total += update.count);
  parallel_for(0, total, grain_for(nanoseconds), [&](std::int64_t first, std::int64_t last) {
    auto i = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), first) - ends.begin());
    for (; first < last; ++i) {
      const std::int64_t start = ends[i] - updates[i].count;
      const std::int64_t stop = std::min(last, ends[i]);
      if (stop > first) f(updates[i], first - start, stop - start);
      first = stop;
    }
  });
}

/// Runs the CPU updates in parallel.
void run_updates_on_cpu(const std::vector<TensorUpdate>& updates);
/// Launches the CUDA updates, those with equal rules, learning rates and dtypes together.
void run_updates_on_cuda(const std::vector<TensorUpdate>& updates, const Function<StepControl(Device)>& control_for);

}  // namespace minima::optim::detail
