#include <minima/ops/recurrent/recurrent_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/recurrent/recurrent_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

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
