#include <minima/ops/reduce/reduced_shape.h>

#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>

#include <cstdint>

namespace minima {

Shape reduced_shape(const Shape& shape, const Shape& dims, bool keep_dim) {
  Shape result = shape;
  for (int i = dims.rank() - 1; i >= 0; --i) {
    if (keep_dim) result[static_cast<int>(dims[i])] = 1;
    else result.erase(static_cast<int>(dims[i]));
  }
  return result;
}

std::int64_t reduced_count(const Shape& shape, const Shape& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= shape[static_cast<int>(dim)];
  return count;
}

Layout with_reduced_dims(const Layout& output, const Shape& input_shape, const Shape& dims) {
  if (output.rank() == input_shape.rank()) return output;
  Layout result = output;
  for (const std::int64_t dim : dims) {
    result.shape.insert(static_cast<int>(dim), 1);
    result.strides.insert(static_cast<int>(dim), 1);
  }
  return result;
}

}  // namespace minima
