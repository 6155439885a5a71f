#include <minima/ops/loops/geometry.h>

#include <minima/ops/loops/plan.h>
#include <minima/tensor/base/dtype.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::pointwise {

namespace {

constexpr std::int64_t limit = std::int64_t{1} << 31;

/// One past an operand's largest offset.
std::int64_t reach(const Plan& plan, int operand) {
  std::int64_t last = 0;
  for (int d = 0; d < plan.rank(); ++d) last += (plan.sizes[d] - 1) * plan.strides[operand][d];
  return last + 1;
}

bool fits(const Plan& plan) {
  if (plan.rank() > Geometry::max_rank || plan.count >= limit) return false;
  for (int k = 0; k < plan.operands; ++k)
    if (reach(plan, k) >= limit) return false;
  return true;
}

Geometry geometry_of(const Plan& plan) {
  Geometry g{};
  g.count = static_cast<std::uint32_t>(plan.count);
  g.rank = plan.rank();
  for (int d = 0; d < g.rank; ++d) {
    const int from = g.rank - 1 - d;
    g.sizes[d] = Divider(static_cast<std::uint32_t>(plan.sizes[from]));
    for (int k = 0; k < plan.operands; ++k) g.strides[k][d] = static_cast<std::int32_t>(plan.strides[k][from]);
  }
  return g;
}

/// The piece [first, last) of the outermost dimension; drops that dimension if only one index of too many dimensions is
/// left.
Plan piece(const Plan& plan, std::int64_t first, std::int64_t last) {
  Plan part = plan;
  part.count = plan.count / plan.sizes[0] * (last - first);
  part.sizes[0] = last - first;
  if (last - first > 1 || plan.rank() == 1) return part;
  part.sizes.erase(0);
  for (int k = 0; k < plan.operands; ++k) part.strides[k].erase(0);
  return part;
}

void cut(const Plan& plan, const Part& origin, std::vector<Part>& parts) {
  if (fits(plan)) {
    parts.push_back(origin);
    parts.back().geometry = geometry_of(plan);
    return;
  }
  // Halves aligned for packs of any width, if the whole is.
  constexpr std::int64_t widest = 16;
  const std::int64_t size = plan.sizes[0];
  const std::int64_t middle = size < 2 * widest ? std::max<std::int64_t>(1, size / 2) : size / 2 / widest * widest;
  const std::int64_t half = plan.rank() > Geometry::max_rank ? 1 : middle;
  for (std::int64_t first = 0; first < size; first += half) {
    Part part = origin;
    for (int k = 0; k < plan.operands; ++k) part.start[k] += first * plan.strides[k][0];
    cut(piece(plan, first, std::min(size, first + half)), part, parts);
  }
}

}  // namespace

Divider::Divider(std::uint32_t divisor) : divisor(divisor) {
  while (shift < 32 && (std::uint64_t{1} << shift) < divisor) ++shift;
  magic =
      static_cast<std::uint32_t>((((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - divisor)) / divisor) + 1);
}

std::vector<Part> parts_of(const Plan& plan) {
  std::vector<Part> parts;
  if (plan.count > 0) cut(plan, Part{}, parts);
  return parts;
}

bool pack(Plan& plan, const Operand* operands, const DType* types, int width, std::uint32_t& repeated) {
  const int inner = plan.rank() - 1;
  repeated = 0;
  if (plan.sizes[inner] % width != 0) return false;
  for (int k = 0; k < plan.operands; ++k) {
    const std::int64_t stride = plan.strides[k][inner];
    if (operands[k].dtype != types[k] || (stride != 1 && (stride != 0 || k == 0))) return false;
    if (stride == 0) {
      repeated |= 1u << k;
      continue;
    }
    const std::size_t bytes = size_of(types[k]) * static_cast<std::size_t>(width);
    if (reinterpret_cast<std::uintptr_t>(operands[k].data) % std::min<std::size_t>(bytes, 16) != 0) return false;
    for (int d = 0; d < inner; ++d)
      if (plan.strides[k][d] % width != 0) return false;
  }
  plan.sizes[inner] /= width;
  plan.count /= width;
  for (int k = 0; k < plan.operands; ++k)
    if (plan.strides[k][inner] == 1) plan.strides[k][inner] = width;
  return true;
}

}  // namespace minima::pointwise
