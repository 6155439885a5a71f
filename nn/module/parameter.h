#pragma once

#include <minima/nn/module/member.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

/// A trainable tensor, as a member of a module:
///   nn::Parameter weight = parameter("weight", empty({out, in}));
/// It is a leaf that requires grad. Assignment makes two parameters share one tensor (tied weights):
///   decoder.weight = embedding.weight;
/// An undefined parameter (`Tensor()`), such as the bias of a layer without one, is skipped.
class MINIMA_API Parameter : public Tensor, public detail::Member {
 public:
  Parameter() = default;
  /// Uses `data` itself if it is a leaf that requires grad, else a detached handle to its storage.
  /// Throws DTypeError if `requires_grad` is true and the dtype is not floating.
  Parameter(const Tensor& data, bool requires_grad = true);
};

/// Module state without a gradient, such as a running mean:
///   nn::Buffer running_mean = buffer("running_mean", zeros({features}));
/// `to` moves it with the module, and the state dict includes it if it is persistent.
class MINIMA_API Buffer : public Tensor, public detail::Member {
 public:
  Buffer() = default;
  Buffer(const Tensor& data) : Tensor(data) {}
};

}  // namespace minima::nn
