#pragma once

#include <minima/nn/module/hooked_tensors.h>
#include <minima/nn/module/module_base.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace minima::onnx {

/// A size that changes from call to call: dimension `dim` of the input called `input`. Sizes with one name are equal.
struct DynamicSize {
  std::string input;
  int dim;
  std::string name;
};

struct SaveOptions {
  std::int64_t opset = 20;                ///< 18 to 24
  std::vector<DynamicSize> dynamic = {};  ///< all other sizes are the example's
  std::vector<std::string> inputs = {};   ///< names; "input", or "input_0" and so on, by default
  std::vector<std::string> outputs = {};  ///< names; "output", or "output_0" and so on
};

/// Writes a module as an ONNX model. The module runs once on the example inputs, and once more with each dynamic size
/// one larger; the operators that ran become nodes, named by the modules that ran them. Initializers have the names of
/// the state dict. Throws ValueError if the module is in training mode, if the program reads a value that depends on
/// the inputs or runs other operators for other sizes, and for operators that the opset cannot say: by their name, the
/// module's path and the opset.
///
///   net.eval();
///   onnx::save("model.onnx", net, {x});
///   onnx::save("bert.onnx", bert, {tokens, mask},
///              {.dynamic = {{"tokens", 0, "batch"}, {"mask", 0, "batch"}}, .inputs = {"tokens", "mask"}});
MINIMA_API void save(const std::string& path, const nn::ModuleBase& module, const std::vector<Tensor>& inputs,
                     const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& forward,
                     const SaveOptions& options = {});

namespace detail {

template <class M, std::size_t... I>
constexpr bool takes_tensors(std::index_sequence<I...>) {
  return requires(M& module, const Tensor& x) { module.forward((static_cast<void>(I), x)...); };
}
template <class M, std::size_t... I>
auto call_with(M& module, const std::vector<Tensor>& inputs, std::index_sequence<I...>) {
  return module(inputs[I]...);
}
/// Calls a module with as many tensors as there are inputs, up to four.
template <std::size_t count, class M>
std::vector<Tensor> call_module(M& module, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> outputs;
  if constexpr (takes_tensors<M>(std::make_index_sequence<count>())) {
    if (inputs.size() == count) {
      auto result = call_with(module, inputs, std::make_index_sequence<count>());
      nn::detail::for_each_tensor(result, [&](Tensor& tensor) { outputs.push_back(tensor); });
      return outputs;
    }
  }
  if constexpr (count < 4) return call_module<count + 1>(module, inputs);
  else return outputs;
}

}  // namespace detail

/// The same for a module that takes tensors. Its tensors are the outputs, also those in tuples and lists.
template <class M>
void save(const std::string& path, M& module, const std::vector<Tensor>& inputs, const SaveOptions& options = {}) {
  save(
      path, static_cast<const nn::ModuleBase&>(module), inputs,
      [&module](const std::vector<Tensor>& given) { return detail::call_module<1>(module, given); }, options);
}

}  // namespace minima::onnx
