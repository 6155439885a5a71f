#include <minima/ops/loops/plan.h>

#include <minima/tensor/layout/layout.h>

#include <cstdint>
#include <utility>

namespace minima::pointwise {

bool Plan::is_contiguous(int operand) const {
  std::int64_t expected = 1;
  for (int d = rank() - 1; d >= 0; --d) {
    if (strides[operand][d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

Shape Plan::index_of(std::int64_t position) const {
  Shape index;
  index.resize(rank());
  for (int d = rank() - 1; d > 0; --d) {
    index[d] = position % sizes[d];
    position /= sizes[d];
  }
  index[0] = position;
  return index;
}

std::int64_t Plan::offset_of(int operand, const Shape& index) const {
  std::int64_t offset = 0;
  for (int d = 0; d < rank(); ++d) offset += index[d] * strides[operand][d];
  return offset;
}

namespace {

void append(Plan& plan, const Layout* const* layouts, int dim) {
  plan.sizes.push_back(layouts[0]->shape[dim]);
  for (int k = 0; k < plan.operands; ++k) plan.strides[k].push_back(layouts[k]->strides[dim]);
}

/// Merges dimension `dim` of the layouts into the last dimension of the plan, if every operand has a uniform stride
/// over both.
bool merge(Plan& plan, const Layout* const* layouts, int dim) {
  if (plan.rank() == 0) return false;
  const std::int64_t size = layouts[0]->shape[dim];
  for (int k = 0; k < plan.operands; ++k)
    if (plan.strides[k].back() != layouts[k]->strides[dim] * size) return false;
  plan.sizes[plan.rank() - 1] *= size;
  for (int k = 0; k < plan.operands; ++k) plan.strides[k][plan.rank() - 1] = layouts[k]->strides[dim];
  return true;
}

}  // namespace

Plan make_plan(const Layout* const* layouts, int operands, Order wanted) {
  Plan plan;
  plan.operands = operands;
  const Layout& first = *layouts[0];
  plan.count = first.numel();
  Shape order;
  for (int d = 0; d < first.rank(); ++d) {
    if (first.shape[d] == 1) continue;
    order.push_back(d);
    for (int i = order.rank() - 1; i > 0 && wanted == Order::memory; --i) {
      const auto before = static_cast<int>(order[i - 1]);
      if (first.strides[before] >= first.strides[d]) break;
      std::swap(order[i - 1], order[i]);
    }
  }
  for (const std::int64_t d : order)
    if (!merge(plan, layouts, static_cast<int>(d))) append(plan, layouts, static_cast<int>(d));
  if (plan.rank() == 0) {
    plan.sizes.push_back(1);
    for (int k = 0; k < operands; ++k) plan.strides[k].push_back(1);
  }
  return plan;
}

}  // namespace minima::pointwise
