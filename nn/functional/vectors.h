#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::nn {

/// All elements of the parameters as one vector, recorded. torch.nn.utils.parameters_to_vector. Throws ValueError for
/// an empty list.
MINIMA_API Tensor parameters_to_vector(const std::vector<Tensor>& parameters);
/// Copies consecutive parts of a vector into the parameters, unrecorded. torch.nn.utils.vector_to_parameters. Throws
/// ShapeError unless it has as many elements as they have.
MINIMA_API void vector_to_parameters(const Tensor& vector, const std::vector<Tensor>& parameters);

/// The parameters and floating buffers of a module, for averages that include the statistics of batch norm, as
/// torch.optim.swa_utils.AveragedModel with use_buffers=True: `optim::Ema ema(nn::floating_tensors(net));`.
MINIMA_API std::vector<Tensor> floating_tensors(const ModuleBase& module);

}  // namespace minima::nn

namespace minima {

struct GumbelSoftmaxOptions {
  double tau = 1;     ///< the temperature: the lower, the closer to one class
  bool hard = false;  ///< return one-hot vectors, with the gradient of the soft ones
  std::int64_t dim = -1;
};
/// A differentiable draw of classes: softmax((logits + Gumbel noise) / tau) (Jang et al. 2017).
/// torch.nn.functional.gumbel_softmax. Throws ValueError unless tau > 0, DTypeError for logits that are not floating.
MINIMA_API Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxOptions& options = {},
                                 RandomGenerator* generator = nullptr);

}  // namespace minima
