#pragma once

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>

#include <optional>

namespace minima::inference {

/// The recording mode of the thread that creates it, autocast included, for threads that work on its behalf. Hooks on
/// saved tensors and checkpointed regions belong to one thread and are not carried.
struct MINIMA_API ThreadState {
  ThreadState();

  bool grad = true;
  bool inference = false;
  bool anomaly = false;
  std::optional<minima::detail::AutocastState> autocast;  ///< its cache is replaced by the scope's own

  /// Puts the calling thread into this state.
  class MINIMA_API Scope : public ModeGuard {
   public:
    explicit Scope(const ThreadState& state);

   private:
    std::optional<minima::detail::AutocastState> autocast_;
    minima::detail::CastCacheOwner cache_;
  };
};

}  // namespace minima::inference
