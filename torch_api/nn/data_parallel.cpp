#include <torch/nn/parallel/data_parallel.h>
#include <ATen/ATen.h>
#include <torch/utils.h>

namespace torch::nn::parallel::detail {

std::vector<Device> devices_or_all(const std::optional<std::vector<Device>>& devices) {
  if (devices) {
    TORCH_CHECK(!devices->empty(), "Expected at least one device");
    return *devices;
  }
  const auto count = torch::cuda::device_count();
  TORCH_CHECK(count > 0, "Expected at least one CUDA device to be available");
  std::vector<Device> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    all.emplace_back(kCUDA, static_cast<DeviceIndex>(i));
  return all;
}

void forward_gradients(const Module& replica, const Module& original) {
  const auto originals = original.named_parameters();
  for (auto& parameter : replica.named_parameters()) {
    if (!parameter->requires_grad()) continue;
    Tensor target = originals[parameter.key()];
    parameter->register_hook([target](const Tensor& gradient) {
      NoGradGuard no_grad;
      const Tensor moved = gradient.detach().to(target.device());
      auto sum = target.mutable_grad();
      sum = sum.defined() ? sum + moved : moved.clone();
    });
  }
}

}  // namespace torch::nn::parallel::detail
