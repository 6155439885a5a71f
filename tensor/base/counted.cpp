#include <minima/tensor/base/counted.h>

namespace minima {

Counted::~Counted() = default;

}  // namespace minima
