#pragma once

#include <minima/nn/module/any_module.h>

namespace minima::nn {

namespace detail {

/// Common base of Sequential and ModuleList: heap-allocated children, named "0", "1", … by default.
template <class Base>
class Items : public Base {
 public:
  void push_back(AnyModule module) { push_back(std::to_string(size()), std::move(module)); }
  /// Throws ValueError if the name is taken or `module` contains this one.
  void push_back(const std::string& name, AnyModule module) { add_item(*this, name, std::move(module)); }

  std::size_t size() const { return items(*this).size(); }
  bool empty() const { return size() == 0; }
  /// A handle to the module at `index`; a negative index counts from the end. Throws IndexError.
  const AnyModule& operator[](std::int64_t index) const { return item(*this, index); }
  /// The module at `index` as an M: `features.at<nn::Conv2d>(0).weight`. Throws ValueError if it is not an M.
  template <class M>
  M& at(std::int64_t index) const {
    return (*this)[index].template as<M>();
  }
  std::vector<AnyModule>::const_iterator begin() const { return items(*this).begin(); }
  std::vector<AnyModule>::const_iterator end() const { return items(*this).end(); }
};

MINIMA_API void add_item(ModuleBase& module, const std::string& name, AnyModule item);
MINIMA_API const std::vector<AnyModule>& items(const ModuleBase& module);
MINIMA_API const AnyModule& item(const ModuleBase& module, std::int64_t index);

template <class Base, class... Modules>
inline constexpr bool are_items =
    sizeof...(Modules) > 0 &&
    !(sizeof...(Modules) == 1 && (std::is_base_of_v<Base, std::remove_cvref_t<Modules>> && ...));

}  // namespace detail

/// Calls its modules in order, each with the previous one's result. It stores handles, so it shares the modules passed
/// in; functions from tensor to tensor are accepted too. Copies of a Sequential share one list.
///
///   nn::Sequential net(nn::Linear({.in = 784, .out = 512}), nn::ReLU(), nn::Linear({.in = 512, .out = 10}));
class MINIMA_API Sequential : public detail::Items<Module> {
 public:
  Sequential() = default;
  template <class... Modules>
  requires detail::are_items<Sequential, Modules...> explicit Sequential(Modules&&... modules) {
    constexpr bool are_modules = (std::is_constructible_v<AnyModule, Modules> && ...);
    static_assert(are_modules, "Sequential takes modules and functions from tensor to tensor");
    if constexpr (are_modules) (push_back(AnyModule(std::forward<Modules>(modules))), ...);
  }
  Tensor forward(const Tensor& x) override;
};

/// A list of modules of any types, for code that calls them itself. If all have one type, prefer `ListOf<M>`.
class MINIMA_API ModuleList : public detail::Items<ModuleBase> {
 public:
  ModuleList() = default;
  template <class... Modules>
  requires detail::are_items<ModuleList, Modules...> explicit ModuleList(Modules&&... modules) {
    constexpr bool are_modules = (std::is_constructible_v<AnyModule, Modules> && ...);
    static_assert(are_modules, "ModuleList takes modules and functions from tensor to tensor");
    if constexpr (are_modules) (push_back(AnyModule(std::forward<Modules>(modules))), ...);
  }
};

/// Named modules of any types, torch.nn.ModuleDict:
///   nn::ModuleDict heads = child("heads", nn::ModuleDict({{"class", nn::Linear(…)}, {"box", nn::Linear(…)}}));
///   Tensor boxes = heads["box"](features);
class MINIMA_API ModuleDict : public ModuleBase {
 public:
  ModuleDict() = default;
  explicit ModuleDict(const std::vector<std::pair<std::string, AnyModule>>& modules) {
    for (const auto& [name, module] : modules) insert(name, module);
  }
  /// Throws ValueError if the name is taken.
  void insert(const std::string& name, AnyModule module) { detail::add_item(*this, name, std::move(module)); }
  bool contains(const std::string& name) const;
  /// Throws IndexError, listing the known names.
  const AnyModule& operator[](const std::string& name) const;
  /// The module as an M: `heads.at<nn::Linear>("box").weight`.
  template <class M>
  M& at(const std::string& name) const {
    return (*this)[name].template as<M>();
  }
  /// In insertion order.
  std::vector<std::string> names() const;
  std::size_t size() const { return detail::items(*this).size(); }
};

}  // namespace minima::nn
