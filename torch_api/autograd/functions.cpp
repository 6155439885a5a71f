#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/basic_ops.h>

#include <c10/core/native.h>
#include <c10/util/Exception.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/primitives.h>

#include <functional>
#include <string>
#include <utility>

namespace torch {

namespace autograd {

namespace {

struct UndefinedGradFunction : Function<UndefinedGradFunction> {
  static variable_list forward(AutogradContext*, const variable_list& inputs) { return inputs; }
  static variable_list backward(AutogradContext*, const variable_list& gradients) {
    return variable_list(gradients.size());
  }
};

struct DelayedErrorFunction : Function<DelayedErrorFunction> {
  static variable_list forward(AutogradContext* context, const variable_list& inputs, const std::string& message) {
    context->saved_data["message"] = message;
    return inputs;
  }
  static variable_list backward(AutogradContext* context, const variable_list&) {
    throw c10::Error(context->saved_data["message"].toStringRef());
  }
};

}  // namespace

variable_list UndefinedGrad::apply(const variable_list& inputs) const { return UndefinedGradFunction::apply(inputs); }
variable_list DelayedError::apply(const variable_list& inputs) const {
  return DelayedErrorFunction::apply(inputs, message_);
}

bool InputMetadata::is_expandable_to_shape(const at::Tensor& gradient) const {
  const c10::IntArrayRef given = gradient.sizes();
  if (given.size() < shape.size()) return false;
  for (std::size_t i = 1; i <= shape.size(); ++i)
    if (shape[shape.size() - i] != 1 && shape[shape.size() - i] != given[given.size() - i]) return false;
  return true;
}

at::Tensor InputMetadata::reduce_grad(const at::Tensor& gradient) const {
  return minima::detail::fit_gradient(gradient, c10::IntArrayRef(shape), gradient.native().dtype());
}

void validate_outputs(const std::vector<std::optional<InputMetadata>>& metadata, variable_list& gradients,
                      const std::function<std::string(const std::string&)>& format_error) {
  TORCH_CHECK(metadata.size() == gradients.size(),
              format_error(c10::str("invalid number of gradients - expected ", metadata.size(), ", but got ",
                                    gradients.size())));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    at::Tensor& gradient = gradients[i];
    if (!gradient.defined() || !metadata[i]) continue;
    const InputMetadata& wanted = *metadata[i];
    if (gradient.sizes() != c10::IntArrayRef(wanted.shape)) {
      TORCH_CHECK(wanted.is_expandable_to_shape(gradient),
                  format_error(c10::str("invalid gradient at index ", i, " - got ", gradient.sizes(),
                                        " but expected shape compatible with ", c10::IntArrayRef(wanted.shape))));
      gradient = wanted.reduce_grad(gradient);
    }
    if (gradient.scalar_type() != wanted.dtype) gradient = gradient.native().to(c10::native(wanted.dtype));
    TORCH_CHECK(gradient.device() == wanted.device(),
                format_error(c10::str("invalid gradient at index ", i, " - expected device ", wanted.device(),
                                      " but got ", gradient.device())));
  }
}

Engine& Engine::get_default_engine() {
  static Engine engine;
  return engine;
}
void Engine::queue_callback(std::function<void()> callback) {
  minima::after_backward([callback = std::move(callback)](bool) { callback(); });
}

}  // namespace autograd

}  // namespace torch
