#include <minima/ops/loops/scalars.h>

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/scalar.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

Tensor scalar_operand(const char* op, Scalar value, const Tensor& x) {
  if (!x.defined()) return x;
  const DType dtype = promote(x.dtype(), value);
  check_number(op, value, dtype);
  if (dtype == DType::uint8 && value.to<double>() < 0)
    throw ValueError(str(op, ": uint8 cannot hold ", value.to<double>(), "; choose another value or dtype"));
  return scalar_tensor(value, {.dtype = dtype, .device = x.device()});
}

}  // namespace minima::detail
