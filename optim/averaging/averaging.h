#pragma once

#include <minima/io/state.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::optim {

/// Running averages of parameters, in float32 or wider.
///
///     optim::Ema ema(net.parameters(), {.decay = 0.999});
///     …
///     optimizer.step();
///     ema.update();
///     …
///     {
///       optim::UseAverage guard(ema);  // the network uses the averages within this scope
///       evaluate(net);
///     }
class MINIMA_API Averaged {
 public:
  const std::vector<Tensor>& parameters() const { return parameters_; }
  const std::vector<Tensor>& averages() const { return averages_; }
  std::int64_t updates() const { return updates_; }
  /// Overwrites the parameters with the averages.
  void copy_to_parameters() const;

  State state_dict() const;
  void load_state_dict(const State& state);

 protected:
  explicit Averaged(const std::vector<Tensor>& parameters);
  /// average += fraction · (parameter - average), all tensors in one pass.
  void move(double fraction);

  std::int64_t updates_ = 0;

 private:
  std::vector<Tensor> parameters_, averages_;
};

struct EmaOptions {
  double decay = 0.999;
  bool warmup = false;  ///< for short runs: update t uses min(decay, (1 + t)/(10 + t)), outside of captured steps
};

/// Exponential moving average (EMA): a ← d·a + (1 - d)·θ.
class MINIMA_API Ema final : public Averaged {
 public:
  explicit Ema(const std::vector<Tensor>& parameters, const EmaOptions& options = {});
  void update();

 private:
  EmaOptions options_;
};

/// Stochastic weight averaging (SWA; Izmailov et al., arXiv:1803.05407): the arithmetic mean of the weights at the
/// updates. Recompute batch norm statistics afterwards: train/batch_norm_statistics.h. Call update() outside of
/// captured steps.
class MINIMA_API Swa final : public Averaged {
 public:
  explicit Swa(const std::vector<Tensor>& parameters) : Averaged(parameters) {}
  void update();
};

/// Swaps the averages into the parameters for a scope, then restores the parameters.
class MINIMA_API UseAverage {
 public:
  explicit UseAverage(const Averaged& averaged);
  UseAverage(const UseAverage&) = delete;
  ~UseAverage();

 private:
  const Averaged& averaged_;
  std::vector<Tensor> kept_;
};

}  // namespace minima::optim
