#pragma once

#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

/// The inputs as they are, with undefined gradients.
struct UndefinedGrad {
  variable_list apply(const variable_list& inputs) const;
  variable_list operator()(const variable_list& inputs) const { return apply(inputs); }
};

/// The inputs as they are; backward throws the message.
struct DelayedError {
  DelayedError(std::string message, std::int64_t) : message_(std::move(message)) {}
  variable_list apply(const variable_list& inputs) const;
  variable_list operator()(const variable_list& inputs) const { return apply(inputs); }

 private:
  std::string message_;
};

}  // namespace torch::autograd
