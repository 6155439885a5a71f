#pragma once

#include <minima/io/state.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::optim {

/// Averages of parameters (float32 at least), kept beside them.
///
///     optim::Ema ema(net.parameters(), {.decay = 0.999});
///     …
///     optimizer.step();
///     ema.update();
///     …
///     {
///       optim::UseAverage guard(ema);  // the network has the averages while it lives
///       evaluate(net);
///     }
class MINIMA_API Averaged {
 public:
  const std::vector<Tensor>& parameters() const { return parameters_; }
  const std::vector<Tensor>& averages() const { return averages_; }
  std::int64_t updates() const { return updates_; }
  /// Writes the averages into the parameters for good.
  void copy_to_parameters() const;

  State state_dict() const;
  void load_state_dict(const State& state);

 protected:
  explicit Averaged(const std::vector<Tensor>& parameters);
  /// average += share · (parameter - average), all tensors in one pass.
  void move(double share);

  std::int64_t updates_ = 0;

 private:
  std::vector<Tensor> parameters_, averages_;
};

struct EmaOptions {
  double decay = 0.999;
  bool warmup = false;  ///< min(decay, (1 + t)/(10 + t)) in the t-th update, for short runs
};

/// Exponential moving average: a ← d·a + (1 - d)·θ (Polyak averaging with forgetting).
class MINIMA_API Ema final : public Averaged {
 public:
  explicit Ema(const std::vector<Tensor>& parameters, const EmaOptions& options = {});
  void update();

 private:
  EmaOptions options_;
};

/// Stochastic weight averaging (Izmailov et al., arXiv:1803.05407): the plain mean of the weights at every update. What
/// batch norms know of their inputs is another matter: see train/batch_norm_statistics.h.
class MINIMA_API Swa final : public Averaged {
 public:
  explicit Swa(const std::vector<Tensor>& parameters) : Averaged(parameters) {}
  void update();
};

/// Gives the parameters their averages while it lives.
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
