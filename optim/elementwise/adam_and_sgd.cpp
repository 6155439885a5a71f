#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/adam_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/elementwise/sgd_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise_optimizer.h>
#include <minima/optim/elementwise_optimizer_impl.h>  // IWYU pragma: keep
#include <minima/optim/grouped.h>

// The CPU code of the optimizers that first trainings use, which are built without the others.

namespace minima::optim {

template class Grouped<AdamOptions>;
template class ElementwiseOptimizer<AdamOptions>;
template class Grouped<AdamWOptions>;
template class ElementwiseOptimizer<AdamWOptions>;
template class Grouped<SGDOptions>;
template class ElementwiseOptimizer<SGDOptions>;

}  // namespace minima::optim
