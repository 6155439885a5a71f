#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/listed_parameter.h>

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

}  // namespace minima::nn
