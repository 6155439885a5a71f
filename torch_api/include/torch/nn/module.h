#pragma once

#include <torch/nn/modules/container/any_value.h>
#include <torch/nn/pimpl.h>
#include <torch/ordered_dict.h>
#include <torch/types.h>

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace torch::nn {

/// The base of all modules: a tree of named parameters, buffers and submodules. Subclasses register theirs and define
/// `forward`; those that are to be cloned derive from Cloneable.
class Module : public std::enable_shared_from_this<Module> {
 public:
  using ModuleApplyFunction = std::function<void(Module&)>;
  using ConstModuleApplyFunction = std::function<void(const Module&)>;
  using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;
  using ConstNamedModuleApplyFunction = std::function<void(const std::string&, const Module&)>;
  using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module>&)>;
  using NamedModulePointerApplyFunction = std::function<void(const std::string&, const std::shared_ptr<Module>&)>;

  Module();
  explicit Module(std::string name);
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;
  Module(Module&&) noexcept = default;
  Module& operator=(Module&&) noexcept = default;
  virtual ~Module() = default;

  /// The name given to the constructor, or that of the dynamic type.
  const std::string& name() const noexcept;

  /// A deep copy, on `device` if given. Throws unless the subclass derives from Cloneable or overrides it.
  virtual std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const;

  /// Calls `function` with this module and all below it, parents before children. The forms with a pointer need this
  /// module to be held by a `std::shared_ptr`.
  void apply(const ModuleApplyFunction& function);
  void apply(const ConstModuleApplyFunction& function) const;
  void apply(const NamedModuleApplyFunction& function, const std::string& name_prefix = std::string());
  void apply(const ConstNamedModuleApplyFunction& function, const std::string& name_prefix = std::string()) const;
  void apply(const ModulePointerApplyFunction& function) const;
  void apply(const NamedModulePointerApplyFunction& function, const std::string& name_prefix = std::string()) const;

  /// Parameters and buffers leave out undefined tensors.
  std::vector<Tensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(const std::string& name_prefix = std::string(),
                                                                  bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;

  virtual void train(bool on = true);
  void eval();
  virtual bool is_training() const noexcept;

  /// Parameters stay the same tensors and get new data, so optimizers and members that hold them see the change.
  virtual void to(Device device, Dtype dtype, bool non_blocking = false);
  virtual void to(Dtype dtype, bool non_blocking = false);
  virtual void to(Device device, bool non_blocking = false);

  virtual void zero_grad(bool set_to_none = true);

  /// This module as a `M`, which is a module or its holder (`as<Linear>()` gives a `LinearImpl*`); null if it isn't
  /// one.
  template <typename M, typename = typename M::ContainedType>
  typename M::ContainedType* as() noexcept {
    return dynamic_cast<typename M::ContainedType*>(this);
  }
  template <typename M, typename = typename M::ContainedType>
  const typename M::ContainedType* as() const noexcept {
    return dynamic_cast<const typename M::ContainedType*>(this);
  }
  template <typename M, typename = torch::detail::disable_if_module_holder_t<M>, int = 0>
  M* as() noexcept {
    return dynamic_cast<M*>(this);
  }
  template <typename M, typename = torch::detail::disable_if_module_holder_t<M>, int = 0>
  const M* as() const noexcept {
    return dynamic_cast<const M*>(this);
  }

  virtual void save(serialize::OutputArchive& archive) const;
  virtual void load(serialize::InputArchive& archive);
  /// Submodules for which this is false are not in archives.
  virtual bool is_serializable() const;

  /// Prints this module for `operator<<`; its children follow in parentheses.
  virtual void pretty_print(std::ostream& stream) const;

  Tensor& register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  Tensor& register_buffer(std::string name, Tensor tensor);

  template <typename M>
  std::shared_ptr<M> register_module(std::string name, std::shared_ptr<M> module) {
    insert_module(std::move(name), module);
    return module;
  }
  template <typename M>
  std::shared_ptr<M> register_module(std::string name, ModuleHolder<M> module) {
    return register_module(std::move(name), module.ptr());
  }
  template <typename M>
  std::shared_ptr<M> replace_module(const std::string& name, std::shared_ptr<M> module) {
    children_[name] = module;
    return module;
  }
  template <typename M>
  std::shared_ptr<M> replace_module(const std::string& name, ModuleHolder<M> module) {
    return replace_module(name, module.ptr());
  }
  void unregister_module(const std::string& name);

 protected:
  friend class AnyModule;

  /// How AnyModule fills in arguments that a caller left out: FORWARD_HAS_DEFAULT_ARGS overrides all three.
  virtual bool _forward_has_default_args() { return false; }
  virtual unsigned int _forward_num_required_args();
  virtual std::vector<AnyValue> _forward_populate_default_args(std::vector<AnyValue>&& arguments);

  OrderedDict<std::string, Tensor> parameters_{"Parameter"};

 private:
  template <typename Derived>
  friend class Cloneable;
  friend std::ostream& operator<<(std::ostream& stream, const Module& module);

  virtual void clone_(Module& other, const std::optional<Device>& device);

  /// The parts of Cloneable::clone that don't depend on the type.
  void forget_members();
  void copy_members(const Module& source, const std::optional<Device>& device);

  void insert_module(std::string name, std::shared_ptr<Module> module);
  void print(std::ostream& stream, const std::string& indentation) const;
  void apply_to_submodules(const NamedModulePointerApplyFunction& function, const std::string& name_prefix) const;
  std::shared_ptr<Module> shared_from_this_checked() const;

  OrderedDict<std::string, Tensor> buffers_{"Buffer"};
  OrderedDict<std::string, std::shared_ptr<Module>> children_{"Submodule"};
  mutable std::optional<std::string> name_;
  bool is_training_ = true;
};

std::ostream& operator<<(std::ostream& stream, const Module& module);
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const std::shared_ptr<Module>& module);
serialize::InputArchive& operator>>(serialize::InputArchive& archive, const std::shared_ptr<Module>& module);

}  // namespace torch::nn
