#pragma once

#include <torch/types.h>

#include <vector>

namespace torch::nn::utils {

/// All elements of the parameters as one vector, recorded.
Tensor parameters_to_vector(const std::vector<Tensor>& parameters);
/// Makes the parameters' data views of consecutive parts of `vec`.
void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters);

}  // namespace torch::nn::utils
