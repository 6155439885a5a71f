#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/function.h>

#include <vector>

namespace minima::train {

class GraphDriver;
class Watched;

struct CaptureOptions {
  bool enabled = true;            ///< false: always eager
  int warmup = 3;                 ///< eager calls before the first capture; each further shape has one
  std::size_t graphs = 4;         ///< input shapes to capture; others run eagerly
  GraphDriver* driver = nullptr;  ///< null: CUDA graphs
};

/// A training step captured into a CUDA graph and replayed with one launch.
///
///     train::CapturedStep step([&](const Tensor& x, const Tensor& y) {
///       optimizer.zero_grad();
///       Tensor loss;
///       {
///         const amp::Autocast guard(DeviceType::cuda);
///         loss = cross_entropy(net(x), y);
///       }
///       loss.backward();
///       optimizer.step();
///       return loss;
///     });
///     step.watch(net);
///     step.watch(optimizer);
///     step.on_replay([&] { optimizer.set_lr(schedule(n, lr)); });
///     for (auto& [x, y] : loader) losses.add(step(x, y));
///
/// Every call performs exactly one step on its own batch. The first calls run eagerly, the next is captured into a CUDA
/// graph with a private memory pool, and all later ones replay it. Inputs are copied to the graph's addresses; results
/// are copied out and stay valid for as long as they are held.
///
/// Host code in the function runs in eager calls and captures only. Work that every step needs belongs in `on_replay`,
/// which runs before every call, eager or not. Dropout draws the same numbers as it would eagerly.
///
/// Gradients of watched parameters may also be cleared, added to or used by an optimizer outside of the step, or in
/// another captured one. A graph finds gradients of before the step only where they were when it was captured; a call
/// with others runs eagerly, which `reason()` says. A step that clears its gradients first, as above, is replayed
/// always. A captured step that another one calls is part of that one's graph.
///
/// The step is captured again after a change of the seed, of the inputs' shapes or dtypes, or of anything watched:
/// `to`, a loaded optimizer state, frozen parameters, train or eval mode, a momentum. If the step cannot be captured
/// (`item() inside a captured step at loss.cpp:42`), this and all later calls run eagerly and `reason()` says why. A
/// failed capture can leave a loss scaler between unscale and update, which then rejects the eager step; find such
/// failures first with `enabled = false` or without a scaler. On the CPU every call runs eagerly.
///
/// A step may communicate over NCCL: DistributedDataParallel, shard() and collectives are captured, too. All ranks then
/// capture or run eagerly together, which they agree on before each call: see docs/checkpointing.md. A rank that does
/// not call the step is named in a DistributedError of the others.
class MINIMA_API CapturedStep {
 public:
  using Body = Function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;

  /// f(inputs…) returns a tensor or a vector of tensors.
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, CapturedStep>)
  explicit CapturedStep(F f, const CaptureOptions& options = {}) : CapturedStep(body_of(std::move(f)), options, 0) {}
  CapturedStep(const CapturedStep&) = delete;
  CapturedStep& operator=(const CapturedStep&) = delete;
  ~CapturedStep();

  /// Runs one step; returns the first tensor of its result.
  template <class... In>
  Tensor operator()(const In&... inputs) {
    return call({inputs...}).at(0);
  }
  /// Runs one step; returns all tensors.
  std::vector<Tensor> call(const std::vector<Tensor>& inputs);

  /// Runs one step without a graph, for hooks of modules or tensors that were added since the capture: a replayed step
  /// runs none. Graphs stay; the next call() replays again.
  std::vector<Tensor> call_eagerly(const std::vector<Tensor>& inputs);

  /// Adds a hook that runs before each step.
  void on_replay(Function<void()> hook);
  /// Compares the addresses of parameters and buffers, or of an optimizer's state, with the graph's before each replay.
  /// Watching an optimizer also uploads its learning rates.
  void watch(const nn::ModuleBase& module);
  void watch(optim::Optimizer& optimizer);
  /// Discards all graphs; the next calls capture again.
  void invalidate();

  /// Calls by kind. The call that captures also replays, and counts as both.
  struct Counts {
    std::int64_t eager = 0, captured = 0, replayed = 0;
  };
  Counts counts() const;
  /// Why the last call ran eagerly; empty if it did not.
  const std::string& reason() const;

 private:
  class Impl;
  Watched& watched();
  CapturedStep(Body body, const CaptureOptions& options, int);

  template <class F, class List = const std::vector<Tensor>&>
  static Body body_of(F f) {
    if constexpr (std::is_invocable_r_v<std::vector<Tensor>, F&, List>) return Body(std::move(f));
    else return wrap(std::move(f), &F::operator());
  }
  template <class F, class Owner, class Result, class... Args>
  static Body wrap(F f, Result (Owner::*)(Args...) const) {
    return [f](const std::vector<Tensor>& inputs) mutable {
      expect_inputs(sizeof...(Args), inputs.size());
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        if constexpr (std::is_convertible_v<Result, Tensor>) return std::vector<Tensor>{f(inputs[I]...)};
        else return std::vector<Tensor>(f(inputs[I]...));
      }(std::index_sequence_for<Args...>());
    };
  }
  template <class F, class Owner, class Result, class... Args>
  static Body wrap(F f, Result (Owner::*)(Args...)) {
    return wrap(std::move(f), static_cast<Result (Owner::*)(Args...) const>(nullptr));
  }
  static void expect_inputs(std::size_t wanted, std::size_t given);

  Impl* impl_;
};

}  // namespace minima::train
