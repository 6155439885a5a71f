#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima {

class SavedTensorHooks;
namespace detail {
struct AutocastState;
class OperatorTape;
}

/// What a thread records. Guards change it; nothing else does.
struct Mode {
  bool grad = true;                                 ///< operators on tensors that require grad build the graph
  bool inference = false;                           ///< tensors made now can never take part in a graph
  bool anomaly = false;                             ///< remember forward locations, look for NaN in backward
  SavedTensorHooks* saved_tensor_hooks = nullptr;   ///< innermost hooks that pack what nodes save
  const detail::AutocastState* autocast = nullptr;  ///< null outside of autocast regions; see amp/autocast.h
  detail::OperatorTape* tape = nullptr;             ///< sees recorded operators of a checkpointed region
  bool recomputing = false;                         ///< runs the function of such a region once more
};

namespace detail {
extern MINIMA_API constinit thread_local Mode thread_mode;
inline Mode& mode() { return thread_mode; }
}  // namespace detail

/// Whether operators on this thread are recorded now.
inline bool is_grad_enabled() { return detail::mode().grad; }

/// Whether this thread runs a checkpointed function once more, for its gradient: what counts calls counts this one not.
inline bool is_recomputing() { return detail::mode().recomputing; }

/// Puts the thread's mode back when it goes.
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

/// While it lives, nothing on this thread is recorded: `{ NoGrad guard; evaluate(); }`. In-place changes are allowed.
class NoGrad : public ModeGuard {
 public:
  NoGrad() { detail::mode().grad = false; }
};

/// Records again inside a NoGrad.
class EnableGrad : public ModeGuard {
 public:
  EnableGrad() { detail::mode().grad = true; }
};

/// Like NoGrad, and the tensors made meanwhile may never be used where a gradient is recorded (that is an error).
class Inference : public ModeGuard {
 public:
  Inference() {
    detail::mode().grad = false;
    detail::mode().inference = true;
  }
};

/// Anomaly mode: a backward that throws or meets NaN says which operator it was and where its forward was called.
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
