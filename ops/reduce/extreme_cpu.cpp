#include <minima/ops/reduce/extreme_kernels.h>

#include <minima/ops/loops/lines/reduce_loop.h>
#include <minima/ops/loops/lines/reducers.h>
#include <minima/ops/reduce/reduced_shape.h>

namespace minima::detail {

namespace {

using reduction::Operand;

template <class T, bool largest>
void run(const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices) {
  const Operand in(x.raw_data(), x.layout(), x.dtype());
  const auto layout_of = [&](const Tensor& y) {
    return y.defined() ? with_reduced_dims(y.layout(), x.shape(), dims) : Layout();
  };
  const Layout values_layout = layout_of(values), indices_layout = layout_of(indices);
  if (!indices.defined()) {
    reduction::reduce<T>(reduction::Extreme<T, largest>{}, {values.raw_data(), values_layout, values.dtype()}, in);
  } else if (!values.defined()) {
    reduction::reduce<T>(reduction::ExtremeIndex<T, largest>{}, {indices.raw_data(), indices_layout, int64}, in);
  } else {
    reduction::reduce<T>(reduction::ExtremeWithIndex<T, largest>{}, {values.raw_data(), values_layout, values.dtype()},
                         {indices.raw_data(), indices_layout, int64}, in);
  }
}

template <class T>
void run(bool largest, const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices) {
  if (largest) run<T, true>(x, dims, values, indices);
  else run<T, false>(x, dims, values, indices);
}

}  // namespace

void extreme_kernel_cpu(bool largest, const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices) {
  if (x.dtype() == float64) run<double>(largest, x, dims, values, indices);
  else if (is_floating(x.dtype())) run<float>(largest, x, dims, values, indices);
  else if (x.dtype() == int64) run<std::int64_t>(largest, x, dims, values, indices);
  else run<std::int32_t>(largest, x, dims, values, indices);
}

}  // namespace minima::detail
