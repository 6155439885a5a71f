#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima {

struct BackwardOptions {
  /// Keep what the graph saved, so that backward can run through it again.
  bool retain_graph = false;
};

/// Differentiates Σ_i <outputs[i], gradients[i]> by every leaf the outputs depend on and adds to the leaves' `.grad`.
/// An undefined gradient means 1 and needs an output with one element.
///
/// Nodes run on the calling thread, latest first; contributions are added in that order, so results are bitwise
/// repeatable. After an exception `.grad` of unfinished leaves is unspecified; `zero_grad` restores a usable state. The
/// graph is freed then, unless it is to be retained.
MINIMA_API void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients = {},
                         BackwardOptions options = {});

struct GradOptions {
  bool retain_graph = false;  ///< implied by create_graph
  /// Record the computation of the gradients, so that they can be differentiated again.
  bool create_graph = false;
  /// Return an undefined tensor for an input that the outputs do not depend on, instead of throwing.
  bool allow_unused = false;
};

/// The gradients of Σ_i <outputs[i], gradients[i]> by `inputs`, leaving all `.grad` alone. Only what lies between
/// outputs and inputs is computed.
///   Tensor slope = grad({sum(y)}, {x}, {}, {.create_graph = true})[0];
MINIMA_API std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                                    const std::vector<Tensor>& gradients = {}, GradOptions options = {});

/// For hooks: calls `call` when the backward pass running on this thread ends (the outermost one if passes are nested),
/// and tells it whether the pass completed without an exception. backward() rethrows what `call` throws. Without a
/// running pass, calls it at once.
MINIMA_API void after_backward(Function<void(bool completed)> call);

}  // namespace minima
