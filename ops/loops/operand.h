#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>

namespace minima::pointwise {

/// Elements in memory: `data` points at the first one (the layout's offset is already applied).
struct Operand {
  void* data;
  const Layout& layout;
  DType dtype;

  Operand(void* data, const Layout& layout, DType dtype) : data(data), layout(layout), dtype(dtype) {}
  Operand(const void* data, const Layout& layout, DType dtype)
      : data(const_cast<void*>(data)), layout(layout), dtype(dtype) {}
};

}  // namespace minima::pointwise
