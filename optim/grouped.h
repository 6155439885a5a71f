#pragma once

#include <minima/optim/optimizer.h>
#include <minima/optim/setting.h>
#include <minima/tensor/base/error.h>

namespace minima::optim {

/// Some parameters with options of their own; those that are not given are the optimizer's.
template <class Options>
struct ParamGroup {
  std::vector<Tensor> parameters;
  Options options = {};
};

/// What an optimizer is made for: parameters, or groups of them as in PyTorch:
///
///     optim::SGD optimizer({{.parameters = net.body.parameters()},
///                           {.parameters = net.head.parameters(), .options = {.lr = 1e-2}}}, {.lr = 1e-3, .momentum =
///                           0.9});
template <class Options>
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::vector<Tensor> parameters) : groups_{{std::move(parameters)}} {}
  Parameters(std::initializer_list<Tensor> parameters) : Parameters(std::vector<Tensor>(parameters)) {}
  Parameters(std::vector<ParamGroup<Options>> groups) : groups_(std::move(groups)) {}
  Parameters(std::initializer_list<ParamGroup<Options>> groups) : groups_(groups) {}
  const std::vector<ParamGroup<Options>>& groups() const { return groups_; }

 private:
  std::vector<ParamGroup<Options>> groups_;
};

/// An optimizer whose groups have options of type `Options`, an aggregate that lists its members:
/// `template <class V> void visit(V&& v) { v("lr", lr); … }`, and checks them: `void validate() const`. Members are
/// Settings, or plain values, which count as not given where they equal their default. What is not defined here is in
/// grouped_impl.h, for the source that says `template class Grouped<MyOptions>;`: every program that includes minima.h
/// would pay for it otherwise.
template <class Options>
class Grouped : public Optimizer {
 public:
  ~Grouped() override;
  /// Options of a group; may be changed between steps.
  Options& options(std::size_t group = 0) { return options_.at(group); }
  const Options& options(std::size_t group = 0) const { return options_.at(group); }

  /// Adds parameters with options of their own: `optimizer.add_param_group(biases, {.weight_decay = 0})`. Those that
  /// are not given are those that the optimizer was made with, whatever its groups have by now.
  void add_param_group(const std::vector<Tensor>& parameters, const Options& options = {});

  double lr(std::size_t group = 0) const final;
  double momentum(std::size_t group = 0) const final;
  void set_momentum(double momentum, std::size_t group) final;
  using Optimizer::set_lr;
  void set_lr(double lr, std::size_t group) final;

 protected:
  Grouped(const Parameters<Options>& parameters, const Options& options);
  /// Throws for parameters that the optimizer cannot take. The constructor of an optimizer that has such calls it
  /// itself.
  virtual void check_group(const std::vector<Tensor>&) const {}

  void save_options(std::size_t group, State& state) const final;
  void load_options(std::size_t group, const State& state) final;

  std::vector<Options> options_;

 private:
  Options inherited(Options given) const;

  Options defaults_;  ///< that the optimizer was made with
};

namespace detail {
/// Throws ValueError `optimizer: lr must …, got -1` if a condition on options does not hold.
MINIMA_API void expect(bool holds, const char* what, double value);
}  // namespace detail

}  // namespace minima::optim
