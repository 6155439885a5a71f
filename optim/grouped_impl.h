#pragma once

#include <minima/optim/grouped.h>
#include <minima/tensor/base/check_option.h>

#include <type_traits>

namespace minima::optim {

namespace detail {
template <class T> T plain(const Setting<T>& value) { return value; }
template <class T> T plain(const T& value) { return value; }

/// Checks the options that optimizers have in common, then the others by `validate`, if there is one.
template <class Options>
void validate(const Options& o) {
  Options(o).visit([](const char* name, const auto& setting) {
    if constexpr (std::is_same_v<decltype(plain(setting)), double>)
      minima::detail::check_number("optimizer", name, setting, minima::detail::finite);
  });
  expect(o.lr >= 0, "lr must not be negative", o.lr);
  if constexpr (requires { o.weight_decay; })
    expect(o.weight_decay >= 0, "weight_decay must not be negative", o.weight_decay);
  if constexpr (requires { o.beta1; }) expect(o.beta1 >= 0 && o.beta1 < 1, "beta1 must be in [0, 1)", o.beta1);
  if constexpr (requires { o.beta2; }) expect(o.beta2 >= 0 && o.beta2 < 1, "beta2 must be in [0, 1)", o.beta2);
  if constexpr (requires { o.momentum; }) expect(o.momentum >= 0, "momentum must not be negative", o.momentum);
  if constexpr (requires { o.eps; }) expect(o.eps >= 0, "eps must not be negative", o.eps);
  if constexpr (requires { o.validate(); }) o.validate();
}

}  // namespace detail

template <class Options>
Grouped<Options>::Grouped(const Parameters<Options>& parameters, const Options& options) : defaults_(options) {
  detail::validate(options);
  if (parameters.groups().empty()) throw ValueError("optimizer: there are no parameters");
  for (const ParamGroup<Options>& group : parameters.groups()) add_param_group(group.parameters, group.options);
}

template <class Options>
Grouped<Options>::~Grouped() = default;

template <class Options>
void Grouped<Options>::add_param_group(const std::vector<Tensor>& parameters, const Options& options) {
  const Options all = inherited(options);
  detail::validate(all);
  check_group(parameters);
  add_slots(parameters);
  options_.push_back(all);
}

template <class Options>
Options Grouped<Options>::inherited(Options given) const {
  Options all = defaults_, standard{};
  std::vector<const void*> givens, standards;
  given.visit([&](const char*, auto& value) { givens.push_back(&value); });
  standard.visit([&](const char*, auto& value) { standards.push_back(&value); });
  std::size_t next = 0;
  all.visit([&]<class T>(const char*, T& value) {
    const T& mine = *static_cast<const T*>(givens[next]);
    bool is_given;
    if constexpr (requires { mine.is_given(); }) is_given = mine.is_given();
    else is_given = mine != *static_cast<const T*>(standards[next]);
    if (is_given) value = mine;
    ++next;
  });
  return all;
}

template <class Options>
double Grouped<Options>::lr(std::size_t group) const {
  return options_.at(group).lr;
}

template <class Options>
void Grouped<Options>::set_lr(double lr, std::size_t group) {
  options_.at(group).lr = lr;
}

template <class Options>
double Grouped<Options>::momentum(std::size_t group) const {
  if constexpr (requires(Options o) { o.beta1; }) return options_.at(group).beta1;
  else if constexpr (requires(Options o) { o.momentum; }) return options_.at(group).momentum;
  else return 0;
}

template <class Options>
void Grouped<Options>::set_momentum([[maybe_unused]] double momentum, [[maybe_unused]] std::size_t group) {
  if constexpr (requires(Options o) { o.beta1; }) options_.at(group).beta1 = momentum;
  else if constexpr (requires(Options o) { o.momentum; }) options_.at(group).momentum = momentum;
}

template <class Options>
void Grouped<Options>::save_options(std::size_t group, State& state) const {
  Options copy = options_[group];
  copy.visit([&](const char* name, auto& value) { state.set_number(name, static_cast<double>(detail::plain(value))); });
}

template <class Options>
void Grouped<Options>::load_options(std::size_t group, const State& state) {
  Options loaded = options_[group];
  loaded.visit(
      [&](const char* name, auto& value) { value = static_cast<decltype(detail::plain(value))>(state.number(name)); });
  detail::validate(loaded);
  options_[group] = loaded;
}

}  // namespace minima::optim
