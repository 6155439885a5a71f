#include <minima/minima.h>
#include <minima/optim/structured/wolfe.h>
#include <torch/optim.h>

#include <cmath>

#include "optim/engine.h"
#include "optim/fields.h"

namespace torch::optim {

namespace {

using Native = minima::Tensor;

Native scalar_product(const Native& a, const Native& b) { return minima::sum(a * b); }
double number(const Native& x) { return x.item<double>(); }
double largest(const Native& x) { return number(minima::amax(minima::abs(x))); }

/// One call of LBFGS::step. Parameters are one flat vector to it.
class Step {
 public:
  Step(const std::vector<Tensor>& params, const LBFGSOptions& options, LBFGSParamState& state,
       const Optimizer::LossClosure& closure)
      : params_(params), options_(options), state_(state), closure_(closure) {}

  Tensor run() {
    const Tensor before = detail::evaluate(closure_);
    now_ = {number(before), flat_gradient()};
    int64_t calls = 1;
    ++state_.func_evals();
    if (is_flat()) return before;
    const int64_t max_calls = options_.max_eval().value_or(options_.max_iter() * 5 / 4);
    for (int64_t n = 1; n <= options_.max_iter(); ++n) {
      if (++state_.n_iter() == 1) start();
      else choose_direction();
      state_.prev_flat_grad() = Tensor(minima::clone(now_.gradient));
      state_.prev_loss() = now_.loss;
      const double slope = number(scalar_product(now_.gradient, direction()));
      state_.t() = first_length();
      if (slope > -options_.tolerance_change()) break;
      const int64_t more = options_.line_search_fn() ? search(slope) : go(n != options_.max_iter());
      calls += more;
      state_.func_evals() += more;
      if (calls >= max_calls || is_flat() || has_stalled()) break;
    }
    return before;
  }

 private:
  struct Point {
    double loss;
    Native gradient;
  };
  const Native& direction() const { return state_.d().native(); }
  bool is_flat() const { return largest(now_.gradient) <= options_.tolerance_grad(); }
  bool has_stalled() const {
    return largest(direction() * state_.t()) <= options_.tolerance_change() ||
           std::fabs(now_.loss - state_.prev_loss()) < options_.tolerance_change();
  }
  double first_length() const {
    if (state_.n_iter() > 1) return options_.lr();
    return std::fmin(1, 1 / number(minima::sum(minima::abs(now_.gradient)))) * options_.lr();
  }

  Native flat_gradient() const {
    std::vector<Native> parts;
    for (const Tensor& p : params_) {
      const Native gradient = p.native().grad();
      parts.push_back(
          minima::flatten(gradient.defined() ? gradient.detach() : minima::zeros_like(p.native().detach())));
    }
    return minima::cat(parts);
  }
  Point evaluate() const {
    const double loss = number(detail::evaluate(closure_));
    return {loss, flat_gradient()};
  }
  void move(double length) const {
    int64_t offset = 0;
    for (const Tensor& p : params_) {
      const Native part = minima::narrow(direction(), 0, offset, p.numel());
      minima::add_(p.native(), minima::reshape(part, p.native().shape()) * length);
      offset += p.numel();
    }
  }

  void start() {
    state_.d() = Tensor(-now_.gradient);
    state_.H_diag() = Tensor(minima::scalar_tensor(1, {now_.gradient.dtype(), now_.gradient.device()}));
    state_.old_dirs().clear();
    state_.old_stps().clear();
    state_.ro().clear();
  }
  /// Notes how the gradient has changed along the last move.
  void remember() {
    const Native y = now_.gradient - state_.prev_flat_grad().native(), s = direction() * state_.t(),
                 ys = scalar_product(y, s);
    if (!(number(ys) > 1e-10)) return;
    if (static_cast<int64_t>(state_.old_dirs().size()) == options_.history_size()) {
      state_.old_dirs().pop_front();
      state_.old_stps().pop_front();
      state_.ro().pop_front();
    }
    state_.old_dirs().emplace_back(y);
    state_.old_stps().emplace_back(s);
    state_.ro().emplace_back(1 / ys);
    state_.H_diag() = Tensor(ys / scalar_product(y, y));
  }
  /// The two-loop recursion.
  void choose_direction() {
    remember();
    if (!state_.al()) state_.al() = std::vector<Tensor>(static_cast<size_t>(options_.history_size()), state_.H_diag());
    std::vector<Tensor>& al = *state_.al();
    const auto& y = state_.old_dirs();
    const auto& s = state_.old_stps();
    Native q = -now_.gradient;
    for (size_t i = y.size(); i-- > 0;) {
      al[i] = Tensor(scalar_product(s[i], q) * state_.ro()[i].native());
      q = q - y[i].native() * number(al[i]);
    }
    Native r = q * state_.H_diag().native();
    for (size_t i = 0; i < y.size(); ++i)
      r = r + s[i].native() * (number(al[i]) - number(scalar_product(y[i], r) * state_.ro()[i].native()));
    state_.d() = Tensor(r);
  }

