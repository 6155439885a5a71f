#include <minima/optim/elementwise/adadelta.h>
#include <minima/optim/elementwise/adadelta_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/adagrad.h>
#include <minima/optim/elementwise/adagrad_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/adamax.h>
#include <minima/optim/elementwise/adamax_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/asgd.h>
#include <minima/optim/elementwise/asgd_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/lion.h>
#include <minima/optim/elementwise/lion_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/nadam.h>
#include <minima/optim/elementwise/nadam_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/radam.h>
#include <minima/optim/elementwise/radam_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/rmsprop.h>
#include <minima/optim/elementwise/rmsprop_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/rprop.h>
#include <minima/optim/elementwise/rprop_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/sign_sgd.h>
#include <minima/optim/elementwise/sign_sgd_rule.h>  // IWYU pragma: keep
#include <minima/optim/elementwise_optimizer.h>
#include <minima/optim/elementwise_optimizer_impl.h>  // IWYU pragma: keep
#include <minima/optim/grouped.h>
#include <minima/tensor/base/check_option.h>

// The CPU code of the elementwise optimizers but for those of adam_and_sgd.cpp; rules_cuda.cu holds the kernels.

namespace minima::optim {

void ASGDOptions::validate() const {
  detail::expect(lambd >= 0, "lambd must not be negative", lambd);
  detail::expect(alpha >= 0, "alpha must not be negative", alpha);
  detail::expect(t0 >= 0, "t0 must not be negative", t0);
}

void RpropOptions::validate() const {
  detail::expect(eta_minus > 0 && eta_minus < 1, "eta_minus must be in (0, 1)", eta_minus);
  detail::expect(eta_plus > 1, "eta_plus must be above 1", eta_plus);
  minima::detail::check_number("optimizer", "smallest_step", smallest_step, minima::detail::from_to(0, largest_step));
}

template class Grouped<AdadeltaOptions>;
template class ElementwiseOptimizer<AdadeltaOptions>;
template class Grouped<AdagradOptions>;
template class ElementwiseOptimizer<AdagradOptions>;
template class Grouped<AdamaxOptions>;
template class ElementwiseOptimizer<AdamaxOptions>;
template class Grouped<ASGDOptions>;
template class ElementwiseOptimizer<ASGDOptions>;
template class Grouped<LionOptions>;
template class ElementwiseOptimizer<LionOptions>;
template class Grouped<NAdamOptions>;
template class ElementwiseOptimizer<NAdamOptions>;
template class Grouped<RAdamOptions>;
template class ElementwiseOptimizer<RAdamOptions>;
template class Grouped<RMSpropOptions>;
template class ElementwiseOptimizer<RMSpropOptions>;
template class Grouped<RpropOptions>;
template class ElementwiseOptimizer<RpropOptions>;
template class Grouped<SignSGDOptions>;
template class ElementwiseOptimizer<SignSGDOptions>;

}  // namespace minima::optim
