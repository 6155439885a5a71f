#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima {

class SavedTensorHooks;
namespace detail {
struct AutocastState;
class OperatorTape;
}

/// Decides what a thread records. Only guards change it.
struct Mode {
  bool grad = true;                                 ///< operators on tensors that require grad build the graph
  bool inference = false;                           ///< results of operators can never take part in a graph
  bool anomaly = false;                             ///< record forward locations, check for NaN in backward
  SavedTensorHooks* saved_tensor_hooks = nullptr;   ///< innermost hooks that pack what nodes save
  const detail::AutocastState* autocast = nullptr;  ///< null outside of autocast regions; see amp/autocast.h
  detail::OperatorTape* tape = nullptr;             ///< observes recorded operators of a checkpointed region
  bool recomputing = false;                         ///< recomputing such a region
};

namespace detail {
extern MINIMA_API constinit thread_local Mode thread_mode;
inline Mode& mode() { return thread_mode; }
}  // namespace detail

/// Whether operators on this thread are recorded now.
inline bool is_grad_enabled() { return detail::mode().grad; }

/// Whether this thread is recomputing a checkpointed function. Code that counts calls must skip these.
inline bool is_recomputing() { return detail::mode().recomputing; }

/// Restores the thread's mode when destroyed.
class MINIMA_API ModeGuard {
 public:
  ModeGuard(const ModeGuard&) = delete;
  ModeGuard& operator=(const ModeGuard&) = delete;

 protected:
  ModeGuard() : previous_(detail::mode()) {}
  ~ModeGuard() { detail::mode() = previous_; }

 private:
  Mode previous_;
};

/// Disables recording on this thread for its lifetime: `{ NoGrad guard; evaluate(); }`. In-place changes are allowed.
class NoGrad : public ModeGuard {
 public:
  NoGrad() { detail::mode().grad = false; }
};

/// Re-enables recording inside a NoGrad.
class EnableGrad : public ModeGuard {
 public:
  EnableGrad() { detail::mode().grad = true; }
};

/// Like NoGrad; in addition, results of operators meanwhile can never take part in a recorded computation (an error).
class Inference : public ModeGuard {
 public:
  Inference() {
    detail::mode().grad = false;
    detail::mode().inference = true;
  }
};

/// Anomaly mode: if backward throws or produces NaN, the error names the operator and the place of its forward call.
class DetectAnomaly : public ModeGuard {
 public:
  explicit DetectAnomaly(bool on = true) { detail::mode().anomaly = on; }
};

/// Calls f() without recording and returns its result.
template <class F>
decltype(auto) no_grad(F&& f) {
  NoGrad guard;
  return f();
}

}  // namespace minima
