#pragma once

#include <minima/tensor/base/api.h>

namespace minima::detail {

/// While a saved-tensor hook packs: whether what it got is a leaf that requires grad. A parameter's memory is there
/// anyway, so packing it saves nothing.
extern MINIMA_API constinit thread_local bool is_packing_leaf;

}  // namespace minima::detail
