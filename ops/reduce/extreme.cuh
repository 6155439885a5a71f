#pragma once

#include <minima/ops/loops/lines/reducers.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/reduce/reduce.cuh>

namespace minima::detail {

template <class T, bool largest>
void run_extreme(const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices) {
  using pointwise::Operand;
  using reduction::reduce_on_cuda;
  const Operand in(x.raw_data(), x.layout(), x.dtype());
  const auto layout_of = [&](const Tensor& y) {
    return y.defined() ? with_reduced_dims(y.layout(), x.shape(), dims) : Layout();
  };
  const Layout values_layout = layout_of(values), indices_layout = layout_of(indices);
  const Device device = x.device();
  if (!indices.defined()) {
    reduce_on_cuda<T>(reduction::Extreme<T, largest>{}, device, {values.raw_data(), values_layout, values.dtype()}, in);
  } else if (!values.defined()) {
    reduce_on_cuda<T>(reduction::ExtremeIndex<T, largest>{}, device, {indices.raw_data(), indices_layout, int64}, in);
  } else {
    reduce_on_cuda<T>(reduction::ExtremeWithIndex<T, largest>{}, device,
                      {values.raw_data(), values_layout, values.dtype()}, {indices.raw_data(), indices_layout, int64},
                      in);
  }
}

template <bool largest>
void run_extreme(const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices) {
  if (x.dtype() == float64) run_extreme<double, largest>(x, dims, values, indices);
  else if (is_floating(x.dtype())) run_extreme<float, largest>(x, dims, values, indices);
  else run_extreme<std::int64_t, largest>(x, dims, values, indices);
}

}  // namespace minima::detail
