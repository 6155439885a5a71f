#include <minima/data/counted.h>

namespace minima::data {

Counted::~Counted() = default;

}  // namespace minima::data
