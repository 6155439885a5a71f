#pragma once

#include <minima/optim/optimizer.h>
#include <minima/optim/setting.h>
#include <minima/tensor/base/error.h>

namespace minima::optim {

/// Parameters and their options. Options that are not given are inherited from the optimizer.
template <class Options>
struct ParamGroup {
  std::vector<Tensor> parameters;
  Options options = {};
};

/// The parameters of an optimizer, in one group or in several as in PyTorch:
///
///     optim::SGD optimizer({{.parameters = net.body.parameters()},
///                           {.parameters = net.head.parameters(), .options = {.lr = 1e-2}}},
///                          {.lr = 1e-3, .momentum = 0.9});
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

/// An optimizer whose groups have options of type `Options`: an aggregate of Settings, or of plain values, which count
/// as not given when they equal their default. `template <class V> void visit(V&& v) { v("lr", lr); … }` lists them
/// under their names in the state dict. lr, weight_decay, momentum, eps and the betas are checked here; `void
/// validate() const`, if there is one, checks the others. The definitions are in grouped_impl.h, to be included where
/// `template class Grouped<MyOptions>;` stands, so that users of minima.h do not compile them.
template <class Options>
class Grouped : public Optimizer {
 public:
  ~Grouped() override;
  /// Options of a group; may be changed between steps.
  Options& options(std::size_t group = 0) { return options_.at(group); }
  const Options& options(std::size_t group = 0) const { return options_.at(group); }

  /// Adds a group: `optimizer.add_param_group(biases, {.weight_decay = 0})`. Options that are not given take the values
  /// passed to the optimizer's constructor, even if its groups have changed since.
  void add_param_group(const std::vector<Tensor>& parameters, const Options& options = {});

  double lr(std::size_t group = 0) const final;
  double momentum(std::size_t group = 0) const final;
  void set_momentum(double momentum, std::size_t group) final;
  using Optimizer::set_lr;
  void set_lr(double lr, std::size_t group) final;

 protected:
  Grouped(const Parameters<Options>& parameters, const Options& options);
  /// Throws for parameters that the optimizer does not support. Grouped's constructor cannot call an override, so the
  /// constructor of the optimizer must.
  virtual void check_group(const std::vector<Tensor>&) const {}

  void save_options(std::size_t group, State& state) const final;
  void load_options(std::size_t group, const State& state) final;

  std::vector<Options> options_;

 private:
  Options inherited(Options given) const;

  Options defaults_;  ///< passed to the constructor
};

namespace detail {
/// Throws ValueError `optimizer: lr must …, got -1` unless `holds`.
MINIMA_API void expect(bool holds, const char* what, double value);
}  // namespace detail

}  // namespace minima::optim
