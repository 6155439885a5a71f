#pragma once

#include <minima/amp/scale_update.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::amp::detail {

/// One thread.
static __global__ void scale_update_kernel(const ScaleUpdate update, float* scale, std::int32_t* tracker,
                                           double* inverse, const FoundInf found_inf) {
  bool found = false;
  for (int i = 0; i < found_inf.count; ++i) found = found || *found_inf.of[i] != 0;
  update(*scale, *tracker, *inverse, found);
}

}  // namespace minima::amp::detail
