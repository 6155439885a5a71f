#pragma once

#include <minima/ops/math.h>

namespace minima::functor {

struct Copy {
  template <class T> MINIMA_HD T operator()(T x) const { return x; }
};

}  // namespace minima::functor
