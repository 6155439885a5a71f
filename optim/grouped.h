#pragma once

#include <minima/optim/optimizer.h>
#include <minima/tensor/error.h>

#include <string>

namespace minima::optim {

/// An optimizer whose groups have options of type `Options`, an aggregate that lists its members:
/// `template <class V> void visit(V&& v) { v("lr", lr); … }`, and checks them: `void validate() const`.
template <class Options>
class Grouped : public Optimizer {
 public:
  /// Options of a group; may be changed between steps.
  Options& options(std::size_t group = 0) { return options_.at(group); }
  const Options& options(std::size_t group = 0) const { return options_.at(group); }

  /// Adds parameters with options of their own.
  void add_param_group(const std::vector<Tensor>& parameters, const Options& options) {
    options.validate();
    add_slots(parameters);
    options_.push_back(options);
  }

  double lr(std::size_t group = 0) const final { return options_.at(group).lr; }
  double momentum(std::size_t group = 0) const final {
    if constexpr (requires(Options o) { o.beta1; }) return options_.at(group).beta1;
    else if constexpr (requires(Options o) { o.momentum; }) return options_.at(group).momentum;
    else return 0;
  }
  void set_momentum(double momentum, std::size_t group) final {
    if constexpr (requires(Options o) { o.beta1; }) options_.at(group).beta1 = momentum;
    else if constexpr (requires(Options o) { o.momentum; }) options_.at(group).momentum = momentum;
  }
  using Optimizer::set_lr;
  void set_lr(double lr, std::size_t group) final { options_.at(group).lr = lr; }

 protected:
  Grouped(const std::vector<Tensor>& parameters, const Options& options) { add_param_group(parameters, options); }

  void save_options(std::size_t group, State& state) const final {
    Options copy = options_[group];
    copy.visit([&](const char* name, auto& value) { state.set_number(name, static_cast<double>(value)); });
  }
  void load_options(std::size_t group, const State& state) final {
    Options loaded = options_[group];
    loaded.visit([&](const char* name, auto& value) {
      value = static_cast<std::remove_reference_t<decltype(value)>>(state.number(name));
    });
    loaded.validate();
    options_[group] = loaded;
  }

  std::vector<Options> options_;
};

namespace detail {
/// Throws ValueError `optimizer: lr must …` if a condition on options does not hold.
MINIMA_API void expect(bool holds, const char* what, double value);
/// What most optimizers ask of what they share.
template <class Options>
void expect_usual(const Options& o) {
  expect(o.lr >= 0, "lr must not be negative", o.lr);
  if constexpr (requires { o.weight_decay; }) expect(o.weight_decay >= 0, "weight_decay must not be negative", o.weight_decay);
  if constexpr (requires { o.beta1; }) expect(o.beta1 >= 0 && o.beta1 < 1, "beta1 must lie in [0, 1)", o.beta1);
  if constexpr (requires { o.beta2; }) expect(o.beta2 >= 0 && o.beta2 < 1, "beta2 must lie in [0, 1)", o.beta2);
  if constexpr (requires { o.momentum; }) expect(o.momentum >= 0, "momentum must not be negative", o.momentum);
  if constexpr (requires { o.eps; }) expect(o.eps >= 0, "eps must not be negative", o.eps);
}
}  // namespace detail

}  // namespace minima::optim
