#pragma once

#include <torch/nn/cloneable.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace torch::nn {

namespace detail {

[[noreturn]] void throw_wrong_module(const std::string& key, const std::type_info& wanted);

template <typename M>
M& cast_module(Module& module, const std::string& key) {
  static_assert(torch::detail::is_module<M>::value, "Can only call `at` with an nn::Module type");
  if (M* result = module.as<M>()) return *result;
  throw_wrong_module(key, typeid(M));
}

/// A shared pointer to a module that is given by value, by its holder or by pointer.
template <typename M>
std::shared_ptr<M> module_pointer(std::shared_ptr<M> module) {
  return module;
}
template <typename M>
std::shared_ptr<M> module_pointer(const ModuleHolder<M>& module) {
  return module.ptr();
}
template <typename M, typename = torch::detail::enable_if_module_t<M>>
std::shared_ptr<std::decay_t<M>> module_pointer(M&& module) {
  return std::make_shared<std::decay_t<M>>(std::forward<M>(module));
}

}  // namespace detail

/// Modules by index. It has no `forward`.
class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  using Iterator = std::vector<std::shared_ptr<Module>>::iterator;
  using ConstIterator = std::vector<std::shared_ptr<Module>>::const_iterator;

  ModuleListImpl() = default;
  template <typename... Modules>
  requires(!(std::is_same_v<std::decay_t<Modules>, ModuleListImpl> || ...))
  explicit ModuleListImpl(Modules&&... modules) {
    modules_.reserve(sizeof...(Modules));
    (push_back(std::forward<Modules>(modules)), ...);
  }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  void push_back(std::shared_ptr<Module> module);
  template <typename M>
  requires requires(M&& module) { detail::module_pointer(std::forward<M>(module)); } void push_back(M&& module) {
    push_back(std::shared_ptr<Module>(detail::module_pointer(std::forward<M>(module))));
  }
  template <typename Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }

  /// Inserts before `index`; the names of modules behind it count up.
  void insert(std::size_t index, std::shared_ptr<Module> module);
  template <typename M>
  requires requires(M&& module) { detail::module_pointer(std::forward<M>(module)); }
  void insert(std::size_t index, M&& module) {
    insert(index, std::shared_ptr<Module>(detail::module_pointer(std::forward<M>(module))));
  }

  Iterator begin() { return modules_.begin(); }
  ConstIterator begin() const { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator end() const { return modules_.end(); }

  template <typename M>
  M& at(std::size_t index) {
    return detail::cast_module<M>(*ptr(index), std::to_string(index));
  }
  template <typename M>
  const M& at(std::size_t index) const {
    return detail::cast_module<M>(*ptr(index), std::to_string(index));
  }
  std::shared_ptr<Module> ptr(std::size_t index) const;
  template <typename M>
  std::shared_ptr<M> ptr(std::size_t index) const {
    static_assert(torch::detail::is_module<M>::value, "Can only call ModuleList::ptr with an nn::Module type");
    return std::dynamic_pointer_cast<M>(ptr(index));
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }

 private:
  std::vector<std::shared_ptr<Module>> modules_;
};

TORCH_MODULE(ModuleList);

}  // namespace torch::nn
