#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima {

struct BackwardOptions {
  /// Keep saved tensors so that backward can run through this graph again.
  bool retain_graph = false;
};

/// Differentiates Σ_i <outputs[i], gradients[i]> with respect to every leaf that the outputs depend on and adds the
/// results to the leaves' `.grad`.
/// An undefined gradient means 1 and needs an output with one element.
///
/// Nodes run on the calling thread, most recent first, and contributions are added in that order, so results are
/// bitwise reproducible. After an exception the `.grad` of unfinished leaves is unspecified (`zero_grad` resets it),
/// and the graph is freed unless `retain_graph` is set.
MINIMA_API void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients = {},
                         BackwardOptions options = {});

struct GradOptions {
  bool retain_graph = false;  ///< implied by create_graph
  /// Record the computation of the gradients, so that they can be differentiated again.
  bool create_graph = false;
  /// Return an undefined tensor for an input that the outputs do not depend on, instead of throwing.
  bool allow_unused = false;
};

/// Gradients of Σ_i <outputs[i], gradients[i]> with respect to `inputs`; no `.grad` changes. Computes
/// only what is between outputs and inputs.
///   Tensor slope = grad({sum(y)}, {x}, {}, {.create_graph = true})[0];
MINIMA_API std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                                    const std::vector<Tensor>& gradients = {}, GradOptions options = {});

/// For hooks: calls `call` when the backward pass running on this thread ends (the outermost one if passes are nested),
/// and tells it whether the pass completed without an exception. backward() rethrows what `call` throws. Without a
/// running pass, calls it at once.
MINIMA_API void after_backward(Function<void(bool completed)> call);

}  // namespace minima
