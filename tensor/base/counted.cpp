#include <minima/tensor/base/counted.h>

namespace minima::data {

Counted::~Counted() = default;

}  // namespace minima::data
