#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/onnx/onnx.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace minima::onnx::test_zoo {

using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// A module to write, with its example inputs.
struct Case {
  std::string name;
  std::shared_ptr<nn::ModuleBase> module;
  Function forward;
  std::vector<Tensor> inputs;
  SaveOptions options;
};

/// In evaluation mode, with statistics of batch normalisation that are not 0 and 1. Dimension 0 of all inputs is
/// dynamic unless `dynamic` says otherwise.
template <class M>
Case make_case(const std::string& name, M module, std::vector<Tensor> inputs, std::vector<DynamicSize> dynamic,
               Function forward = {}) {
  auto owned = std::make_shared<M>(std::move(module));
  if (!forward) forward = [owned](const std::vector<Tensor>& given) { return detail::call_module<1>(*owned, given); };
  Case result{name, owned, std::move(forward), std::move(inputs), {}};
  for (std::size_t i = 0; i < result.inputs.size(); ++i) result.options.inputs.push_back("x" + std::to_string(i));
  result.options.dynamic = std::move(dynamic);
  return result;
}

/// "x0" to "x3" with a dynamic dimension 0.
std::vector<DynamicSize> dynamic_batch(std::size_t inputs = 1);

std::vector<Case> layers();
std::vector<Case> sequence_layers();
std::vector<Case> networks();
std::vector<Case> losses();
/// A network that is written to a file, loaded and trained.
Case trained_after_import(const std::string& path);

/// Writes the model.
void save_case(const Case& c, const std::string& path);
/// The inputs with other dynamic sizes.
std::vector<Tensor> other_inputs(const Case& c);

}  // namespace minima::onnx::test_zoo
