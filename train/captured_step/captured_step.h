#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/function.h>

#include <vector>

namespace minima::train {

class GraphDriver;
class Watched;

struct CaptureOptions {
  bool enabled = true;            ///< false: always eager, for programs with a flag
  int warmup = 3;                 ///< eager calls before the first capture; one for each further shape
  std::size_t graphs = 4;         ///< shapes of inputs that are captured; others run eagerly
  GraphDriver* driver = nullptr;  ///< null: CUDA's graphs
};

/// A training step that is captured once and then replayed by one call to the device.
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
/// Every call is exactly one step on its own batch: the first ones run eagerly, one is captured into a CUDA graph with
/// memory of its own (and done), the others are replays. Inputs are copied to where the graph expects them; what is
/// returned is copied out, and stays what it is for as long as it is held.
///
/// Host code in the function runs in eager calls and captures only. What has to happen for each step belongs into
/// `on_replay`, which runs before every call of the step, eager ones too. Dropout draws what it would draw eagerly.
/// A change of what is watched (`to`, a loaded optimizer state, frozen parameters, train or eval, a momentum), of the
/// seed, or of shapes and dtypes of the inputs is captured anew. What cannot be captured (`item() inside a captured
/// step at loss.cpp:42`) ends the capture; this and all further calls then run eagerly, and `reason()` says why. A loss
/// scaler that the failed capture left between unscale and update refuses the eager step; find such failures before
/// with `enabled = false` or without one. On the CPU everything runs eagerly.
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

  /// One step; the first tensor that the function returns.
  template <class... In>
  Tensor operator()(const In&... inputs) {
    return call({inputs...}).at(0);
  }
  /// One step; all of them.
  std::vector<Tensor> call(const std::vector<Tensor>& inputs);

  /// Runs before each step.
  void on_replay(Function<void()> hook);
  /// Addresses that the graph knows: looked at before each replay. Parameters and buffers; optimizer state too, whose
  /// learning rates are brought up to date besides.
  void watch(const nn::ModuleBase& module);
  void watch(optim::Optimizer& optimizer);
  /// The next call captures anew.
  void invalidate();

  /// How many calls there were of each kind; a capture counts as one of both.
  struct Counts {
    std::int64_t eager = 0, captured = 0, replayed = 0;
  };
  Counts counts() const;
  /// Why the last call ran eagerly, empty if it did not.
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
