#include <minima/optim/elementwise/all_rules.h>  // IWYU pragma: keep
#include <minima/optim/elementwise/asgd.h>
#include <minima/optim/elementwise/rprop.h>
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

#define MINIMA_INSTANTIATE(name)         \
  template class Grouped<name##Options>; \
  template class ElementwiseOptimizer<name##Options>;
MINIMA_EACH_ELEMENTWISE_OPTIMIZER(MINIMA_INSTANTIATE)
#undef MINIMA_INSTANTIATE

}  // namespace minima::optim
