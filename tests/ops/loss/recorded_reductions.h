#pragma once

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/core/reduction.h>

#include <string>
#include <utility>

// The losses that are recorded with PyTorch's results in each reduction.

namespace minima::test {

/// Adds the recordings `name`.none, .mean and .sum: `loss(in, reduction)`. In `python`, a function of `arguments`, the
/// reduction is `r`: "F.mse_loss(x, t, reduction=r)".
template <class F>
auto recorded_reductions(std::string name, std::string arguments, std::string python, F loss) {
  return [name = std::move(name), arguments = std::move(arguments), python = std::move(python), loss](OpCases& cases) {
    const std::pair<const char*, Reduction> reductions[] = {
        {"none", Reduction::none}, {"mean", Reduction::mean}, {"sum", Reduction::sum}};
    for (const auto& [text, reduction] : reductions)
      cases.recorded(name + "." + text, "lambda " + arguments + ", r='" + text + "': " + python,
                     [loss, r = reduction](In in) { return loss(in, r); });
  };
}

}  // namespace minima::test
