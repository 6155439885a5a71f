#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/common.h>
#include <torch/nn/modules/container/any_module_holder.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace torch::nn {

/// A module of any type whose `forward` is neither overloaded nor a template. Copies share the module.
///
///     AnyModule any(Linear(3, 4));
///     Tensor y = any.forward(torch::ones({2, 3}));
class AnyModule {
 public:
  AnyModule() = default;

  template <typename M>
  explicit AnyModule(std::shared_ptr<M> module) : module_(std::move(module)) {
    static_assert(torch::detail::is_module<M>::value, "Can only store object derived from nn::Module into AnyModule");
    static_assert(torch::detail::has_forward<M>::value,
                  "Can only store module with a forward() method that has a non-templatized argument type and return "
                  "type into AnyModule. To put an nn::Sequential inside another, derive from SequentialImpl and give "
                  "the class a forward() of its own.");
    type_ = detail::any_module_type<M>(&M::forward);
  }
  template <typename M, typename = torch::detail::enable_if_module_t<M>>
  explicit AnyModule(M&& module) : AnyModule(std::make_shared<std::decay_t<M>>(std::forward<M>(module))) {}
  template <typename M>
  explicit AnyModule(const ModuleHolder<M>& holder) : AnyModule(holder.ptr()) {}

  template <typename M>
  AnyModule& operator=(std::shared_ptr<M> module) {
    return *this = AnyModule(std::move(module));
  }

  /// Holds a deep copy of the module; `Module::clone`.
  AnyModule clone(std::optional<Device> device = std::nullopt) const;

  /// Calls the module's `forward`, whose parameters must have exactly the types of `arguments`, decayed.
  template <typename... Arguments>
  AnyValue any_forward(Arguments&&... arguments) {
    std::vector<AnyValue> values;
    values.reserve(sizeof...(Arguments));
    (values.emplace_back(std::forward<Arguments>(arguments)), ...);
    return call(std::move(values));
  }
  template <typename Return = Tensor, typename... Arguments>
  Return forward(Arguments&&... arguments) {
    return any_forward(std::forward<Arguments>(arguments)...).template get<Return>();
  }

  /// The module, by its own type or as its holder; throws if it is of another type.
  template <typename M, typename = torch::detail::enable_if_module_t<M>>
  M& get() {
    check_type("get", typeid(M));
    return dynamic_cast<M&>(*module_);
  }
  template <typename M, typename = torch::detail::enable_if_module_t<M>>
  const M& get() const {
    return const_cast<AnyModule*>(this)->get<M>();
  }
  template <typename Holder, typename Contained = typename Holder::ContainedType>
  Holder get() const {
    return Holder(ptr<Contained>());
  }

  std::shared_ptr<Module> ptr() const;
  template <typename M, typename = torch::detail::enable_if_module_t<M>>
  std::shared_ptr<M> ptr() const {
    check_type("ptr", typeid(M));
    return std::dynamic_pointer_cast<M>(module_);
  }

  const std::type_info& type_info() const;
  bool is_empty() const noexcept { return module_ == nullptr; }

 private:
  AnyValue call(std::vector<AnyValue> arguments);
  void check_not_empty(const char* function) const;
  void check_type(const char* function, const std::type_info& wanted) const;

  std::shared_ptr<Module> module_;
  const detail::AnyModuleType* type_ = nullptr;
};

}  // namespace torch::nn
