#include <minima/nn/lazy/lazy.h>

#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>

namespace minima::nn::detail {

void forget_tensors(ModuleBase& layer) {
  for (const Registration& registration : Registry::state(layer).registrations)
    Registry::tensor_of(layer, registration) = Tensor();
}

void adopt_tensors(ModuleBase& layer, ModuleBase& from, Device device, DType dtype) {
  from.to(device);
  if (dtype == DType::float64) from.to(dtype);
  const auto& own = Registry::state(layer).registrations;
  const auto& made = Registry::state(from).registrations;
  for (std::size_t i = 0; i < own.size(); ++i) Registry::tensor_of(layer, own[i]) = Registry::tensor_of(from, made[i]);
}

std::int64_t lazy_size(const char* layer, const Tensor& x, std::int64_t dim) {
  const std::int64_t least = dim < 0 ? -dim : dim + 1;
  if (x.rank() < least)
    throw ShapeError(
        str(layer, ": the first batch has shape ", x.shape(), ", but at least ", least, " dimensions are needed"));
  return x.size(dim);
}

}  // namespace minima::nn::detail
