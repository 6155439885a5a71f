#include <minima/nn/vectors.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/module_base.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>

#include <cstdint>
#include <vector>

namespace minima::nn {

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
  if (parameters.empty()) throw ValueError("parameters_to_vector: there are no parameters");
  std::vector<Tensor> parts;
  parts.reserve(parameters.size());
  for (const Tensor& parameter : parameters) parts.push_back(reshape(parameter, {-1}));
  return cat(parts);
}

void vector_to_parameters(const Tensor& vector, const std::vector<Tensor>& parameters) {
  std::int64_t total = 0;
  for (const Tensor& parameter : parameters) total += parameter.numel();
  if (vector.rank() != 1 || vector.numel() != total)
    throw ShapeError(str("vector_to_parameters: the parameters have ", total, " elements, but the vector is ", vector));
  const NoGrad constant;
  std::int64_t start = 0;
  for (const Tensor& parameter : parameters) {
    copy_(parameter, reshape(narrow(vector, 0, start, parameter.numel()), parameter.shape()));
    start += parameter.numel();
  }
}

std::vector<Tensor> floating_tensors(const ModuleBase& module) {
  std::vector<Tensor> tensors = module.parameters();
  for (const Tensor& buffer : module.buffers())
    if (is_floating(buffer.dtype())) tensors.push_back(buffer);
  return tensors;
}

}  // namespace minima::nn
