#pragma once

#include <minima/nn/module/member.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

/// A tensor that training changes, as a member of a module:
///   nn::Parameter weight = parameter("weight", empty({out, in}));
/// It is a leaf that requires grad. Assigning another parameter makes both one tensor (tied weights):
///   decoder.weight = embedding.weight;
/// A parameter without tensor (`Tensor()`) is allowed and skipped, as for a layer without bias.
class MINIMA_API Parameter : public Tensor, public detail::Member {
 public:
  Parameter() = default;
  /// Takes `data` itself if it is a leaf that requires grad, else its values without its history.
  /// Throws DTypeError if the dtype is not floating and `requires_grad` is wanted.
  Parameter(const Tensor& data, bool requires_grad = true);
};

/// A tensor that belongs to a module's state but has no gradient, such as the running mean of a normalisation:
///   nn::Buffer running_mean = buffer("running_mean", zeros({features}));
/// It moves with the module and, if persistent, is saved with it.
class MINIMA_API Buffer : public Tensor, public detail::Member {
 public:
  Buffer() = default;
  Buffer(const Tensor& data) : Tensor(data) {}
};

}  // namespace minima::nn
