#include <torch/utils.h>
#include <ATen/ATen.h>
#include <minima/nn/vectors.h>
#include <minima/optim/gradient/clip.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/nn/utils/convert_parameters.h>

#include <cmath>

namespace torch::nn::utils {

namespace {

std::vector<minima::Tensor> natives(const std::vector<Tensor>& tensors) { return {tensors.begin(), tensors.end()}; }

std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : parameters)
    if (Tensor gradient = parameter.grad(); gradient.defined()) gradients.push_back(gradient.data());
  return gradients;
}

/// The norm for the orders that minima doesn't take: 0 counts the gradients, negative ones are dominated by the
/// smallest elements.
double uncommon_norm(const std::vector<Tensor>& gradients, double norm_type) {
  if (norm_type == 0 || gradients.empty()) return static_cast<double>(gradients.size());
  std::vector<Tensor> norms;
  for (const Tensor& gradient : gradients) norms.push_back(gradient.to(kDouble).norm(norm_type));
  return norms.size() == 1 ? norms[0].item<double>() : torch::stack(norms).norm(norm_type).item<double>();
}

void check_devices(const std::vector<Tensor>& parameters) {
  for (const Tensor& parameter : parameters)
    TORCH_CHECK(parameter.device() == parameters.front().device(),
                "Found two parameters on different devices, this is currently not supported.");
}

}  // namespace

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  NoGradGuard no_grad;
  if (norm_type > 0) {
    auto clip = error_if_nonfinite ? minima::optim::clip_grad_norm_or_throw_ : minima::optim::clip_grad_norm_;
    return clip(natives(parameters), max_norm, norm_type).item<double>();
  }
  const std::vector<Tensor> gradients = gradients_of(parameters);
  const double norm = uncommon_norm(gradients, norm_type);
  TORCH_CHECK(
      !error_if_nonfinite || std::isfinite(norm), "The total norm of order ", norm_type,
      " for gradients from `parameters` is non-finite, so it cannot be clipped. To disable this error and scale "
      "the gradients with the non-finite norm anyway, set `error_if_nonfinite=false`");
  if (const double factor = max_norm / (norm + 1e-6); !(factor >= 1))
    for (const Tensor& gradient : gradients) gradient.mul_(factor);
  return norm;
}

double clip_grad_norm_(std::initializer_list<Tensor> parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  return clip_grad_norm_(std::vector<Tensor>(parameters), max_norm, norm_type, error_if_nonfinite);
}

double clip_grad_norm_(Tensor parameter, double max_norm, double norm_type, bool error_if_nonfinite) {
  return clip_grad_norm_(std::vector<Tensor>{std::move(parameter)}, max_norm, norm_type, error_if_nonfinite);
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
  minima::optim::clip_grad_value_(natives(parameters), clip_value);
}

void clip_grad_value_(std::initializer_list<Tensor> parameters, double clip_value) {
  clip_grad_value_(std::vector<Tensor>(parameters), clip_value);
}

void clip_grad_value_(Tensor parameter, double clip_value) {
  clip_grad_value_(std::vector<Tensor>{std::move(parameter)}, clip_value);
}

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
  check_devices(parameters);
  return minima::nn::parameters_to_vector(natives(parameters));
}

void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters) {
  check_devices(parameters);
  std::int64_t begin = 0;
  for (const Tensor& parameter : parameters) {
    const std::int64_t end = begin + parameter.numel();
    parameter.set_data(vec.slice(0, begin, end).view_as(parameter).data());
    begin = end;
  }
}

}  // namespace torch::nn::utils
