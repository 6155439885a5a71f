#include <minima/optim/multi_tensor.cuh>
#include <minima/optim/power_sum_kernels.cuh>
#include <minima/tensor/tensor.h>

namespace minima::optim::detail {

void power_sum_cuda(const Run* runs, std::size_t count, double p, Device device, double* result) {
  bool first = true;
  for_pieces(count, [&](std::size_t i) -> const Run& { return runs[i]; },
             [&](const Pieces& pieces, std::uint32_t blocks, bool) {
    const Tensor partial = empty(Shape{blocks}, {.dtype = DType::float64, .device = device});
    const auto run = [&](auto kernel) {
      cuda::launch("power_sum", {dim3(blocks), dim3(update_threads)}, kernel, pieces, p, partial.data<double>());
    };
    switch (runs[0].gradient_dtype) {
      case DType::float16: run(power_sum_kernel<Float16>); break;
      case DType::bfloat16: run(power_sum_kernel<BFloat16>); break;
      case DType::float64: run(power_sum_kernel<double>); break;
      default: run(power_sum_kernel<float>);
    }
    const bool is_max = p == math::cpu::Format<double>::infinity;
    cuda::launch("add_power_sums", {dim3(1), dim3(update_threads)}, add_power_sums_kernel, partial.data<double>(), blocks,
                 is_max, first, result);
    first = false;
  });
}

}  // namespace minima::optim::detail
