#include <minima/ops/reduce/reduced_shape.h>

namespace minima {

Shape reduced_shape(const Shape& shape, const Shape& dims, bool keep_dim) {
  Shape result = shape;
  for (int i = dims.rank() - 1; i >= 0; --i) {
    if (keep_dim) result[static_cast<int>(dims[i])] = 1;
    else result.erase(static_cast<int>(dims[i]));
  }
  return result;
}

}  // namespace minima
