#pragma once

#include <torch/nn/cloneable.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace torch::nn {

/// Parameters by index. Iterating gives items of an OrderedDict, whose keys are "0", "1", …
class ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;

  ParameterListImpl() = default;
  template <typename... Tensors>
  requires(!(std::is_same_v<std::decay_t<Tensors>, ParameterListImpl> || ...))
  explicit ParameterListImpl(Tensors&&... parameters) {
    parameters_.reserve(sizeof...(Tensors));
    (append(std::forward<Tensors>(parameters)), ...);
  }

  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Registers `parameter`, which keeps its `requires_grad`.
  void append(const Tensor& parameter);
  void append(const OrderedDict<std::string, Tensor>::Item& item) { append(item.value()); }
  template <typename Container>
  void extend(const Container& container) {
    for (const auto& parameter : container) append(parameter);
  }
  template <typename Container>
  ParameterListImpl& operator+=(const Container& container) {
    extend(container);
    return *this;
  }

  Iterator begin() { return parameters_.begin(); }
  ConstIterator begin() const { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator end() const { return parameters_.end(); }
  Tensor& at(std::size_t index);
  const Tensor& at(std::size_t index) const { return const_cast<ParameterListImpl*>(this)->at(index); }
  Tensor& operator[](std::size_t index) { return at(index); }
  const Tensor& operator[](std::size_t index) const { return at(index); }
  std::size_t size() const noexcept { return parameters_.size(); }
  bool is_empty() const noexcept { return parameters_.is_empty(); }
};

TORCH_MODULE(ParameterList);

}  // namespace torch::nn
