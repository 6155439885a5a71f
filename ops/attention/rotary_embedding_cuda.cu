#include <minima/ops/attention/kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/loops/loop_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

/// One thread per pair. `g` has the offsets of y, x, cos and sin; the tables have another dtype than x where that is a
/// half type. A pair of neighbours is read by two instructions, whose sectors are the same.
template <class X>
__global__ void __launch_bounds__(256)
    rotate_kernel(const pointwise::Geometry g, cuda::Compute<X> sign, X* y, std::int64_t y_partner, const X* x,
                  std::int64_t x_partner, const void* cos, const void* sin, DType table) {
  using T = cuda::Compute<X>;
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= g.count) return;
  const pointwise::Offsets<4> at(g, i);
  const auto load = [&](const void* values, std::uint32_t offset) {
    return table == dtype_of<X> ? static_cast<T>(static_cast<const X*>(values)[offset])
                                : static_cast<const T*>(values)[offset];
  };
  const T c = load(cos, at.of[2]), s = load(sin, at.of[3]) * sign;
  const T a = static_cast<T>(x[at.of[1]]), b = static_cast<T>(x[at.of[1] + x_partner]);
  y[at.of[0]] = static_cast<X>(a * c - b * s);
  y[at.of[0] + y_partner] = static_cast<X>(b * c + a * s);
}

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
