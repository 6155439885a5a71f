#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/error.h>

#include <cstdint>
#include <string>

namespace minima::distributed {

/// The state of a tensor along an axis of a mesh: what its ranks hold of it, as in Meta's spmd_types.
enum class Placement : std::uint8_t {
  replicated,  ///< the same values; a rank's gradient is a part of the whole one, which is their sum
  invariant,   ///< the same values, and the same, complete gradient
  varying,     ///< values of their own, such as shares of a batch or shards of a weight
  partial,     ///< summands: the tensor is their sum
};
MINIMA_API const char* name(Placement placement);

/// A program's tensors and collectives do not fit together: it would compute something else than one process. The
/// message names operator, module, axis and the missing collective.
class MINIMA_API PlacementError : public ValueError {
  using ValueError::ValueError;
};

/// The way an operator treats a partial sum. Whatever it is, inputs that vary make results that vary.
enum class OperatorPlacement : std::uint8_t {
  nonlinear,  ///< it must not get one: f(a + b) is not f(a) + f(b)
  linear,     ///< linear in all floating inputs together, as `add` and `cat`; with one input, as `neg`
  product,    ///< linear in each floating input, as `mul`: one of them may be a partial sum, others replicated
};

/// Gives an operator (`traits.name`) a rule. Checked programs refuse an operator without one, unless all its inputs are
/// replicated. The operator must communicate by no other means than differentiable collectives. Throws ValueError for
/// an operator of minima.
///
///     distributed::declare_operator("my_gelu", distributed::OperatorPlacement::nonlinear);
MINIMA_API void declare_operator(const std::string& name, OperatorPlacement placement);

}  // namespace minima::distributed
