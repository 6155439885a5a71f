#include <minima/ops/recurrent/recurrent_cell.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/loops/kernel.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

/// One thread per element of [rows, H].
template <bool recorded, class Rows>
__global__ void __launch_bounds__(256) recurrent_step_kernel(Rows memory, std::int64_t rows) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * memory.width;
       i += step)
    memory.template run<recorded>(i / memory.width, i % memory.width);
}

template <class Rows>
__global__ void __launch_bounds__(256) recurrent_step_gradient_kernel(Rows memory, std::int64_t rows) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * memory.width;
       i += step)
    memory.run(i / memory.width, i % memory.width);
}

void recurrent_step_cuda(const RecurrentStep& step) {
  with_kind(step.kind, [&]<RecurrentKind kind> {
    dispatch<floating>(step.y.dtype(), "recurrent_step", [&]<class S> {
      using Memory = RecurrentStepRows<S, cuda::Compute<S>, kind>;
      const Memory memory = memory_of<S, cuda::Compute<S>, kind>(step);
      const auto launch = [&](auto* kernel) {
        cuda::launch("recurrent_step", cuda::grid_for(step.y.numel()), kernel, memory, step.y.size(0));
      };
      if constexpr (saved_of(kind) > 0)
        if (step.saved.defined()) return launch(&recurrent_step_kernel<true, Memory>);
      launch(&recurrent_step_kernel<false, Memory>);
    });
  });
}

void recurrent_step_gradient_cuda(const RecurrentStepGradient& step) {
  with_kind(step.kind, [&]<RecurrentKind kind> {
    dispatch<floating>(step.of_h.dtype(), "recurrent_step_gradient", [&]<class S> {
      using Memory = RecurrentGradientRows<S, cuda::Compute<S>, kind>;
      const Memory memory = memory_of<S, cuda::Compute<S>, kind>(step);
      cuda::launch("recurrent_step_gradient", cuda::grid_for(step.of_h.numel()),
                   &recurrent_step_gradient_kernel<Memory>, memory, step.of_h.size(0));
    });
  });
}

}  // namespace minima::detail
