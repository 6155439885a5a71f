#include <minima/ops/product/gemm/matrices.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

bool find_operand(const Layout& layout, GemmOperand& operand) {
  const int last = layout.rank() - 1;
  const std::int64_t rows = layout.shape[last - 1], columns = layout.shape[last];
  const std::int64_t row_stride = layout.strides[last - 1], column_stride = layout.strides[last];
  if ((columns <= 1 || column_stride == 1) && (rows <= 1 || row_stride >= std::max<std::int64_t>(columns, 1))) {
    operand = {rows <= 1 ? std::max<std::int64_t>(columns, 1) : row_stride, false};
    return true;
  }
  if ((rows <= 1 || row_stride == 1) && (columns <= 1 || column_stride >= std::max<std::int64_t>(rows, 1))) {
    operand = {columns <= 1 ? std::max<std::int64_t>(rows, 1) : column_stride, true};
    return true;
  }
  return false;
}

namespace {

HalfType half_type(DType dtype) {
  if (dtype == DType::float16) return HalfType::float16;
  return dtype == DType::bfloat16 ? HalfType::bfloat16 : HalfType::none;
}

}  // namespace

DType product_dtype(const Tensor& x) { return on_cuda(x) ? x.dtype() : compute_dtype(x.dtype()); }

Matrices::Matrices(const Tensor& x) : tensor_(x) {
  if (!find_operand(x.layout(), operand_)) {
    tensor_ = row_major_copy(x, x.dtype());
    find_operand(tensor_.layout(), operand_);
  }
  if (!on_cuda(x)) operand_.half = half_type(tensor_.dtype());
}

Matrices Matrices::in_panels(const Tensor& x) {
  constexpr std::int64_t width = 128;
  const std::int64_t rows = x.shape()[0], columns = x.shape()[1], whole = columns / width, rest = columns % width;
  const PurposeGuard purpose(Purpose::temporaries);
  const Tensor panels = empty({whole + (rest > 0), rows, width}, {.dtype = product_dtype(x)});
  const auto copy = [&](std::int64_t first, std::int64_t count, std::int64_t used) {
    const Strides& from = x.strides();
    copy_values(alias(x, {.shape = {count, rows, used},
                          .strides = {width * from[1], from[0], from[1]},
                          .offset = x.layout().offset + first * width * from[1]}),
                alias(panels, {.shape = {count, rows, used},
                               .strides = panels.strides(),
                               .offset = panels.layout().offset + first * rows * width}));
  };
  copy(0, whole, width);
  copy(whole, rest > 0, rest);
  Matrices result(panels);
  result.operand_.panel = width;
  return result;
}

Tensor flatten_rows(const Tensor& x) {
  const std::int64_t columns = x.shape().back();
  std::int64_t rows = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.shape()[i];
  Layout flat;
  if (x.layout().try_reshape({rows, columns}, flat)) return alias(x, flat);
  return alias(row_major_copy(x, x.dtype()), Layout::contiguous({rows, columns}));
}

Tensor alias(const Tensor& x, const Layout& layout) {
  return Tensor(new TensorImpl(x.impl()->storage, layout, x.dtype()));
}

Tensor row_major_copy(const Tensor& x, DType dtype) {
  const PurposeGuard purpose(Purpose::temporaries);
  Tensor copy = empty(x.shape(), {.dtype = dtype, .device = x.device()});
  copy_values(x, copy);
  return copy;
}

Tensor row_major(const Tensor& x, DType dtype) {
  return x.dtype() == dtype && x.is_contiguous() ? x : row_major_copy(x, dtype);
}

}  // namespace minima::detail
