#pragma once

#include <minima/io/state.h>
#include <minima/optim/step_result.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <vector>

namespace minima::optim {

namespace detail {
class Step;
}

/// What all optimizers share: parameters in groups, each group with options of its own, state per parameter.
///
///     optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
///     optimizer.zero_grad();
///     loss.backward();
///     optimizer.step();
///
/// A step changes parameters in place; they keep their identity and storage. A parameter without gradient since the
/// last `zero_grad` is left alone, its state and step count too. Half-precision parameters get a float32 master copy,
/// in which steps add up; the parameter is its rounding. Parameters may change device or dtype between steps
/// (`net.to`): their state follows.
class MINIMA_API Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Forgets all gradients (their memory stays for the next ones).
  void zero_grad() const;
  /// One update of every parameter that has a gradient. An exception leaves parameters, state and step counts as they
  /// were; only LAMB, Muon, Adafactor and LBFGS, which compute in between, may stop half-way, and then the exception
  /// says so.
  StepResult step();
  /// The same as a loss scaler asks for it.
  StepResult step(const ScaledStep& scaled);
  /// What step() does about gradients with NaN or infinities; the default is `ignore`.
  void on_non_finite(NonFinite policy) { non_finite_ = policy; }

  /// The class without its namespaces, which the state dict names: `AdamW`.
  virtual std::string type_name() const;
  /// The parameters, group after group; those of one group.
  std::vector<Tensor> parameters() const;
  std::vector<Tensor> parameters(std::size_t group) const;
  /// Names for messages: `optimizer.name_parameters(net.named_parameters())`. Others keep their numbers.
  template <class Named>
  void name_parameters(const std::vector<Named>& named) {
    for (const auto& [name, tensor] : named) set_name(tensor, name);
  }
  std::size_t group_count() const { return group_count_; }
  virtual double lr(std::size_t group = 0) const = 0;
  virtual void set_lr(double lr, std::size_t group) = 0;
  /// Sets it for all groups.
  void set_lr(double lr);
  /// β₁ or the momentum of a group, which some schedules move; 0, and setting it does nothing, where there is none.
  virtual double momentum(std::size_t group = 0) const;
  virtual void set_momentum(double momentum, std::size_t group);
  /// Brings the learning rates that kernels read up to date. A step does so by itself; a captured one cannot, so this
  /// is called before its replay.
  void upload_lr();

  /// PyTorch's layout: `state.3.exp_avg` for the parameter in place 3, `param_groups.0.lr`. The tensors are copies.
  virtual State state_dict() const;
  /// Takes over state and options. Throws ValueError that names what is missing or does not fit, and the optimizer that
  /// the state is of if that is another one; it changes nothing then.
  virtual void load_state_dict(const State& state);

  /// One parameter with everything that a step needs of it.
  struct Slot {
    Tensor parameter;
    std::size_t group = 0;
    std::string name;
    Tensor progress;  ///< float64 [2]: updates so far, and a product (see Progress); undefined until the first
    std::vector<Tensor> state;  ///< in the order of state_names(); empty until the first update
    Tensor master;              ///< float32, for a half-precision parameter
  };

 protected:
  Optimizer() = default;
  /// Throws ValueError for an empty group, an undefined or repeated parameter, DTypeError for one that is not floating.
  void add_slots(const std::vector<Tensor>& parameters);

  /// One update; recording is off. What `scaled` says is obeyed by detail::Step, or by settle().
  virtual void update(const ScaledStep& scaled) = 0;
  /// For updates that need products and norms of their own: whether to go on (waits for the device), with gradients
  /// that are not scaled any more.
  bool settle(const ScaledStep& scaled) const;
  /// Names of a slot's state tensors.
  virtual std::vector<const char*> state_names(const Slot& slot) const = 0;
  /// The shape that the state tensor of this name has.
  virtual Shape state_shape(const Slot& slot, const char* name) const;
  /// What is called the product of a slot's progress in the state dict; null if there is none.
  virtual const char* product_name() const { return nullptr; }
  virtual void save_options(std::size_t group, State& state) const = 0;
  virtual void load_options(std::size_t group, const State& state) = 0;

  std::vector<Slot> slots_;
  std::size_t group_count_ = 0;

 private:
  friend class detail::Step;
  struct DeviceLr {
    std::size_t group;
    Tensor value;
    double held;
  };
  const double* device_lr(std::size_t group, Device device);
  void set_name(const Tensor& tensor, const std::string& name);
  [[noreturn]] void raise_non_finite() const;
  void load_group(std::size_t group, const State& state);
  /// What to say of a state that does not fit: whose it is, as far as one knows.
  std::string origin_of(const State& state) const;
  std::vector<Slot> load_slots(const State& state) const;

  NonFinite non_finite_ = NonFinite::ignore;
  std::vector<DeviceLr> device_lrs_;
};

}  // namespace minima::optim
