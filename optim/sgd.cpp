#include <minima/optim/sgd.h>

#include <minima/autograd/mode.h>
#include <minima/optim/elementwise.h>

namespace minima::optim {

namespace {

struct PlainRule {
  static constexpr int states = 0;
  double lr, weight_decay, sign;
  template <class T>
  void operator()(T& p, T g) const {
    p -= static_cast<T>(lr) * (static_cast<T>(sign) * g + static_cast<T>(weight_decay) * p);
  }
};

struct MomentumRule {
  static constexpr int states = 1;
  double lr, weight_decay, sign;
  double keep, take;        ///< of the buffer and of the gradient: 0 and 1 at the first step
  double ahead, of_buffer;  ///< the step is ahead·g + of_buffer·b: (0, 1), or (1, μ) for Nesterov
  template <class T>
  void operator()(T& p, T g, T& b) const {
    g = static_cast<T>(sign) * g + static_cast<T>(weight_decay) * p;
    b = static_cast<T>(keep) * b + static_cast<T>(take) * g;
    p -= static_cast<T>(lr) * (static_cast<T>(ahead) * g + static_cast<T>(of_buffer) * b);
  }
};

}  // namespace

void SgdOptions::validate() const {
  detail::expect(lr >= 0, "lr must not be negative", lr);
  detail::expect(momentum >= 0, "momentum must not be negative", momentum);
  detail::expect(weight_decay >= 0, "weight_decay must not be negative", weight_decay);
  detail::expect(!nesterov || (momentum > 0 && dampening == 0), "nesterov needs momentum and no dampening; momentum",
                 momentum);
}

void SGD::step() {
  NoGrad guard;
  detail::Step pass;
  for (Slot& slot : slots_) {
    const SgdOptions& o = options_[slot.group];
    const bool first = slot.steps == 0;
    const double sign = o.maximize ? -1 : 1;
    if (!pass.add(slot, o.momentum != 0 ? 1 : 0)) continue;
    if (o.momentum == 0) pass.use(PlainRule{o.lr, o.weight_decay, sign});
    else
      pass.use(MomentumRule{o.lr, o.weight_decay, sign, first ? 0 : o.momentum, first ? 1 : 1 - o.dampening,
                            o.nesterov ? 1.0 : 0.0, o.nesterov ? o.momentum : 1});
  }
  pass.run();
}

std::vector<const char*> SGD::state_names(std::size_t group) const {
  if (options_[group].momentum == 0) return {};
  return {"momentum_buffer"};
}

void detail::expect(bool holds, const char* what, double value) {
  if (!holds) throw ValueError(std::string("optimizer: ") + what + ", got " + std::to_string(value));
}

}  // namespace minima::optim
