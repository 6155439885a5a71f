#pragma once

#include "simulated/ptx/text/module.h"

#include <cstddef>

// These rules are about strided_loop_kernel (ops/loops/loop_device.cuh). It converts to any dtype, but the result of an
// operator has a dtype that the loop computes in: PointwiseBase (ops/pointwise.h) and the other callers of CudaLoop
// choose the loop by it. A floating loop stores floating numbers, any other its own type.

namespace simulated::ptx {

/// Whether `mutant` in place of statement `at` changes nothing for such dtypes: control does not come to it, or it
/// compares the dtype with the same outcome.
bool is_for_other_results(const Body& body, std::size_t at, const Statement& mutant);

}  // namespace simulated::ptx
