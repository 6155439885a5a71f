#pragma once

#include <minima/ops/core/on_cuda.h>
#include <minima/optim/update/rule.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <vector>

// Runs rules over the elements of many tensors.

namespace minima::optim::detail {

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
