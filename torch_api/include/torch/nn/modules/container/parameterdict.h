#pragma once

#include <torch/nn/cloneable.h>

#include <cstddef>
#include <string>
#include <vector>

namespace torch::nn {

/// Parameters by name, in order of insertion.
class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;

  ParameterDictImpl() = default;
  explicit ParameterDictImpl(const OrderedDict<std::string, Tensor>& parameters);

  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Registers `parameter`, which keeps its `requires_grad`; throws if the name is taken.
  Tensor& insert(const std::string& key, const Tensor& parameter);
  Tensor pop(const std::string& key);
  /// Replaces parameters that are there already; throws at others.
  template <typename Container>
  void update(const Container& container) {
    for (const auto& item : container) parameters_[item.key()] = item.value();
  }
  void clear();

  std::vector<std::string> keys() const;
  std::vector<Tensor> values() const;
  Iterator begin() { return parameters_.begin(); }
  ConstIterator begin() const { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator end() const { return parameters_.end(); }
  std::size_t size() const noexcept { return parameters_.size(); }
  bool empty() const noexcept { return parameters_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }
  Tensor& get(const std::string& key) { return parameters_[key]; }
  const Tensor& get(const std::string& key) const { return parameters_[key]; }
  Tensor& operator[](const std::string& key) { return parameters_[key]; }
  const Tensor& operator[](const std::string& key) const { return parameters_[key]; }
};

TORCH_MODULE(ParameterDict);

}  // namespace torch::nn
