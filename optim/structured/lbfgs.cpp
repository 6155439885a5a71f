#include <minima/optim/structured/lbfgs.h>

#include <minima/autograd/mode.h>
#include <minima/io/counter.h>
#include <minima/io/state.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/optim/borrow_state.h>
#include <minima/optim/grouped.h>
#include <minima/optim/grouped_impl.h>  // IWYU pragma: keep
#include <minima/optim/optimizer.h>
#include <minima/optim/step_result.h>
#include <minima/optim/structured/wolfe.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::optim {

template class Grouped<LBFGSOptions>;

namespace {

double dot(const Tensor& a, const Tensor& b) { return sum(a * b).item<double>(); }
double largest(const Tensor& x) { return amax(abs(x)).item<double>(); }

}  // namespace

void LBFGSOptions::validate() const {
  detail::expect(max_iterations > 0, "max_iterations must be positive", max_iterations);
  detail::expect(max_evaluations >= 0, "max_evaluations must not be negative", max_evaluations);
  detail::expect(history > 0, "history must be positive", history);
  detail::expect(tolerance_grad >= 0, "tolerance_grad must not be negative", tolerance_grad);
  detail::expect(tolerance_change >= 0, "tolerance_change must not be negative", tolerance_change);
}

LBFGS::LBFGS(const std::vector<Tensor>& parameters, const LBFGSOptions& options) : Grouped(parameters, options) {
  for (const Tensor& parameter : parameters)
    if (is_half(parameter.dtype()))
      throw DTypeError(str("LBFGS: supports float32 and float64 only, but a parameter is ", parameter));
}

void LBFGS::check_group(const std::vector<Tensor>&) const {
  throw ValueError("LBFGS: supports one group only; pass all parameters to the constructor");
}

void LBFGS::update(const ScaledStep&) {
  throw ValueError(
      "LBFGS: step needs a closure that computes the loss and its gradients; loss scalers are not supported");
}

Tensor LBFGS::flat_gradient() const {
  std::vector<Tensor> parts;
  for (const Slot& slot : slots_) {
    const Tensor gradient = slot.parameter.grad();
    parts.push_back(flatten(gradient.defined() ? gradient : zeros_like(slot.parameter).detach()));
  }
  const Tensor flat = cat(parts);
  return options_[0].maximize ? -flat : flat;
}

LBFGS::Point LBFGS::evaluate(const Function<Tensor()>& closure, Tensor* loss) {
  ++evaluations_;
  Tensor value;
  {
    EnableGrad guard;
    value = closure();
  }
  if (loss) *loss = value;
  const double sign = options_[0].maximize ? -1 : 1;
  return {sign * value.item<double>(), flat_gradient()};
}

void LBFGS::move(double step) const {
  std::int64_t offset = 0;
  for (const Slot& slot : slots_) {
    const std::int64_t count = slot.parameter.numel();
    add_(slot.parameter, reshape(narrow(direction_, 0, offset, count), slot.parameter.shape()) * step);
    offset += count;
  }
}

LBFGS::Point LBFGS::evaluate_at(const Function<Tensor()>& closure, const std::vector<Tensor>& from, double step) {
  move(step);
  const Point point = evaluate(closure);
  for (std::size_t i = 0; i < slots_.size(); ++i) copy_(slots_[i].parameter, from[i]);
  return point;
}

/// Adds the last move to the history.
void LBFGS::remember(const Tensor& gradient) {
  const Tensor y = gradient - previous_gradient_, s = direction_ * step_;
  const double ys = dot(y, s);
  if (!(ys > 1e-10)) return;
  if (gradient_changes_.size() == static_cast<std::size_t>(options_[0].history)) {
    gradient_changes_.erase(gradient_changes_.begin());
    moves_.erase(moves_.begin());
    weights_.erase(weights_.begin());
  }
  gradient_changes_.push_back(y);
  moves_.push_back(s);
  weights_.push_back(1 / ys);
  scale_ = ys / dot(y, y);
}

/// The two-loop recursion.
void LBFGS::choose_direction(const Tensor& gradient) {
  const std::size_t count = moves_.size();
  std::vector<double> alpha(count);
  Tensor q = -gradient;
  for (std::size_t i = count; i-- > 0;) {
    alpha[i] = dot(moves_[i], q) * weights_[i];
    q = q - gradient_changes_[i] * alpha[i];
  }
  Tensor r = q * scale_;
  for (std::size_t i = 0; i < count; ++i) {
    const double beta = dot(gradient_changes_[i], r) * weights_[i];
    r = r + moves_[i] * (alpha[i] - beta);
  }
  direction_ = r;
}

