#pragma once

#include "simulated/tests/library/library.h"

#include <minima/ops/ops.h>

#include <cublasLt.h>

#include <cstdint>
#include <string>

namespace minima {

/// The number of products put to cuBLASLt with this epilogue so far.
inline std::int64_t products_with(cublasLtEpilogue_t epilogue) {
  return simulated::calls("cublasLtMatmul.epilogue" + std::to_string(epilogue));
}

/// cuBLASLt's heuristic refuses the epilogue in the next `count` products that minima has not planned yet.
inline void refuse(cublasLtEpilogue_t epilogue, int count) {
  for (int i = 1; i <= count; ++i)
    simulated::fail_call("cublasLtMatmulAlgoGetHeuristic.epilogue" + std::to_string(epilogue), i,
                         CUBLAS_STATUS_NOT_SUPPORTED);
}

/// The largest difference, relative to the largest value.
inline double distance(const Tensor& a, const Tensor& b) {
  const Tensor x = a.detach().to(Device::cpu()).to(float64), y = b.detach().to(Device::cpu()).to(float64);
  return max(abs(x - y)).item<double>() / max(abs(y)).item<double>();
}

inline double rounding(DType dtype) { return dtype == float16 ? 2e-3 : dtype == bfloat16 ? 1.6e-2 : 2e-6; }

}  // namespace minima
