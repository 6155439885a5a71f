#pragma once

#include <minima/nn/module/module_base.h>
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
