#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// What autocast does to an operator's floating inputs; float64 is always left alone.
enum class Cast : std::uint8_t {
  none,        ///< leaves them as they are; those that promote (add, cat, where) do so by themselves
  to_lower,    ///< converts to the autocast dtype: products
  to_float32,  ///< converts half types to float32: exponentials, norms, losses, sums
  widest,      ///< converts all to the widest among them: for operators that need one dtype
};

/// What is true of every call of an operator.
struct Traits {
  const char* name;
  Cast autocast = Cast::none;
  int hidden = 0;              ///< how many outputs, the last ones, exist for the gradient alone
  std::uint32_t optional = 0;  ///< bit i: input i may be undefined
  std::uint32_t mutates = 0;   ///< bit i: the kernel changes input i, as batch_norm its running statistics
};

/// What an operator says of an output before it is computed.
struct TensorSpec {
  Layout layout;
  DType dtype = DType::float32;
  Device device;

  const Shape& shape() const { return layout.shape; }
  std::int64_t numel() const { return layout.numel(); }
};

/// A new tensor like x: its shape, its order of memory, its dtype and device.
inline TensorSpec spec_like(const Tensor& x) { return {Layout::dense_like(x.layout()), x.dtype(), x.device()}; }
/// A new row-major tensor.
inline TensorSpec spec_of(const Shape& shape, DType dtype, Device device) {
  return {Layout::contiguous(shape), dtype, device};
}
/// Exactly x as it lies, for Spec<I>.
inline TensorSpec describe(const Tensor& x) { return {x.layout(), x.dtype(), x.device()}; }

}  // namespace minima
