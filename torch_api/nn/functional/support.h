#pragma once

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/tensor.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/expanding_array.h>
#include <torch/types.h>

#include <array>
#include <cstdint>

// Shared by the bodies of torch::nn::functional. Internal.

namespace torch::nn::functional {

inline std::int64_t attribute(const ExpandingArray<1>& sizes) { return (*sizes)[0]; }
inline minima::Pair attribute(const ExpandingArray<2>& sizes) { return {(*sizes)[0], (*sizes)[1]}; }
inline minima::Triple attribute(const ExpandingArray<3>& sizes) { return {(*sizes)[0], (*sizes)[1], (*sizes)[2]}; }

inline minima::Shape shape_of(IntArrayRef sizes) { return {sizes.data(), static_cast<int>(sizes.size())}; }

/// x, or float32 for a tensor of integers.
inline minima::Tensor real_of(const minima::Tensor& x) {
  return minima::is_floating(x.dtype()) ? x : x.to(minima::float32);
}

/// An index as int64, which minima's operators need; LibTorch's take int32 as well.
inline minima::Tensor index_of(const minima::Tensor& x) {
  return minima::is_integer(x.dtype()) ? x.to(minima::int64) : x;
}

/// Two tensors of one floating dtype, the promoted one, and one shape, that to which they broadcast.
inline std::array<minima::Tensor, 2> alike(const minima::Tensor& a, const minima::Tensor& b) {
  const minima::DType promoted = minima::promote(a.dtype(), b.dtype());
  const minima::DType dtype = minima::is_floating(promoted) ? promoted : minima::float32;
  std::array<minima::Tensor, 2> both{a.to(dtype), b.to(dtype)};
  if (a.shape() != b.shape()) {
    const auto expanded = minima::broadcast_tensors(both);
    both = {expanded[0], expanded[1]};
  }
  return both;
}

/// f(x), written into x and returned as x if `inplace`. f sees a copy of an x whose old values its gradient may need.
template <class F>
Tensor transformed(Tensor& input, bool inplace, const F& f) {
  const minima::Tensor& x = input.native();
  if (!inplace) return f(x);
  autograd::check_inplace(input);
  minima::copy_(x, f(minima::is_grad_enabled() && x.requires_grad() ? minima::clone(x) : x));
  return input;
}
/// f(x), or what f_in_place makes of x itself.
template <class F, class InPlace>
Tensor transformed(Tensor& input, bool inplace, const F& f, const InPlace& f_in_place) {
  const minima::Tensor& x = input.native();
  if (!inplace) return f(x);
  autograd::check_inplace(input);
  f_in_place(x);
  return input;
}

}
