#include <minima/optim/averaging/average_rule.h>
#include <minima/optim/elementwise/all_rules.h>
#include <minima/optim/structured/lamb_rule.h>
#include <minima/optim/update/multi_tensor.cuh>

#include <array>
#include <cstddef>
#include <variant>

// The kernels of every rule.

namespace minima::optim::detail {

using UpdateFunction = void (*)(const TensorUpdate* const*, std::size_t, StepControl);

/// Refers to the kernels of a rule, or of those among which an optimizer's options choose, and so makes them. nvcc does
/// not look for kernels in initialisers of static members.
template <class Rule> struct Kernels {
  static UpdateFunction all() { return update_on_cuda<Rule>; }
};
template <class... Rules> struct Kernels<std::variant<Rules...>> {
  static std::array<UpdateFunction, sizeof...(Rules)> all() { return {update_on_cuda<Rules>...}; }
};

#define MINIMA_INSTANTIATE(name) template struct Kernels<decltype(rule_for(name##Options{}))>;
MINIMA_EACH_ELEMENTWISE_OPTIMIZER(MINIMA_INSTANTIATE)
MINIMA_INSTANTIATE(Adam)
MINIMA_INSTANTIATE(SGD)
#undef MINIMA_INSTANTIATE
template struct Kernels<rules::Average>;
template struct Kernels<rules::LambDirection>;

}  // namespace minima::optim::detail
