#include <minima/tensor/tensor.h>
#include <minima/optim/update/multi_tensor.cuh>
#include <minima/optim/update/power_sum_device.cuh>
#include <minima/optim/update/scale_device.cuh>

namespace minima::optim::detail {

namespace {

/// Calls f with a value of the C++ type of a floating dtype.
template <class F>
void for_gradient_type(DType dtype, const F& f) {
  switch (dtype) {
    case DType::float16: return f(Float16());
    case DType::bfloat16: return f(BFloat16());
    case DType::float64: return f(double());
    default: return f(float());
  }
}

}  // namespace

void power_sum_cuda(const TensorUpdate* gradients, std::size_t count, double p, Device device, double* result) {
  bool first = true;
  for_pieces(
      count, [&](std::size_t i) -> const TensorUpdate& { return gradients[i]; },
      [&](const Pieces& pieces, std::uint32_t blocks, bool) {
        const Tensor partial = empty(Shape{blocks}, {.dtype = DType::float64, .device = device});
        for_gradient_type(gradients[0].gradient_dtype, [&]<class G>(G) {
          cuda::launch("power_sum", {dim3(blocks), dim3(update_threads)}, power_sum_kernel<G>, pieces, p,
                       partial.data<double>());
        });
        const bool is_max = p == math::cpu::Format<double>::infinity;
        cuda::launch("add_power_sums", {dim3(1), dim3(update_threads)}, add_power_sums_kernel, partial.data<double>(),
                     blocks, is_max, first, result);
        first = false;
      });
}

void scale_cuda(const TensorUpdate* gradients, std::size_t count, const double* factor, float* found_inf) {
  for_pieces(
      count, [&](std::size_t i) -> const TensorUpdate& { return gradients[i]; },
      [&](const Pieces& pieces, std::uint32_t blocks, bool) {
        for_gradient_type(gradients[0].gradient_dtype, [&]<class G>(G) {
          cuda::launch("scale", {dim3(blocks), dim3(update_threads)}, scale_kernel<G>, pieces, factor, found_inf);
        });
      });
}

}  // namespace minima::optim::detail
