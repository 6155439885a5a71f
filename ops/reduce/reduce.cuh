#pragma once

#include <minima/ops/loops/plan.h>
#include <minima/ops/reduce/work.h>
#include <minima/tensor/tensor.h>
#include <minima/ops/reduce/reduce_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

// Reductions on CUDA, for .cu files, with the functors of the CPU's (ops/loops/lines/reduce_loop.h).

namespace minima::reduction {

namespace detail {

using pointwise::Operand;

template <class T, class Source, class F>
void run(const F& f, Source x, Device device, const Operand* outs, int out_count, const Operand& in) {
  using State = typename F::State;
  const Schedule s = schedule(
      outs, out_count, in, requires(T e) { f.element(e, std::int64_t{}); }, x.is_aligned() ? Source::width : 1);
  for (const pointwise::Part& part : s.outputs) {
    Results results{};
    for (int k = 0; k < out_count; ++k) {
      const auto size = static_cast<std::int64_t>(size_of(outs[k].dtype));
      results.data[k] = static_cast<char*>(outs[k].data) + part.start[1 + k] * size;
      results.dtype[k] = outs[k].dtype;
    }
    const std::uint32_t outputs = part.geometry.count;
    Tensor memory;  // of partial states
    State* partial = nullptr;
    if (s.parts != 1) {
      const auto bytes = static_cast<std::int64_t>(sizeof(State)) * s.parts * outputs;
      memory = empty(Shape{(bytes + 7) / 8}, {.dtype = DType::int64, .device = device});
      partial = static_cast<State*>(memory.raw_data());
    }
    const auto size = static_cast<std::int64_t>(size_of(in.dtype));
    for (const Schedule::Part& reduced : s.reduced) {
      const Work work{
          part.geometry,       reduced.elements.geometry,         s.lanes, s.is_row, reduced.split, reduced.first_part,
          reduced.first_index, reduced.packed ? Source::width : 1};
      const std::int64_t start = (part.start[0] + reduced.elements.start[0]) * size;
      x.data = static_cast<decltype(x.data)>(static_cast<const void*>(static_cast<const char*>(in.data) + start));
      const unsigned per_block = reduce_threads / s.lanes, units = s.columns ? outputs / Source::width : outputs;
      const cuda::Grid grid{dim3((units + per_block - 1) / per_block, reduced.splits), dim3(reduce_threads)};
      if constexpr (Source::width > 1)
        if (s.columns) {
          cuda::launch("reduce_columns", grid, reduce_columns_kernel<T, F, Source>, f, x, work, partial, results);
          continue;
        }
      cuda::launch("reduce", grid, reduce_kernel<T, F, Source>, f, x, work, partial, results);
    }
    if (s.parts != 1)
      cuda::launch("combine_parts", {dim3((outputs + cuda::warp - 1) / cuda::warp), dim3(cuda::warp, combine_lanes)},
                   combine_parts_kernel<F>, f, part.geometry, s.parts, partial, results);
  }
}

/// T and the half types are read by separate kernels; all other types share one that switches on the dtype.
template <class T, class F>
void run(const F& f, Device device, const Operand* outs, int out_count, const Operand& in) {
  if (in.dtype == dtype_of<T>) return run<T>(f, Typed<T>{static_cast<const T*>(in.data)}, device, outs, out_count, in);
  if constexpr (std::is_same_v<T, float>) {
    if (in.dtype == DType::float16)
      return run<T>(f, Typed<Float16>{static_cast<const Float16*>(in.data)}, device, outs, out_count, in);
    if (in.dtype == DType::bfloat16)
      return run<T>(f, Typed<BFloat16>{static_cast<const BFloat16*>(in.data)}, device, outs, out_count, in);
  } else if constexpr (std::is_integral_v<T>) {
    run<T>(f, Untyped{nullptr, in.dtype}, device, outs, out_count, in);
  }
}

}  // namespace detail

/// The engine of ops/reduce/reduce_front.h on the GPU that the operands are on.
struct CudaEngine {
  static constexpr bool computes_in_int32 = false;
  Device device;

  template <class T, class F>
  void reduce(const F& f, const pointwise::Operand& out, const pointwise::Operand& in) const {
    detail::run<T>(f, device, &out, 1, in);
  }
  template <class T, class F>
  void reduce(const F& f, const pointwise::Operand& first, const pointwise::Operand& second,
              const pointwise::Operand& in) const {
    const pointwise::Operand outs[] = {first, second};
    detail::run<T>(f, device, outs, 2, in);
  }
};

}  // namespace minima::reduction
