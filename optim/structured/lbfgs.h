#pragma once

#include <minima/optim/grouped.h>
#include <minima/tensor/base/function.h>

#include <vector>

namespace minima::optim {

/// How L-BFGS chooses the length of a step.
enum class LineSearch { none, strong_wolfe };

struct LBFGSOptions {
  double lr = 1;
  int max_iterations = 20;  ///< per step
  int max_evaluations = 0;  ///< of the closure per step; 0: 1.25 · max_iterations
  double tolerance_grad = 1e-7;
  double tolerance_change = 1e-9;
  int history = 100;
  LineSearch line_search = LineSearch::none;
  bool maximize = false;

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("max_iter", max_iterations), v("max_eval", max_evaluations), v("tolerance_grad", tolerance_grad);
    v("tolerance_change", tolerance_change), v("history_size", history), v("line_search", line_search);
    v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<LBFGSOptions>;

/// L-BFGS (Liu & Nocedal 1989) with an optional strong Wolfe line search, as torch.optim.LBFGS. A step evaluates the
/// model several times, so it takes a closure:
///
///     optim::LBFGS optimizer(net.parameters(), {.line_search = optim::LineSearch::strong_wolfe});
///     optimizer.step([&] {
///       optimizer.zero_grad();
///       Tensor loss = cross_entropy(net(x), y);
///       loss.backward();
///       return loss;
///     });
///
/// For deterministic problems with few parameters: it keeps 2·history copies of them and reads the loss on the CPU. It
/// supports a single group, in float32 or float64. The line search takes a loss or gradient that is not finite for too
/// high and shortens the step; without one, the step ends there.
class MINIMA_API LBFGS final : public Grouped<LBFGSOptions> {
 public:
  explicit LBFGS(const std::vector<Tensor>& parameters, const LBFGSOptions& options = {});

  /// Returns the loss before the step.
  Tensor step(const Function<Tensor()>& closure);
  std::int64_t evaluations() const { return evaluations_; }

  State state_dict() const override;
  void load_state_dict(const State& state) override;

 private:
  struct Point {
    double loss;
    Tensor gradient;  ///< flat
  };
  void check_group(const std::vector<Tensor>& parameters) const override;
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot&) const override { return {}; }

  Point evaluate(const Function<Tensor()>& closure, Tensor* loss = nullptr);
  Point evaluate_at(const Function<Tensor()>& closure, const std::vector<Tensor>& from, double step);
  Tensor flat_gradient() const;
  void move(double step) const;
  void remember(const Tensor& gradient);
  void choose_direction(const Tensor& gradient);
  int search(const Function<Tensor()>& closure, Point& now, double slope, int most);

  std::int64_t evaluations_ = 0, iterations_ = 0;
  Tensor direction_, previous_gradient_;
  double step_ = 0, previous_loss_ = 0, scale_ = 1;
  std::vector<Tensor> gradient_changes_, moves_;  ///< y and s, oldest first
  std::vector<double> weights_;                   ///< 1 / y·s
};

}  // namespace minima::optim
