#pragma once

#include <torch/nn/modules/container/any.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace torch::nn {

/// A named module in the list that a Sequential is made from: `Sequential({{"in", Linear(3, 4)}, {"act", ReLU()}})`.
class NamedAnyModule {
 public:
  NamedAnyModule(std::string name, AnyModule module) : name_(std::move(name)), module_(std::move(module)) {}
  template <typename M>
  NamedAnyModule(std::string name, std::shared_ptr<M> module)
      : NamedAnyModule(std::move(name), AnyModule(std::move(module))) {}
  template <typename M>
  NamedAnyModule(std::string name, const ModuleHolder<M>& module)
      : NamedAnyModule(std::move(name), AnyModule(module)) {}
  template <typename M, typename = torch::detail::enable_if_module_t<M>>
  NamedAnyModule(std::string name, M&& module) : NamedAnyModule(std::move(name), AnyModule(std::forward<M>(module))) {}

  const std::string& name() const noexcept { return name_; }
  AnyModule& module() noexcept { return module_; }
  const AnyModule& module() const noexcept { return module_; }

 private:
  std::string name_;
  AnyModule module_;
};

}  // namespace torch::nn
