#pragma once

#include <minima/io/state.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::optim {

/// What all optimizers share: parameters in groups, each group with options of its own, state per parameter.
///
///     optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
///     optimizer.zero_grad();
///     loss.backward();
///     optimizer.step();
///
/// A step changes parameters in place; they keep their identity and storage. A parameter without gradient since the
/// last `zero_grad` is left alone, its state and step count too. Half-precision parameters get a float32 master copy,
/// in which steps add up; the parameter is its rounding.
class MINIMA_API Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Forgets all gradients (their memory stays for the next ones).
  void zero_grad() const;
  /// One update of every parameter that has a gradient.
  virtual void step() = 0;

  /// The parameters, group after group.
  std::vector<Tensor> parameters() const;
  std::size_t group_count() const { return group_count_; }
  virtual double lr(std::size_t group = 0) const = 0;
  virtual void set_lr(double lr, std::size_t group) = 0;
  /// Sets it for all groups.
  void set_lr(double lr);

  /// PyTorch's layout: `state.3.exp_avg` for the parameter in place 3, `param_groups.0.lr`. The tensors are copies.
  State state_dict() const;
  /// Takes over state and options. Throws ValueError that names what is missing or does not fit, and changes nothing
  /// then.
  void load_state_dict(const State& state);

  /// One parameter with everything that a step needs of it.
  struct Slot {
    Tensor parameter;
    std::size_t group = 0;
    std::int64_t steps = 0;      ///< updates of this parameter so far
    std::vector<Tensor> state;   ///< in the order of state_names(); empty until the first update
    Tensor master;               ///< float32, for a half-precision parameter
  };

 protected:
  Optimizer() = default;
  /// Throws ValueError for an empty group, an undefined or repeated parameter, DTypeError for one that is not floating.
  void add_slots(const std::vector<Tensor>& parameters);

  virtual std::vector<const char*> state_names(std::size_t group) const = 0;
  virtual void save_options(std::size_t group, State& state) const = 0;
  virtual void load_options(std::size_t group, const State& state) = 0;

  std::vector<Slot> slots_;
  std::size_t group_count_ = 0;

 private:
  void load_group(std::size_t group, const State& options);
  std::vector<Slot> load_slots(const State& state) const;
};

}  // namespace minima::optim
