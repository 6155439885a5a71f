#pragma once

#include <minima/optim/optimizer.h>
#include <minima/tensor/error.h>

namespace minima::optim {

/// An optimizer whose groups have options of type `Options`, an aggregate that lists its members:
/// `template <class V> void visit(V&& v) { v("lr", lr); … }`, and checks them: `void validate() const`. What is not defined
/// here is in grouped_impl.h, for the source that says `template class Grouped<MyOptions>;`: every program that includes
/// minima.h would pay for it otherwise.
template <class Options>
class Grouped : public Optimizer {
 public:
  ~Grouped() override;
  /// Options of a group; may be changed between steps.
  Options& options(std::size_t group = 0) { return options_.at(group); }
  const Options& options(std::size_t group = 0) const { return options_.at(group); }

  /// Adds parameters with options of their own.
  void add_param_group(const std::vector<Tensor>& parameters, const Options& options);

  double lr(std::size_t group = 0) const final;
  double momentum(std::size_t group = 0) const final;
  void set_momentum(double momentum, std::size_t group) final;
  using Optimizer::set_lr;
  void set_lr(double lr, std::size_t group) final;

 protected:
  Grouped(const std::vector<Tensor>& parameters, const Options& options);

  void save_options(std::size_t group, State& state) const final;
  void load_options(std::size_t group, const State& state) final;

  std::vector<Options> options_;
};

namespace detail {
/// Throws ValueError `optimizer: lr must …` if a condition on options does not hold.
MINIMA_API void expect(bool holds, const char* what, double value);
}  // namespace detail

}  // namespace minima::optim
