#pragma once

#include "tests/ops/checks/op_cases.h"

#include <string>
#include <utility>

// The reductions that are recorded with PyTorch's results over three choices of dimensions.

namespace minima::test {

/// Adds the recordings `name`.all, .1 and .0_2, of tensors of rank 3: `reduce(x, dims)` over all dimensions, over 1 and
/// over 0 and 2. In `python` the dimensions are `d`: "x.sum(d)".
template <class F>
auto recorded_dims(std::string name, std::string python, F reduce) {
  return [name = std::move(name), python = std::move(python), reduce](OpCases& cases) {
    struct Choice {
      const char *tag, *list;
      Shape dims;
    };
    for (const Choice& choice : {Choice{"all", "0, 1, 2", {}}, Choice{"1", "1", {1}}, Choice{"0_2", "0, 2", {0, 2}}})
      cases.recorded(name + "." + choice.tag, std::string("lambda x, d=[") + choice.list + "]: " + python,
                     [reduce, dims = choice.dims](In in) { return reduce(in[0], dims); });
  };
}

}  // namespace minima::test
