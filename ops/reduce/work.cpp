#include <minima/ops/reduce/work.h>

#include <minima/ops/loops/geometry.h>
#include <minima/ops/loops/plan.h>
#include <minima/tensor/layout/layout.h>

#include <algorithm>
#include <cstdint>

namespace minima::reduction {

using pointwise::make_plan;
using pointwise::Operand;
using pointwise::Plan;

namespace {

constexpr std::uint32_t threads = 256;
/// Enough blocks to fill any GPU, and the fewest elements that a thread is worth.
constexpr std::int64_t wanted_blocks = 512, least_per_thread = 16;

std::uint32_t power_of_two_from(std::int64_t n, std::int64_t most) {
  std::uint32_t power = 1;
  while (power < n && power < most) power *= 2;
  return power;
}

/// The dimensions of `layout` that a reduction keeps, or the others.
Layout chosen(const Layout& layout, const Layout& in, const Layout& out, bool kept) {
  Layout result;
  for (int d = 0; d < in.rank(); ++d)
    if ((out.shape[d] == in.shape[d]) == kept) {
      result.shape.push_back(in.shape[d]);
      result.strides.push_back(layout.strides[d]);
    }
  return result;
}

bool can_pack(const Plan& reduced, const Plan& outputs, const Operand& in, int width) {
  if (width == 1 || reduced.rank() != 1 || reduced.strides[0][0] != 1 || reduced.sizes[0] % width != 0) return false;
  if (reinterpret_cast<std::uintptr_t>(in.data) % 16 != 0) return false;
  for (int d = 0; d < outputs.rank(); ++d)
    if (outputs.sizes[d] > 1 && outputs.strides[0][d] % width != 0) return false;
  return true;
}

/// Whether packs of neighbouring outputs can be read in every row.
bool has_columns(const Plan& reduced, const Plan& outputs, const Operand& in, int width) {
  const int inner = outputs.rank() - 1;
  if (width == 1 || outputs.count < width || outputs.strides[0][inner] != 1 || outputs.sizes[inner] % width != 0)
    return false;
  if (reinterpret_cast<std::uintptr_t>(in.data) % 16 != 0) return false;
  for (int d = 0; d < inner; ++d)
    if (outputs.strides[0][d] % width != 0) return false;
  for (int d = 0; d < reduced.rank(); ++d)
    if (reduced.sizes[d] > 1 && reduced.strides[0][d] % width != 0) return false;
  return true;
}

}  // namespace

Schedule schedule(const Operand* outs, int out_count, const Operand& in, bool indexed, int width) {
  const Layout& out = outs[0].layout;
  // Outputs are ordered by the input's strides, so that neighbouring threads read neighbouring elements.
  Layout kept[3] = {chosen(in.layout, in.layout, out, true)};
  for (int k = 0; k < out_count; ++k) kept[1 + k] = chosen(outs[k].layout, in.layout, out, true);
  const Layout* layouts[] = {&kept[0], &kept[1], &kept[2]};
  const Plan outputs = make_plan(layouts, 1 + out_count);
  const Layout rest = chosen(in.layout, in.layout, out, false);
  const Layout* reduced_layout[] = {&rest};
  const Plan reduced = make_plan(reduced_layout, 1, indexed ? pointwise::Order::row_major : pointwise::Order::memory);

  Schedule s;
  s.outputs = pointwise::parts_of(outputs);
  const std::int64_t step_out = outputs.count > 1 ? outputs.strides[0].back() : INT64_MAX;
  s.is_row = reduced.count > 1 && reduced.strides[0].back() <= step_out;
  s.columns = !s.is_row && reduced.count > 1 && has_columns(reduced, outputs, in, width);
  const std::int64_t unit = can_pack(reduced, outputs, in, width) ? width : 1;
  const std::int64_t columns = s.columns ? outputs.count / width : outputs.count;
  if (s.columns) {
    s.lanes = std::min(threads / power_of_two_from(columns, 32),
                       power_of_two_from(std::max<std::int64_t>(1, reduced.count), threads));
  } else if (s.is_row) {
    s.lanes = power_of_two_from(std::max<std::int64_t>(1, reduced.count / unit), threads);
  } else {
    const std::uint32_t side_by_side = power_of_two_from(std::max<std::int64_t>(32, outputs.count), threads);
    s.lanes = std::min(threads / std::min(side_by_side, 64u),
                       power_of_two_from(std::max<std::int64_t>(1, reduced.count), threads));
  }

  const std::int64_t blocks = (columns * s.lanes + threads - 1) / threads;
  std::uint32_t first_part = 0;
  std::int64_t first_index = 0;
  for (const pointwise::Part& elements : pointwise::parts_of(reduced)) {
    const std::int64_t count = elements.geometry.count;
    const std::int64_t most = std::max<std::int64_t>(1, count / (s.lanes * unit * least_per_thread));
    std::int64_t splits = std::clamp<std::int64_t>(wanted_blocks / std::max<std::int64_t>(blocks, 1), 1, most);
    std::int64_t split = (count + splits - 1) / splits;
    split = (split + unit - 1) / unit * unit;
    splits = (count + split - 1) / split;
    s.reduced.push_back({elements, static_cast<std::uint32_t>(split), static_cast<std::uint32_t>(splits), first_part,
                         first_index, unit > 1});
    first_part += static_cast<std::uint32_t>(splits);
    first_index += count;
  }
  s.parts = first_part;
  return s;
}

}  // namespace minima::reduction
