#pragma once

#include <minima/nn/module/module_base.h>

namespace minima::nn::detail {

/// A parameter as a module whose name is the parameter's.
class MINIMA_API ListedParameter : public ModuleBase {
 public:
  explicit ListedParameter(Parameter given) : value(parameter("", std::move(given))) {}
  Parameter value;
};

}  // namespace minima::nn::detail