  /// Moves by a fixed length. Returns the number of closure calls, as `search` does.
  int64_t go(bool evaluate_there) {
    move(state_.t());
    if (!evaluate_there) return 0;
    now_ = evaluate();
    return 1;
  }
  int64_t search(double slope) {
    TORCH_CHECK(*options_.line_search_fn() == "strong_wolfe", "only 'strong_wolfe' is supported");
    std::vector<Native> from;
    for (const Tensor& p : params_) from.push_back(minima::clone(p.native().detach()));
    const auto try_at = [&](double length) -> minima::optim::detail::WolfePoint {
      move(length);
      const Point there = evaluate();
      for (size_t i = 0; i < params_.size(); ++i) minima::copy_(params_[i].native(), from[i]);
      return {length, there.loss, number(scalar_product(there.gradient, direction())), there.gradient};
    };
    constexpr int max_calls = 25;
    const auto [best, calls] = minima::optim::detail::strong_wolfe({0, now_.loss, slope, now_.gradient}, state_.t(),
                                                                   largest(direction()), max_calls, try_at);
    now_ = {best.loss, best.gradient};
    state_.t() = best.step;
    move(best.step);
    return calls;
  }

  const std::vector<Tensor>& params_;
  const LBFGSOptions& options_;
  LBFGSParamState& state_;
  const Optimizer::LossClosure& closure_;
  Point now_{};
};

/// The old format has neither counts nor `ro` and `al`; they start empty.
void load_old_lbfgs(serialize::InputArchive& archive, Optimizer& optimizer) {
  auto state = std::make_unique<LBFGSParamState>();
  Tensor t, prev_loss;
  archive.read("d", state->d(), true);
  archive.read("t", t, true);
  archive.read("H_diag", state->H_diag(), true);
  archive.read("prev_flat_grad", state->prev_flat_grad(), true);
  archive.read("prev_loss", prev_loss, true);
  state->t(t.item<double>()).prev_loss(prev_loss.item<double>());
  const auto dirs = detail::old_buffers(archive, "old_dirs"), stps = detail::old_buffers(archive, "old_stps");
  state->old_dirs().assign(dirs.begin(), dirs.end());
  state->old_stps().assign(stps.begin(), stps.end());
  optimizer.state()[optimizer.param_groups().at(0).params().at(0).unsafeGetTensorImpl()] = std::move(state);
}

}  // namespace

template <detail::Either<LBFGSOptions> Options, class V>
void visit_fields(Options& o, const V& v) {
  v("lr", o.lr()), v("max_iter", o.max_iter()), v("max_eval", o.max_eval()), v("tolerance_grad", o.tolerance_grad());
  v("tolerance_change", o.tolerance_change()), v("history_size", o.history_size());
  v("line_search_fn", o.line_search_fn());
}
template <detail::Either<LBFGSParamState> State, class V>
void visit_fields(State& s, const V& v) {
  v("func_evals", s.func_evals()), v("n_iter", s.n_iter()), v("t", s.t()), v("prev_loss", s.prev_loss());
  v("d", s.d()), v("H_diag", s.H_diag()), v("prev_flat_grad", s.prev_flat_grad());
  v("old_dirs", s.old_dirs()), v("old_stps", s.old_stps()), v("ro", s.ro()), v("al", s.al());
}

MINIMA_TORCH_DEFINE_OPTIONS(LBFGSOptions)
MINIMA_TORCH_DEFINE_FIELDS(LBFGSParamState)
MINIMA_TORCH_DEFINE_SAVE_AND_LOAD(LBFGS, load_old_lbfgs)

LBFGS::LBFGS(const std::vector<OptimizerParamGroup>& param_groups, LBFGSOptions defaults)
    : Optimizer(param_groups, std::make_unique<LBFGSOptions>(defaults)) {
  TORCH_CHECK(param_groups_.size() == 1, "LBFGS doesn't support per-parameter options (parameter groups)");
  if (defaults.max_eval()) return;
  const int64_t max_eval = defaults.max_iter() * 5 / 4;
  static_cast<LBFGSOptions&>(param_groups_[0].options()).max_eval(max_eval);
  static_cast<LBFGSOptions&>(*defaults_).max_eval(max_eval);
}

Tensor LBFGS::step(LossClosure closure) {
  TORCH_CHECK(closure != nullptr, "LBFGS requires a closure function");
  TORCH_CHECK(param_groups_.size() == 1, "LBFGS doesn't support per-parameter options (parameter groups)");
  const minima::NoGrad no_grad;
  const std::vector<Tensor>& params = param_groups_[0].params();
  TORCH_CHECK(!params.empty(), "LBFGS has no parameters");
  auto& state = state_[params[0].unsafeGetTensorImpl()];
  if (!state) state = std::make_unique<LBFGSParamState>();
  return Step(params, static_cast<LBFGSOptions&>(param_groups_[0].options()), static_cast<LBFGSParamState&>(*state),
              closure)
      .run();
}

}  // namespace torch::optim
