#include "gauss.h"

#include <minima/ops/pointwise_function/pointwise_function.cuh>

template struct minima::PointwiseForCuda<Gauss, 2>;
