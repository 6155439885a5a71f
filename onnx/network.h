#pragma once

#include <minima/io/onnx/graph.h>
#include <minima/nn/module/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace minima::onnx {

namespace detail {
struct Program;
}

/// A model from an ONNX file as a module. Its floating initializers are parameters under their names: it is trained,
/// saved, cloned and moved like any other module. Buffers are the other initializers, the stored statistics of batch
/// normalisation, and those that minima wrote as buffers. Batch normalisation always uses its stored statistics, and
/// dropout drops nothing, as the graph says, in training mode too.
///
///   onnx::Network net = onnx::load("model.onnx");
///   Tensor y = net(x);                                    // one input, one output
///   std::vector<Tensor> outputs = net(std::vector<Tensor>{tokens, mask});
class MINIMA_API Network : public nn::ModuleOf<Network> {
 public:
  /// Throws FormatError if the graph is inconsistent (a name that nothing computes, or twice), ValueError for what
  /// minima has no equal of, naming operator and node.
  explicit Network(Model model);

  /// The outputs in the file's order. Sizes may change from call to call. Throws ValueError if the number or dtype of
  /// the inputs is another than the file's; errors name the node.
  std::vector<Tensor> forward(const std::vector<Tensor>& inputs) const;
  /// For models of one input and one output.
  Tensor forward(const Tensor& x) const;

  /// The inputs that a call takes: those without an initializer.
  const std::vector<Value>& inputs() const;
  const std::vector<Value>& outputs() const;
  /// The version of ONNX's operators that the model uses.
  std::int64_t opset() const;

 private:
  std::shared_ptr<const detail::Program> program_;
};

/// The model in an ONNX file. Throws as io/onnx/onnx_file.h's read_model and the constructor do.
MINIMA_API Network load(const std::string& path);

}  // namespace minima::onnx
