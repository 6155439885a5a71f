#pragma once

#include <minima/distributed/placement/placement.h>

#include <cstdint>
#include <string>

// The rules by which operators treat partial sums. Internal.

namespace minima::distributed::detail {

enum class Form : std::uint8_t {
  additive,    ///< linear in all inputs of the mask together
  product,     ///< linear in each input of the mask
  nonlinear,   ///<
  weighted,    ///< x, weight [out, in, ...], bias or none: `linear` and convolutions
  matmul,      ///< a [.., n, k], b [.., k, m]
  sum,         ///< over dimensions
  extreme,     ///< the largest or smallest over dimensions
  fill,        ///< the inputs' values have no influence
  copy,        ///< input 1 into input 0
  normalized,  ///< computes with whole rows of the last dimension, and is not linear
  classes,     ///< cross entropy: logits [N, C] in input 0
  collective,  ///< checked by its name
};

struct PlacementRule {
  Form form = Form::nonlinear;
  std::uint32_t linear = ~0u;  ///< a mask of inputs
  bool is_pointwise = true;    ///< the result's last dimension is shared by ranks as the inputs' is
};

/// Returns null for an operator without a rule.
const PlacementRule* find_rule(const std::string& op);

}  // namespace minima::distributed::detail
