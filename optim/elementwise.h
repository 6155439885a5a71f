#pragma once

#include <minima/ops/core/on_cuda.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/run.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

// The shared pass of optimizers that update every element on its own. Such an optimizer is a rule, a small struct of
// numbers:
//
//   struct PlainSgd {
//     static constexpr int states = 0;
//     double lr;                                    // every rule has one of this name
//     void advance(Progress& progress) const {}     // what adds up from step to step, after its number was counted up
//     void at(const Progress& progress) {}          // works out what depends on the step's number
//     template <class T> void operator()(T& p, T g) const { p -= static_cast<T>(lr) * g; }
//   };
//
// All tensors of all groups are updated in one parallel loop over their elements laid end to end. On CUDA the rules in
// rules.h and the files like it have kernels: one launch that counts steps and one for the updates of all tensors with
// the same numbers. Both look at found-inf themselves, so that a step that is left out costs no wait.

namespace minima::optim::detail {

/// The pass of one step: collects the parameters that have gradients, then updates them all. If there is an exception,
/// nothing has changed: parameters, state and step counts are those of before.
class MINIMA_API Step {
 public:
  Step(Optimizer& optimizer, const ScaledStep& scaled) : optimizer_(optimizer), scaled_(scaled) {}
  Step(const Step&) = delete;
  ~Step();
  /// Adds a slot with its next update; makes state (zeros) and master at the first one. False if it has no gradient.
  bool add(Optimizer::Slot& slot, int states);
  /// Whether the state of the slot added last was made just now.
  bool is_first() const { return is_first_; }
  /// The rule for the slot added last.
  template <class Rule>
  void use(const Rule& rule);
  void run();

 private:
  struct WriteBack {
    Tensor parameter, dense;
  };
  void run_on_cuda();
  /// found-inf and inverse scale where this device's kernels can read them.
  Control control_for(Device device);

  Optimizer& optimizer_;
  ScaledStep scaled_;
  std::vector<Run> runs_, cuda_runs_;
  Run* last_ = nullptr;  ///< added last, in either list
  bool last_on_cuda_ = false, is_first_ = false;
  double cpu_factor_ = 0;     ///< inverse scale, read at the first slot; 0: not yet
  std::vector<Tensor> kept_;  ///< gradients and scalars that live as long as the pass
  std::vector<Tensor> changed_;
  std::vector<WriteBack> write_backs_;   ///< parameters with gaps are updated in a dense copy
  std::vector<Progress> before_;         ///< of runs_
  std::vector<Optimizer::Slot*> fresh_;  ///< had no state
  bool is_done_ = false;
};

/// Copies `count` elements with conversion between float32 and a half type.
void widen(const void* from, DType dtype, float* to, std::int64_t count);
void narrow(const float* from, void* to, DType dtype, std::int64_t count);

template <class T, class Rule>
void update(const Rule& rule, T* p, const T* g, T factor, T* const* state, std::int64_t count) {
  const Rule local = rule;  // on the stack: the compiler sees that stores leave it alone
  T* const s0 = state[0];
  T* const s1 = state[1];
  T* const s2 = state[2];
  MINIMA_IVDEP
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (Rule::states == 0) local(p[i], g[i] * factor);
    else if constexpr (Rule::states == 1) local(p[i], g[i] * factor, s0[i]);
    else if constexpr (Rule::states == 2) local(p[i], g[i] * factor, s0[i], s1[i]);
    else local(p[i], g[i] * factor, s0[i], s1[i], s2[i]);
  }
}

template <class T, class Rule>
void update_piece(const Rule& rule, const Run& run, std::int64_t first, std::int64_t last) {
  T* state[max_states] = {};
  for (int s = 0; s < Rule::states; ++s) state[s] = static_cast<T*>(run.state[s]) + first;
  update(rule, static_cast<T*>(run.parameter) + first, static_cast<const T*>(run.gradient) + first,
         static_cast<T>(run.gradient_factor), state, last - first);
}

/// Half gradients pass through a small buffer; the master is updated, then rounded into the parameter.
template <class Rule>
void update_half_piece(const Rule& rule, const Run& run, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t block = 1024;
  float gradient[block];
  for (std::int64_t begin = first; begin < last; begin += block) {
    const std::int64_t count = last - begin < block ? last - begin : block;
    widen(static_cast<const char*>(run.gradient) + begin * 2, run.gradient_dtype, gradient, count);
    float* const p = static_cast<float*>(run.parameter) + begin;
    float* state[max_states] = {};
    for (int s = 0; s < Rule::states; ++s) state[s] = static_cast<float*>(run.state[s]) + begin;
    update<float>(rule, p, gradient, static_cast<float>(run.gradient_factor), state, count);
    narrow(p, static_cast<char*>(run.rounded) + begin * 2, run.rounded_dtype, count);
  }
}

template <class Rule>
void run_piece(const Run& run, std::int64_t first, std::int64_t last) {
  Rule typed;
  __builtin_memcpy(&typed, run.rule, sizeof typed);
  if (run.rounded) update_half_piece(typed, run, first, last);
  else if (run.dtype == DType::float64) update_piece<double>(typed, run, first, last);
  else update_piece<float>(typed, run, first, last);
}

template <class Rule>
void Step::use(const Rule& rule) {
  static_assert(std::is_trivially_copyable_v<Rule> && sizeof(Rule) <= sizeof(Run::rule));
  Rule now = rule;
  if (!last_on_cuda_) {
    Progress& progress = *last_->progress;
    ++progress.steps;
    now.advance(progress);
    now.at(progress);
  }
  __builtin_memset(last_->rule, 0, sizeof last_->rule);  // rules are compared byte by byte
  __builtin_memcpy(last_->rule, &now, sizeof now);
  last_->update = run_piece<Rule>;
  if constexpr (minima::detail::has_cuda_kernels && requires { built_for_cuda(rule); })
    last_->update_all_cuda = update_all_on_cuda<Rule>;
}

/// f(run, first, last) over all elements of all runs, in parallel; an element costs so many nanoseconds.
template <class F>
void for_elements(const std::vector<Run>& runs, double nanoseconds, const F& f) {
  std::vector<std::int64_t> ends;
  ends.reserve(runs.size());
  std::int64_t total = 0;
  for (const Run& run : runs) ends.push_back(total += run.count);
  parallel_for(0, total, grain_for(nanoseconds), [&](std::int64_t first, std::int64_t last) {
    auto i = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), first) - ends.begin());
    for (; first < last; ++i) {
      const std::int64_t start = ends[i] - runs[i].count;
      const std::int64_t stop = std::min(last, ends[i]);
      if (stop > first) f(runs[i], first - start, stop - start);
      first = stop;
    }
  });
}

}  // namespace minima::optim::detail
