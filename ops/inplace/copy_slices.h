#pragma once

#include <minima/autograd/node.h>

namespace minima::detail {

/// After an operator was recorded as the new history of the view x, makes it part of the history of x's base:
/// base' = base with the places of x replaced by the operator's result.
void rebase_view(const Tensor& x, Node& node);

}  // namespace minima::detail
