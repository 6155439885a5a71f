#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/container/any.h>
#include <torch/nn/modules/container/named_any.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace torch::nn {

/// Modules called one after the other. `forward` takes what the first takes and returns `Return`, which must be what
/// the last returns.
class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = std::vector<AnyModule>::iterator;
  using ConstIterator = std::vector<AnyModule>::const_iterator;

  SequentialImpl() = default;
  template <typename... Modules>
  requires(!(std::is_same_v<std::decay_t<Modules>, SequentialImpl> || ...))
  explicit SequentialImpl(Modules&&... modules) {
    modules_.reserve(sizeof...(Modules));
    (push_back(std::forward<Modules>(modules)), ...);
  }
  explicit SequentialImpl(OrderedDict<std::string, AnyModule>&& modules);
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules);

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  template <typename Return = Tensor, typename... Inputs>
  Return forward(Inputs&&... inputs) {
    TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
    AnyValue output = forward_rest(modules_.front().any_forward(std::forward<Inputs>(inputs)...));
    if (Return* value = output.try_get<Return>()) return std::move(*value);
    TORCH_CHECK(false, "The type of the return value is ", c10::demangle(output.type_info().name()),
                ", but you asked for type ", c10::demangle(typeid(Return).name()));
  }

  /// Appends a module, its holder or a pointer to it, under its index or `name`.
  void push_back(AnyModule module);
  void push_back(std::string name, AnyModule module);
  template <typename M>
  requires(std::is_constructible_v<AnyModule, M>) void push_back(M&& module) {
    push_back(AnyModule(std::forward<M>(module)));
  }
  template <typename M>
  requires(std::is_constructible_v<AnyModule, M>) void push_back(std::string name, M&& module) {
    push_back(std::move(name), AnyModule(std::forward<M>(module)));
  }
  template <typename Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }

  Iterator begin() { return modules_.begin(); }
  ConstIterator begin() const { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator end() const { return modules_.end(); }

  template <typename M>
  M& at(std::size_t index) {
    static_assert(torch::detail::is_module<M>::value, "Can only call Sequential::at with an nn::Module type");
    return modules_[check_index(index)].get<M>();
  }
  template <typename M>
  const M& at(std::size_t index) const {
    static_assert(torch::detail::is_module<M>::value, "Can only call Sequential::at with an nn::Module type");
    return modules_[check_index(index)].get<M>();
  }
  std::shared_ptr<Module> ptr(std::size_t index) const { return modules_[check_index(index)].ptr(); }
  template <typename M>
  std::shared_ptr<M> ptr(std::size_t index) const {
    static_assert(torch::detail::is_module<M>::value, "Can only call Sequential::ptr with an nn::Module type");
    return modules_[check_index(index)].ptr<M>();
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }

 private:
  AnyValue forward_rest(AnyValue value);
  std::size_t check_index(std::size_t index) const;

  std::vector<AnyModule> modules_;
};

class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  Sequential() = default;
  Sequential(std::initializer_list<NamedAnyModule> modules);
};

}  // namespace torch::nn
