#include <minima/nn/init/init.h>
#include <ATen/ATen.h>
#include <torch/nn/init.h>
#include <torch/utils.h>

#include <cmath>
#include <utility>

namespace torch::nn::init {

namespace {

minima::nn::init::Nonlinearity native(const NonlinearityType& nonlinearity) {
  using minima::nn::init::Nonlinearity;
  if (std::holds_alternative<enumtype::kSigmoid>(nonlinearity)) return Nonlinearity::sigmoid;
  if (std::holds_alternative<enumtype::kTanh>(nonlinearity)) return Nonlinearity::tanh;
  if (std::holds_alternative<enumtype::kReLU>(nonlinearity)) return Nonlinearity::relu;
  if (std::holds_alternative<enumtype::kLeakyReLU>(nonlinearity)) return Nonlinearity::leaky_relu;
  return Nonlinearity::linear;
}

}  // namespace

double calculate_gain(NonlinearityType nonlinearity, double param) {
  return minima::nn::init::calculate_gain(native(nonlinearity), param);
}

std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor) {
  const auto [in, out] = minima::nn::init::fans(tensor);
  return {static_cast<std::int64_t>(in), static_cast<std::int64_t>(out)};
}

Tensor constant_(Tensor tensor, Scalar value) {
  NoGradGuard no_grad;
  return tensor.fill_(value);
}

Tensor ones_(Tensor tensor) { return constant_(std::move(tensor), 1); }

Tensor zeros_(Tensor tensor) { return constant_(std::move(tensor), 0); }

Tensor eye_(Tensor matrix) {
  minima::nn::init::eye_(matrix);
  return matrix;
}

Tensor dirac_(Tensor tensor) {
  minima::nn::init::dirac_(tensor);
  return tensor;
}

// The numbers are PyTorch's for the same seed: each of its draws is one here, in the same order.

Tensor uniform_(Tensor tensor, double low, double high) {
  NoGradGuard no_grad;
  return tensor.uniform_(low, high);
}

Tensor normal_(Tensor tensor, double mean, double std) {
  NoGradGuard no_grad;
  return tensor.normal_(mean, std);
}

Tensor orthogonal_(Tensor tensor, double gain) {
  NoGradGuard no_grad;
  TORCH_CHECK(tensor.dim() >= 2, "Only tensors with 2 or more dimensions are supported");
  const std::int64_t rows = tensor.size(0), columns = tensor.numel() / rows;
  Tensor drawn = torch::randn({rows, columns}, tensor.options().requires_grad(false));
  if (rows < columns) drawn = drawn.t();
  auto [q, r] = at::linalg_qr(drawn);
  q = q * r.diagonal().sign();
  if (rows < columns) q = q.t();
  tensor.copy_(q.reshape(tensor.sizes()));
  return tensor.mul_(gain);
}

Tensor sparse_(Tensor tensor, double sparsity, double std) {
  NoGradGuard no_grad;
  TORCH_CHECK(tensor.dim() == 2, "Only tensors with 2 dimensions are supported");
  const std::int64_t rows = tensor.size(0);
  const auto zeros = static_cast<std::int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
  tensor.normal_(0, std);
  for (std::int64_t column = 0; column < tensor.size(1); ++column)
    tensor.select(1, column).index_fill_(0, torch::randperm(rows).narrow(0, 0, zeros), 0);
  return tensor;
}

namespace {

/// The standard deviation of Glorot and Bengio (2010).
double xavier(const Tensor& tensor, double gain) {
  const auto [in, out] = _calculate_fan_in_and_fan_out(tensor);
  return gain * std::sqrt(2 / static_cast<double>(in + out));
}

/// The standard deviation of He et al. (2015).
double kaiming(const Tensor& tensor, double a, const FanModeType& mode, const NonlinearityType& nonlinearity) {
  const auto [in, out] = _calculate_fan_in_and_fan_out(tensor);
  const std::int64_t fan = std::holds_alternative<enumtype::kFanIn>(mode) ? in : out;
  return calculate_gain(nonlinearity, a) / std::sqrt(static_cast<double>(fan));
}

}  // namespace

Tensor xavier_uniform_(Tensor tensor, double gain) {
  const double bound = std::sqrt(3.0) * xavier(tensor, gain);
  return uniform_(std::move(tensor), -bound, bound);
}

Tensor xavier_normal_(Tensor tensor, double gain) {
  const double std = xavier(tensor, gain);
  return normal_(std::move(tensor), 0, std);
}

Tensor kaiming_uniform_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  const double bound = std::sqrt(3.0) * kaiming(tensor, a, mode, nonlinearity);
  return uniform_(std::move(tensor), -bound, bound);
}

Tensor kaiming_normal_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  const double std = kaiming(tensor, a, mode, nonlinearity);
  return normal_(std::move(tensor), 0, std);
}

}  // namespace torch::nn::init
