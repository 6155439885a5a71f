#pragma once

#include <minima/nn/module/module_base.h>

namespace minima::nn::detail {

/// A list element that holds one parameter; the parameter takes the element's name.
class MINIMA_API ListedParameter : public ModuleBase {
 public:
  explicit ListedParameter(Parameter given) : value(parameter("", std::move(given))) {}
  Parameter value;
};

/// The same of a buffer.
class MINIMA_API ListedBuffer : public ModuleBase {
 public:
  explicit ListedBuffer(Buffer given) : value(buffer("", std::move(given))) {}
  Buffer value;
};

}  // namespace minima::nn::detail
