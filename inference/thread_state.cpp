#include <minima/inference/thread_state.h>

#include <minima/autograd/mode.h>

namespace minima::inference {

ThreadState::ThreadState() {
  const Mode& mode = minima::detail::mode();
  grad = mode.grad;
  inference = mode.inference;
  anomaly = mode.anomaly;
  if (mode.autocast) autocast = *mode.autocast;
}

ThreadState::Scope::Scope(const ThreadState& state)
    : autocast_(state.autocast), cache_(state.autocast && state.autocast->cache) {
  Mode& mode = minima::detail::mode();
  mode.grad = state.grad;
  mode.inference = state.inference;
  mode.anomaly = state.anomaly;
  if (autocast_) autocast_->cache = cache_.cache;
  mode.autocast = autocast_ ? &*autocast_ : nullptr;
}

}  // namespace minima::inference
