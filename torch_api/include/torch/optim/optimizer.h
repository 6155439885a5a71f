#pragma once

#include <c10/util/flat_hash_map.h>
#include <torch/arg.h>
#include <torch/serialize/fwd.h>
#include <torch/types.h>

#include <functional>
#include <memory>
#include <vector>

namespace torch::optim {

/// The state that an optimizer keeps for one parameter. Subclass OptimizerCloneableParamState.
class OptimizerParamState {
 public:
  OptimizerParamState() = default;
  OptimizerParamState(const OptimizerParamState&) = default;
  OptimizerParamState& operator=(const OptimizerParamState&) = default;
  OptimizerParamState(OptimizerParamState&&) noexcept = default;
  OptimizerParamState& operator=(OptimizerParamState&&) noexcept = default;
  virtual ~OptimizerParamState() = default;

  virtual std::unique_ptr<OptimizerParamState> clone() const;
  virtual void serialize(serialize::InputArchive& archive);
  virtual void serialize(serialize::OutputArchive& archive) const;
};

template <typename Derived>
class OptimizerCloneableParamState : public OptimizerParamState {
  std::unique_ptr<OptimizerParamState> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

/// The options of a parameter group. Subclass OptimizerCloneableOptions.
class OptimizerOptions {
 public:
  OptimizerOptions() = default;
  OptimizerOptions(const OptimizerOptions&) = default;
  OptimizerOptions& operator=(const OptimizerOptions&) = default;
  OptimizerOptions(OptimizerOptions&&) noexcept = default;
  OptimizerOptions& operator=(OptimizerOptions&&) noexcept = default;
  virtual ~OptimizerOptions() = default;

  virtual std::unique_ptr<OptimizerOptions> clone() const;
  virtual void serialize(serialize::InputArchive& archive);
  virtual void serialize(serialize::OutputArchive& archive) const;
  virtual double get_lr() const;
  virtual void set_lr(double lr);
};

template <typename Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
  std::unique_ptr<OptimizerOptions> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

/// Parameters and the options they are updated with; without options of their own they get the optimizer's defaults.
class OptimizerParamGroup {
 public:
  OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params)) {}
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), options_(std::move(options)) {}
  OptimizerParamGroup(const OptimizerParamGroup& other)
      : params_(other.params_), options_(other.options_ ? other.options_->clone() : nullptr) {}
  OptimizerParamGroup(OptimizerParamGroup&&) = default;
  OptimizerParamGroup& operator=(const OptimizerParamGroup&) = delete;
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) noexcept = default;
  ~OptimizerParamGroup() = default;

  bool has_options() const { return options_ != nullptr; }
  OptimizerOptions& options();
  const OptimizerOptions& options() const;
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
  std::vector<Tensor>& params() { return params_; }
  const std::vector<Tensor>& params() const { return params_; }

 protected:
  std::vector<Tensor> params_;
  std::unique_ptr<OptimizerOptions> options_;
};

/// The base of all optimizers. Parameter groups, their options and the parameters' state may be changed between steps.
class Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;
  using State = ska::flat_hash_map<void*, std::unique_ptr<OptimizerParamState>>;

  Optimizer(const std::vector<OptimizerParamGroup>& param_groups, std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults)
      : Optimizer({OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {}
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  Optimizer(Optimizer&&) = default;
  Optimizer& operator=(Optimizer&&) = default;
  virtual ~Optimizer();

  /// Updates all parameters that have a gradient. `closure` computes the loss, which is returned.
  virtual Tensor step(LossClosure closure = nullptr) = 0;
  void add_param_group(const OptimizerParamGroup& param_group);
  void zero_grad(bool set_to_none = true);

  /// Deprecated in LibTorch, too: these four warn and refer to the first group.
  void add_parameters(const std::vector<Tensor>& parameters);
  const std::vector<Tensor>& parameters() const noexcept;
  std::vector<Tensor>& parameters() noexcept;
  size_t size() const noexcept;

  OptimizerOptions& defaults() noexcept { return *defaults_; }
  const OptimizerOptions& defaults() const noexcept { return *defaults_; }
  std::vector<OptimizerParamGroup>& param_groups() noexcept { return param_groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return param_groups_; }
  /// The state of each parameter, by the parameter's `unsafeGetTensorImpl()`.
  State& state() noexcept { return state_; }
  const State& state() const noexcept { return state_; }

  virtual void save(serialize::OutputArchive& archive) const;
  virtual void load(serialize::InputArchive& archive);

 protected:
  std::vector<OptimizerParamGroup> param_groups_;
  State state_;
  std::unique_ptr<OptimizerOptions> defaults_;
  /// minima's optimizer, which computes the step (torch_api/optim/engine.h).
  std::shared_ptr<void> engine_;
};

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Optimizer& optimizer);
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Optimizer& optimizer);

/// Declares what options or states of parameters have in common; `torch_api/optim/fields.h` defines it.
#define MINIMA_TORCH_OPTIM_FIELDS(Class)                                   \
 public:                                                                   \
  void serialize(torch::serialize::InputArchive& archive) override;        \
  void serialize(torch::serialize::OutputArchive& archive) const override; \
  friend bool operator==(const Class& lhs, const Class& rhs)
#define MINIMA_TORCH_OPTIM_OPTIONS(Class) \
  MINIMA_TORCH_OPTIM_FIELDS(Class);       \
  double get_lr() const override;         \
  void set_lr(double lr) override
/// Declares an optimizer's constructors and overrides.
#define MINIMA_TORCH_OPTIMIZER(Class, ...)                                                                   \
  explicit Class(const std::vector<OptimizerParamGroup>& param_groups, Class##Options defaults __VA_ARGS__); \
  explicit Class(std::vector<Tensor> params, Class##Options defaults __VA_ARGS__)                            \
      : Class({OptimizerParamGroup(std::move(params))}, std::move(defaults)) {}                              \
  void save(serialize::OutputArchive& archive) const override;                                               \
  void load(serialize::InputArchive& archive) override

}  // namespace torch::optim
