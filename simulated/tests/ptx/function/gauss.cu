#include "gauss.h"

#include <minima/ops/pointwise/pointwise_function.cuh>

template struct minima::PointwiseForCuda<Gauss, 2>;