/// Searches along the direction and moves the parameters; returns the number of closure calls.
int LBFGS::search(const Function<Tensor()>& closure, Point& now, double slope, int most) {
  std::vector<Tensor> from;
  from.reserve(slots_.size());
  for (const Slot& slot : slots_) from.push_back(clone(slot.parameter.detach()));
  const auto try_at = [&](double step) {
    Point point = evaluate_at(closure, from, step);
    const double new_slope = dot(point.gradient, direction_);
    return detail::WolfePoint{step, point.loss, new_slope, point.gradient};
  };
  const auto [found, calls] =
      detail::strong_wolfe({0, now.loss, slope, now.gradient}, step_, largest(direction_), most, try_at);
  step_ = found.step;
  now = {found.loss, found.gradient};
  move(step_);
  return calls;
}

Tensor LBFGS::step(const Function<Tensor()>& closure) {
  NoGrad guard;
  if (group_count_ != 1) throw ValueError(str("LBFGS: supports one parameter group only, got ", group_count_));
  detail::expect_whole("LBFGS", parameters());
  const LBFGSOptions& o = options_[0];
  const int most = o.max_evaluations > 0 ? o.max_evaluations : o.max_iterations * 5 / 4;
  Tensor loss;
  Point now = evaluate(closure, &loss);
  int calls = 1;
  // Nothing to do, or no direction to go in: a gradient that is not finite would make all parameters NaN.
  if (const double size = largest(now.gradient); size <= o.tolerance_grad || !std::isfinite(size)) return loss;
  for (int i = 1; i <= o.max_iterations; ++i) {
    if (++iterations_ == 1) {
      direction_ = -now.gradient;
      scale_ = 1;
    } else {
      remember(now.gradient);
      choose_direction(now.gradient);
    }
    previous_gradient_ = clone(now.gradient);
    previous_loss_ = now.loss;
    step_ = iterations_ == 1 ? std::min(1.0, 1 / sum(abs(now.gradient)).item<double>()) * o.lr : o.lr;
    const double slope = dot(now.gradient, direction_);
    if (!(slope <= -o.tolerance_change)) break;

    bool is_done = false;
    if (o.line_search == LineSearch::strong_wolfe) {
      calls += search(closure, now, slope, most - calls);
      is_done = largest(now.gradient) <= o.tolerance_grad;
    } else {
      move(step_);
      if (i < o.max_iterations) {
        now = evaluate(closure);
        ++calls;
        is_done = largest(now.gradient) <= o.tolerance_grad;
      }
    }
    if (is_done || calls >= most || largest(direction_ * step_) <= o.tolerance_change ||
        std::fabs(now.loss - previous_loss_) < o.tolerance_change)
      break;
  }
  return loss;
}

State LBFGS::state_dict() const {
  NoGrad guard;
  State state = Optimizer::state_dict();
  if (iterations_ == 0) return state;
  State own;
  own.set_integer("func_evals", evaluations_);
  own.set_integer("n_iter", iterations_);
  own.set_number("t", step_);
  own.set_number("H_diag", scale_);
  own.set_number("prev_loss", previous_loss_);
  own.add("d", detail::for_state(direction_));
  own.add("prev_flat_grad", detail::for_state(previous_gradient_));
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    own.add(str("old_dirs.", i), detail::for_state(gradient_changes_[i]));
    own.add(str("old_stps.", i), detail::for_state(moves_[i]));
    own.set_number(str("ro.", i), weights_[i]);
  }
  state.add("state.0", own);
  return state;
}

void LBFGS::load_state_dict(const State& state) {
  NoGrad guard;
  const State own = state.sub("state.0");
  State options;
  options.add("param_groups", state.sub("param_groups"));
  if (const std::string* const origin = state.find_text("class")) options.set_text("class", *origin);
  Optimizer::load_state_dict(options);
  evaluations_ = iterations_ = 0;
  gradient_changes_.clear();
  moves_.clear();
  weights_.clear();
  if (own.empty()) return;
  const Device device = slots_[0].parameter.device();
  const auto copied = [&](const std::string& name) { return clone(own.tensor(name)).to(device); };
  evaluations_ = minima::detail::counter(own, "func_evals");
  iterations_ = minima::detail::counter(own, "n_iter");
  step_ = own.number("t");
  scale_ = own.number("H_diag");
  previous_loss_ = own.number("prev_loss");
  direction_ = copied("d");
  previous_gradient_ = copied("prev_flat_grad");
  for (std::size_t i = 0; own.find(str("old_dirs.", i)); ++i) {
    gradient_changes_.push_back(copied(str("old_dirs.", i)));
    moves_.push_back(copied(str("old_stps.", i)));
    weights_.push_back(own.number(str("ro.", i)));
  }
}

}  // namespace minima::optim
