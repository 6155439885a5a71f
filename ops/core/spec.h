#pragma once

// IWYU pragma: begin_exports
#include <minima/tensor/tensor.h>
// IWYU pragma: end_exports

namespace minima {

/// Decides what autocast does to an operator's floating inputs; float64 is never converted.
enum class Cast : std::uint8_t {
  none,        ///< leaves them as they are; operators that promote (add, cat, where) do so themselves
  to_lower,    ///< converts to the autocast dtype: products
  to_float32,  ///< converts half types to float32: exponentials, norms, losses, sums
  widest,      ///< converts all to the widest among them: for operators that need one dtype
};

/// Properties of every call of an operator.
struct Traits {
  const char* name;
  Cast autocast = Cast::none;
  int hidden = 0;                     ///< the number of trailing outputs that exist only for the gradient
  std::uint32_t optional = 0;         ///< bit i: input i may be undefined
  std::uint32_t mutates = 0;          ///< bit i: the kernel changes input i, such as batch_norm's running statistics
  bool keeps_values = false;          ///< the output is input 0 in another dtype or layout, and has its gradient
  bool passes_where_nonzero = false;  ///< input 0 has the output's gradient where the output is not 0, and else none
};

/// Describes an output before it is computed.
struct TensorSpec {
  Layout layout;
  DType dtype = DType::float32;
  Device device;

  const Shape& shape() const { return layout.shape; }
  std::int64_t numel() const { return layout.numel(); }
};

/// A new tensor with x's shape, memory order, dtype and device.
inline TensorSpec spec_like(const Tensor& x) { return {Layout::dense_like(x.layout()), x.dtype(), x.device()}; }
/// A new row-major tensor.
inline TensorSpec spec_of(const Shape& shape, DType dtype, Device device) {
  return {Layout::contiguous(shape), dtype, device};
}
/// A new tensor with x's memory order, but `columns` as its last dimension, which has stride 1.
inline TensorSpec spec_with_columns(const Tensor& x, std::int64_t columns) {
  Layout layout = x.layout();
  layout.shape[x.rank() - 1] = columns;
  TensorSpec spec{Layout::dense_like(layout), x.dtype(), x.device()};
  if (columns > 1 && spec.layout.strides.back() != 1) spec.layout = Layout::contiguous(spec.layout.shape);
  return spec;
}
/// Exactly x's layout, for Spec<I>.
inline TensorSpec describe(const Tensor& x) { return {x.layout(), x.dtype(), x.device()}; }

namespace detail {

MINIMA_API DType promoted_by_rank(const Tensor* const* inputs, int count);

/// The promoted dtype of the inputs.
inline DType promoted(const Tensor* const* inputs, int count) {
  for (int i = 1; i < count; ++i)
    if (inputs[i]->dtype() != inputs[0]->dtype()) return promoted_by_rank(inputs, count);
  return inputs[0]->dtype();
}

}  // namespace detail

}  // namespace minima
