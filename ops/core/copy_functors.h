#pragma once

#include <minima/ops/loops/math/math.h>

namespace minima::pointwise::functor {

struct Copy {
  template <class T> MINIMA_HD T operator()(T x) const { return x; }
};

}  // namespace minima::pointwise::functor
