#pragma once

#include <type_traits>
#include <utility>

// Thread-local state. Each thread has its own copy; a scope object changes it and restores it, so scopes nest and stay
// on the stack of the thread that opened them. This is the complete list for the library; nothing else changes what a
// call does behind the caller's back.
//
//   state                          scope                              who opens it
//   ---------------------------------------------------------------------------------------------------------------
//   recording mode (Mode)          NoGrad, EnableGrad, Inference,     users
//                                  DetectAnomaly, amp::Autocast       and for them threads of inference/
//                                  WithoutRecording, WithoutAutocast  operators, around their kernels
//   saved-tensor hooks (in Mode)   SavedTensorHooks                   checkpointing, offload
//   current GPU and its stream     DeviceGuard, StreamGuard           users; code that launches kernels
//   purpose of allocations         PurposeGuard                       users; optimizers, reducers, operators' buffers
//   observers of operators,        set_observer and the like,         summary, memory budgets, benchmarks, profiler/
//   waits, memory, formulas,       Profile
//   captures, loops
//   memory_pressure                MemoryBudget                       memory budgets, from their first to last step
//   capture_scope                  CaptureScope                       captured steps, while they capture
//   random numbers of a capture    PhiloxCapture                      captured steps, while they capture
//   groups of a captured step      CapturedGroups::Scope              captured steps, while they run
//   inside a captured step         (CapturedStep)                     captured steps, for steps that they call
//   records_graph                  Scoped                             onnx::save, while it records a model
//   random_tape                    RandomTape::Use                    checkpointing
//   drawing of new parameters      init::Skip, init::Defer            users; sharding, loaders of models
//   states that are borrowed       BorrowState                        runs, while they save
//   pages to release               (models::load)                     models::load, while it reads a file
//   innermost call of a module     Call                               modules, for what names them in messages
//   checker of placements          PlacementCheck                     users; all ranks by MINIMA_DISTRIBUTED_CHECK
//   limit on threads               set_thread_limit                   threads of data loaders and inference/, for good
//   inside a parallel_for          (the thread pool)                  parallel_for itself
//   engine hook                    set_engine_hook                    tests
//   threads of oneDNN              OneThread                          operators, around calls of oneDNN
//
// The remaining thread-local variables are caches and scratch memory: they change how fast a call is, not its result.

namespace minima {

/// Sets a variable, usually a thread-local one, for the rest of the scope:
///
///     const Scoped without_gradients(mode().grad, false);
template <class T>
class Scoped {
 public:
  Scoped(T& variable, std::type_identity_t<T> value)
      : variable_(variable), previous_(std::exchange(variable, std::move(value))) {}
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;
  ~Scoped() { variable_ = std::move(previous_); }

  /// The value outside of the scope.
  const T& previous() const { return previous_; }

 private:
  T& variable_;
  T previous_;
};

}  // namespace minima
