#include <minima/ops/rotary_embedding/rotary_embedding_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/rotary_embedding/rotary_embedding_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

void rotate_cuda(const Rotation& r) {
  const Layout* layouts[] = {&r.y.layout(), &r.x.layout(), &r.cos.layout(), &r.sin.layout()};
  const pointwise::Plan plan = pointwise::make_plan(layouts, 4);
  if (plan.count == 0) return;
  dispatch<floating>(r.y.dtype(), "rotary_embedding", [&]<class X> {
    using T = cuda::Compute<X>;
    for (const pointwise::Part& part : pointwise::parts_of(plan)) {
      const auto table = [&](const Tensor& values, int operand) {
        return static_cast<const char*>(values.raw_data()) +
               part.start[operand] * static_cast<std::int64_t>(values.itemsize());
      };
      cuda::launch("rotary_embedding", cuda::grid_for(part.geometry.count), rotate_kernel<X>, part.geometry,
                   r.inverse ? T(-1) : T(1), r.y.data<X>() + part.start[0], r.y_partner,
                   static_cast<const X*>(r.x.data<X>()) + part.start[1], r.x_partner,
                   static_cast<const void*>(table(r.cos, 2)), static_cast<const void*>(table(r.sin, 3)), r.cos.dtype());
    }
  });
}

}  // namespace minima::detail
