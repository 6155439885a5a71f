#pragma once

#include <torch/types.h>

namespace torch::nested {

namespace detail {
[[noreturn]] inline void refuse(const char* function) {
  throw c10::NotImplementedError(std::string("torch::nested::") + function +
                                 ": minima has no nested tensors; pad them with torch::nn::utils::rnn::pad_sequence");
}
}  // namespace detail

// Both throw: sequences of different lengths are padded or packed.
inline at::Tensor nested_tensor(at::TensorList, const at::TensorOptions& = {}) { detail::refuse("nested_tensor"); }
inline at::Tensor to_padded_tensor(const at::Tensor&, double, at::OptionalIntArrayRef = std::nullopt) {
  detail::refuse("to_padded_tensor");
}

}  // namespace torch::nested
