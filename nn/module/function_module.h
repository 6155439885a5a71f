#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

/// A layer without parameters: calls `function(x)`, or with options `function(x, options.field...)`.
///   struct ReLU : FunctionModule<relu> {};
///   struct ELU : FunctionModule<elu, ELUOptions, &ELUOptions::alpha> { using FunctionModule::FunctionModule; };
template <auto function, class Options = void, auto... fields>
class FunctionModule : public Module {
 public:
  explicit FunctionModule(const Options& given = {}) : options(given) {}
  Tensor forward(const Tensor& x) override { return function(x, options.*fields...); }
  Options options;
};

template <auto function>
class FunctionModule<function, void> : public Module {
 public:
  Tensor forward(const Tensor& x) override { return function(x); }
};

}  // namespace minima::nn
