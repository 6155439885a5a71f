#include <minima/nn/init/defer.h>

#include <minima/nn/module/deferred.h>
#include <minima/nn/module/module_base.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/tensor.h>

#include <utility>

namespace minima::nn::init {

Defer::Defer() : outer_(std::exchange(detail::is_deferring(), true)) {}
Defer::~Defer() { detail::is_deferring() = outer_; }

void materialise(const ModuleBase& net) {
  for (const Tensor& parameter : net.parameters()) {
    const detail::Initialiser* const found = detail::find_deferred(parameter);
    if (!found) continue;
    const detail::Initialiser initialiser = *found;
    detail::give_memory(parameter);
    detail::draw_deferred(reshape(parameter.detach(), {-1}), initialiser, 0, parameter.device());
  }
}

}  // namespace minima::nn::init
