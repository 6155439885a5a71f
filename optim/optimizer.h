#pragma once

// IWYU pragma: begin_exports
#include <minima/io/state.h>
#include <minima/optim/step_result.h>
#include <minima/tensor/tensor.h>
// IWYU pragma: end_exports

#include <string>
#include <vector>

namespace minima::optim {

namespace detail {
class UpdatePass;
}

/// The base of all optimizers: groups of parameters, options per group, state per parameter.
///
///     optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
///     optimizer.zero_grad();
///     loss.backward();
///     optimizer.step();
///
/// A step changes parameters in place; they keep their identity and storage. It skips parameters that have received no
/// gradient since the last `zero_grad`, including their state and step count. A half-precision parameter has a float32
/// master copy, which is updated and then rounded into the parameter. Parameters may change device or dtype between
/// steps (`net.to`); their state follows.
class MINIMA_API Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Clears all gradients; their memory is reused.
  void zero_grad() const;
  /// Updates every parameter that has a gradient. An exception leaves parameters, state and step counts unchanged,
  /// except in LAMB, Muon, Adafactor and LBFGS, whose steps can fail half-way.
  StepResult step();
  /// The same for a loss scaler.
  StepResult step(const ScaledStep& scaled);
  /// Sets what step() does about NaN and infinities in gradients; the default is `ignore`.
  void on_non_finite(NonFinite policy) { non_finite_ = policy; }
  /// Clips the Euclidean norm of all gradients together to `norm`, within the pass of step() that updates parameters:
  /// clip_grad_norm_ without a pass for itself, so `.grad` keeps its values, except in LAMB, Muon and Adafactor. A loss
  /// scaler's factor is taken into account. The default is infinity: no clipping. Throws ValueError for a negative norm
  /// or NaN.
  void max_grad_norm(double norm);

  /// The class name without namespaces, as stored in the state dict: `AdamW`.
  virtual std::string type_name() const;
  /// All parameters, group after group, or those of one group.
  std::vector<Tensor> parameters() const;
  std::vector<Tensor> parameters(std::size_t group) const;
  /// Sets names for error messages: `optimizer.name_parameters(net.named_parameters())`. Without a name, messages give
  /// the index.
  template <class Named>
  void name_parameters(const std::vector<Named>& named) {
    for (const auto& [name, tensor] : named) set_name(tensor, name);
  }
  std::size_t group_count() const { return group_count_; }
  virtual double lr(std::size_t group = 0) const = 0;
  virtual void set_lr(double lr, std::size_t group) = 0;
  /// Sets the learning rate of all groups.
  void set_lr(double lr);
  /// β₁ or the momentum of a group, for schedules. Without either it is 0 and the setter does nothing.
  virtual double momentum(std::size_t group = 0) const;
  virtual void set_momentum(double momentum, std::size_t group);
  /// Copies the learning rates to the device, where kernels read them. step() does this; a replayed CUDA graph cannot,
  /// so call it before a replay.
  void upload_lr();

  /// PyTorch's layout: `state.3.exp_avg` for parameter 3, `param_groups.0.lr`. The tensors are copies.
  virtual State state_dict() const;
  /// Loads state and options. Throws ValueError naming what is missing or does not match, and the class that saved the
  /// state if it is another one; the optimizer is then unchanged.
  virtual void load_state_dict(const State& state);

  /// One parameter with its optimizer state.
  struct Slot {
    Tensor parameter;
    std::size_t group = 0;
    std::string name;
    Tensor step_count;          ///< float64 [2], a StepCount; undefined until the first update
    std::vector<Tensor> state;  ///< in the order of state_names(); empty until the first update
    Tensor master;              ///< float32, for a half-precision parameter
  };
  /// The parameters with their state, group after group.
  const std::vector<Slot>& slots() const { return slots_; }
  /// The names of a slot's state tensors that have another shape than the parameter, as Adafactor's rows and columns. A
  /// process that has only a part of the parameter has them whole.
  std::vector<std::string> reduced_states(const Slot& slot) const;

 protected:
  Optimizer() = default;
  /// Throws ValueError for an empty group and for undefined or repeated parameters, DTypeError for non-floating ones.
  void add_slots(const std::vector<Tensor>& parameters);

  /// Performs one step, without recording. Pass `scaled` to detail::UpdatePass, or to settle().
  virtual void update(const ScaledStep& scaled) = 0;
  /// For optimizers that compute with whole tensors: unscales the gradients. False if the step is to be skipped.
  /// Synchronises with the device.
  bool settle(const ScaledStep& scaled) const;
  /// The names of a slot's state tensors.
  virtual std::vector<const char*> state_names(const Slot& slot) const = 0;
  /// The shape of a state tensor; by default the parameter's.
  virtual Shape state_shape(const Slot& slot, const char* name) const;
  /// The name of StepCount::product in the state dict; null if the optimizer has no use for it.
  virtual const char* product_name() const { return nullptr; }
  virtual void save_options(std::size_t group, State& state) const = 0;
  virtual void load_options(std::size_t group, const State& state) = 0;

  std::vector<Slot> slots_;
  std::size_t group_count_ = 0;

 private:
  friend class detail::UpdatePass;
  struct DeviceLr {
    std::size_t group;
    Tensor value;
    double held;
  };
  const double* device_lr(std::size_t group, Device device);
  void set_name(const Tensor& tensor, const std::string& name);
  [[noreturn]] void raise_non_finite() const;
  ScaledStep clipped(const ScaledStep& scaled, StepResult& result) const;
  void load_group(std::size_t group, const State& state);
  /// For errors: which optimizer saved the state, if it is another one or unknown.
  std::string origin_of(const State& state) const;
  std::vector<Slot> load_slots(const State& state) const;

  NonFinite non_finite_ = NonFinite::ignore;
  double max_grad_norm_ = -1;  ///< negative: no clipping
  std::vector<DeviceLr> device_lrs_;
};

}  // namespace minima::optim
