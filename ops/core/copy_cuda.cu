#include <minima/ops/core/complex_copy.h>
#include <minima/ops/core/copy_functors.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/loops/runs/runs.h>
#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/tensor/tensor.h>
#include <minima/ops/core/copy_device.cuh>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Copy, 1, AllTypes, ResultType::same>;

}  // namespace minima::pointwise

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

using pointwise::Operand;
using pointwise::Plan;

Operand operand(const Tensor& x) { return {x.raw_data(), x.layout(), x.dtype()}; }

/// Copies between two memory orders of the same elements, contiguous along different dimensions.
template <class T>
bool transpose(const Operand& to, const Operand& from, const Plan& plan) {
  const int inner = plan.rank() - 1;
  if (plan.rank() < 2 || plan.rank() > 3 || plan.strides[0][inner] != 1) return false;
  const int other = plan.strides[1][inner - 1] == 1 ? inner - 1 : plan.strides[1][0] == 1 ? 0 : -1;
  if (other < 0 || plan.strides[1][inner] == 1) return false;
  const int plane = plan.rank() == 2 ? -1 : other == 0 ? 1 : 0;
  const std::int64_t width = plan.sizes[other], height = plan.sizes[inner], planes = plane < 0 ? 1 : plan.sizes[plane];
  const auto tiles = [](std::int64_t n) { return (n + tile - 1) / tile; };
  if (width < 8 || height < 8 || planes > 65535 || tiles(height) > 65535 || width >= INT32_MAX) return false;
  const cuda::Grid grid{
      dim3(static_cast<unsigned>(tiles(width)), static_cast<unsigned>(tiles(height)), static_cast<unsigned>(planes)),
      dim3(tile, tile_rows)};
  cuda::launch("transpose", grid, transpose_kernel<T>, static_cast<const T*>(from.data), static_cast<T*>(to.data),
               static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), plan.strides[1][inner],
               plan.strides[0][other], plane < 0 ? 0 : plan.strides[1][plane], plane < 0 ? 0 : plan.strides[0][plane]);
  return true;
}

bool transpose_bytes(const Operand& to, const Operand& from, const Plan& plan) {
  switch (size_of(to.dtype)) {
    case 1: return transpose<std::uint8_t>(to, from, plan);
    case 2: return transpose<std::uint16_t>(to, from, plan);
    case 4: return transpose<std::uint32_t>(to, from, plan);
    default: return transpose<std::uint64_t>(to, from, plan);
  }
}

/// Integers move in packs too when no conversion is needed.
bool copy_packs(const Plan& plan, const Operand* operands) {
  bool done = false;
  dispatch<all_types>(operands[0].dtype, "copy", [&]<class T> {
    if constexpr (std::is_integral_v<T>)
      done = pointwise::detail::run_packed<T, T>(functor::Copy{}, plan, operands, std::index_sequence<0>());
  });
  return done;
}

/// The conversions that autocast makes, in packs.
bool convert_packs(const Plan& plan, const Operand* operands) {
  using pointwise::detail::run_packed;
  const std::index_sequence<0> one;
  const functor::Copy copy{};
  return run_packed<BFloat16, float>(copy, plan, operands, one) ||
         run_packed<float, BFloat16>(copy, plan, operands, one) ||
         run_packed<Float16, float>(copy, plan, operands, one) || run_packed<float, Float16>(copy, plan, operands, one);
}

}  // namespace

void copy_kernel_cuda(const Tensor& from, const Tensor& to) {
  if (copy_complex(from, to, copy_kernel_cuda)) return;
  const Operand operands[] = {operand(to), operand(from)};
  const Layout* layouts[] = {&to.layout(), &from.layout()};
  const Plan plan = pointwise::make_plan(layouts, 2);
  if (plan.count == 0) return;
  const bool same = to.dtype() == from.dtype();
  if (same ? transpose_bytes(operands[0], operands[1], plan) || copy_packs(plan, operands)
           : convert_packs(plan, operands))
    return;
  pointwise::CudaLoop<functor::Copy, 1, AllTypes, ResultType::same>::run(
      "copy", {}, is_half(to.dtype()) ? DType::float32 : to.dtype(), operands);
}

void add_kernel_cuda(const Tensor& from, const Tensor& to) {
  if (is_complex(to.dtype())) return add_kernel_cuda(parts_of(from), parts_of(to));
  const std::int64_t count = from.numel();
  if (count == 0) return;
  sorting::check_sortable(count, "adding to a view that overlaps itself");
  const Tensor values = empty(Shape{count, 1}, {.dtype = from.dtype(), .device = to.device()});
  copy_kernel_cuda(from,
                   Tensor(new TensorImpl(values.impl()->storage, Layout::contiguous(from.shape()), from.dtype())));
  std::int64_t reach = 1;
  for (int d = 0; d < to.rank(); ++d) reach += (to.shape()[d] - 1) * to.strides()[d];
  const Tensor memory(new TensorImpl(to.impl()->storage, Layout{{reach, 1}, {1, 1}, to.layout().offset}, to.dtype()));

  // Repeated targets are runs of equal places.
  const Tensor places = empty(Shape{count}, {.dtype = DType::int64, .device = to.device()});
  const Layout* layouts[] = {&to.layout()};
  const Plan plan = pointwise::make_plan(layouts, 1, pointwise::Order::row_major);
  std::int64_t first = 0;
  for (const pointwise::Part& part : pointwise::parts_of(plan)) {
    cuda::launch("element_places", cuda::grid_for(part.geometry.count), element_places_kernel, part.geometry,
                 part.start[0], places.data<std::int64_t>() + first);
    first += part.geometry.count;
  }
  sorting::sum_runs_cuda(values, sorting::radix_sort_cuda(places, reach), sorting::no_key, true, memory);
}

void zero_kernel_cuda(const Tensor& to, std::int64_t count) {
  if (is_complex(to.dtype())) return zero_kernel_cuda(part_of(to, 0), 2 * count);
  const Layout all = Layout::contiguous({count});
  const Operand operands[] = {{to.raw_data(), all, to.dtype()}, {to.raw_data(), all, to.dtype()}};
  pointwise::CudaLoop<functor::Fill, 1, AllTypes, ResultType::same>::run(
      "zero", {}, is_half(to.dtype()) ? DType::float32 : to.dtype(), operands);
}

}  // namespace minima::detail
