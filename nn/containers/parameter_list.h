#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/listed_parameter.h>

#include <string>
#include <utility>
#include <vector>

namespace minima::nn {

/// A list of parameters, torch.nn.ParameterList. Its elements are named `scales.0`, `scales.1`, …
///   nn::ParameterList scales = child("scales", nn::ParameterList({ones({8}), ones({8})}));
class MINIMA_API ParameterList : public ModuleBase {
 public:
  ParameterList() = default;
  explicit ParameterList(const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters) push_back(parameter);
  }
  void push_back(Parameter parameter);
  std::size_t size() const;
  /// A negative index counts from the end. Throws IndexError.
  const Parameter& operator[](std::int64_t index) const;
};

/// Named parameters, torch.nn.ParameterDict:
///   nn::ParameterDict scales = child("scales", nn::ParameterDict({{"left", ones({8})}, {"right", ones({8})}}));
///   Tensor y = x * scales["left"];
class MINIMA_API ParameterDict : public ModuleBase {
 public:
  ParameterDict() = default;
  explicit ParameterDict(const std::vector<std::pair<std::string, Parameter>>& parameters) {
    for (const auto& [name, parameter] : parameters) insert(name, parameter);
  }
  /// Throws ValueError if the name is taken.
  void insert(const std::string& name, Parameter parameter);
  bool contains(const std::string& name) const;
  /// Throws IndexError, listing the known names.
  const Parameter& operator[](const std::string& name) const;
  /// In insertion order.
  std::vector<std::string> names() const;
  std::size_t size() const;
};

}  // namespace minima::nn
