#pragma once

#include <torch/csrc/autograd/functions/comm.h>
#include <torch/cuda.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// One process, several devices. Differs from LibTorch in that devices are fed by the calling thread, one after the
/// other; GPUs overlap because their kernels run asynchronously. For speed, use one process per GPU: c10d.
namespace torch::nn::parallel {

namespace detail {

/// `devices`, or all CUDA devices.
std::vector<Device> devices_or_all(const std::optional<std::vector<Device>>& devices);
/// Makes each gradient that reaches a parameter of `replica` add to that of `original`.
void forward_gradients(const Module& replica, const Module& original);

}  // namespace detail

/// A clone of the module on each device, whose gradients go to the original's parameters.
template <typename M>
std::vector<std::shared_ptr<M>> replicate(const std::shared_ptr<M>& module, const std::vector<Device>& devices) {
  std::vector<std::shared_ptr<M>> replicas;
  for (const Device& device : devices) {
    replicas.push_back(std::dynamic_pointer_cast<M>(module->clone(device)));
    detail::forward_gradients(*replicas.back(), *module);
  }
  return replicas;
}
template <typename M>
std::vector<ModuleHolder<M>> replicate(const ModuleHolder<M>& module, const std::vector<Device>& devices) {
  const auto replicas = replicate(module.ptr(), devices);
  return {replicas.begin(), replicas.end()};
}

/// Calls module i with input i and moves its output to device i, by default that of the input.
template <typename M>
std::vector<Tensor> parallel_apply(std::vector<M>& modules, const std::vector<Tensor>& inputs,
                                   const std::optional<std::vector<Device>>& devices = std::nullopt) {
  TORCH_CHECK(modules.size() == inputs.size(), "Must have as many inputs as modules");
  TORCH_CHECK(!devices || modules.size() == devices->size(), "Must have as many devices as modules");
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < modules.size(); ++i)
    outputs.push_back(modules[i]->forward(inputs[i]).to(devices ? (*devices)[i] : inputs[i].device()));
  return outputs;
}

/// Splits `input` along `dim` over the devices, calls a replica of the module on each, and joins the outputs.
template <typename M>
Tensor data_parallel(M module, Tensor input, std::optional<std::vector<Device>> devices = std::nullopt,
                     std::optional<Device> output_device = std::nullopt, std::int64_t dim = 0) {
  std::vector<Device> used = detail::devices_or_all(devices);
  const Device target = output_device.value_or(used.front());
  if (used.size() == 1) {
    module->to(used.front());
    return module->forward(input.to(used.front())).to(target);
  }
  const std::vector<Tensor> inputs = autograd::Scatter(used, std::nullopt, dim).apply({std::move(input)});
  used.resize(inputs.size(), used.front());
  auto replicas = replicate(module, used);
  return autograd::Gather(target, dim).apply(parallel_apply(replicas, inputs, used)).front();
}

}  // namespace torch::nn::parallel
