#pragma once

#include <minima/nn/sequential.h>

namespace minima::nn {

namespace detail {

/// A parameter as a module whose name is the parameter's.
class MINIMA_API ListedParameter : public ModuleBase {
 public:
  explicit ListedParameter(Parameter given) : value(parameter("", std::move(given))) {}
  Parameter value;
};

}  // namespace detail

/// A list of parameters, torch.nn.ParameterList; elements are named `scales.0`, `scales.1`, …
///   nn::ParameterList scales = child("scales", nn::ParameterList({ones({8}), ones({8})}));
class MINIMA_API ParameterList : public ModuleBase {
 public:
  ParameterList() = default;
  explicit ParameterList(const std::vector<Parameter>& parameters) {
    for (const Parameter& one : parameters) push_back(one);
  }
  void push_back(Parameter one);
  std::size_t size() const;
  /// A negative index counts from the end. Throws IndexError.
  const Parameter& operator[](std::int64_t index) const;
};

}  // namespace minima::nn
