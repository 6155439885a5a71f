#include <minima/ops/view/join.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>
#include <span>
#include <vector>

namespace minima {

namespace {

template <class F>
Tensor joined(const char* op, std::span<const Tensor> tensors, std::int64_t dim, const F& prepared) {
  if (tensors.empty()) throw ValueError(str(op, ": needs at least one tensor"));
  std::vector<Tensor> list;
  list.reserve(tensors.size());
  for (const Tensor& x : tensors) {
    detail::check_defined(op, x, static_cast<int>(list.size()));
    list.push_back(prepared(x));
  }
  return cat(list, list.front().rank() == 1 ? 0 : dim);
}

}  // namespace

Tensor hstack(std::span<const Tensor> tensors) { return joined("hstack", tensors, 1, atleast_1d); }
Tensor vstack(std::span<const Tensor> tensors) { return joined("vstack", tensors, 0, atleast_2d); }
Tensor dstack(std::span<const Tensor> tensors) { return joined("dstack", tensors, 2, atleast_3d); }
Tensor column_stack(std::span<const Tensor> tensors) {
  return joined("column_stack", tensors, 1,
                [](const Tensor& x) { return x.rank() < 2 ? unsqueeze(atleast_1d(x), 1) : x; });
}

Tensor block_diag(std::span<const Tensor> matrices) {
  constexpr const char* op = "block_diag";
  if (matrices.empty()) throw ValueError(str(op, ": needs at least one matrix"));
  detail::Wide rows = 0, columns = 0;
  std::vector<Tensor> blocks;
  for (const Tensor& x : matrices) {
    detail::check_defined(op, x, static_cast<int>(blocks.size()));
    if (x.rank() > 2) throw ShapeError(str(op, ": needs matrices, vectors or scalars, got ", x));
    if (x.dtype() != matrices[0].dtype())
      throw DTypeError(str(op, ": needs one dtype, got ", matrices[0], " and ", x, "; convert them with to()"));
    blocks.push_back(atleast_2d(x));
    rows += blocks.back().shape()[0];
    columns += blocks.back().shape()[1];
  }
  const Shape shape{detail::fit(rows, op), detail::fit(columns, op)};
  detail::checked_numel(shape, op);
  const Tensor y = zeros(shape, {.dtype = matrices[0].dtype(), .device = matrices[0].device()});
  std::int64_t row = 0, column = 0;
  for (const Tensor& block : blocks) {
    const std::int64_t height = block.shape()[0], width = block.shape()[1];
    copy_(narrow(narrow(y, 0, row, height), 1, column, width), block);
    row += height;
    column += width;
  }
  return y;
}

}  // namespace minima
