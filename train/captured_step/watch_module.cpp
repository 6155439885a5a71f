#include <minima/nn/module/module_base.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/tensor.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/captured_step/step_signature.h>

#include <vector>

namespace minima::train {

using nn::detail::Registry;

void CapturedStep::watch(const nn::ModuleBase& module) {
  watched().add([&module](std::vector<const Tensor*>& tensors, WatchedState& switches) {
    Registry::visit(module, [&](const nn::ModuleBase& inner) {
      switches.push_back(inner.is_training());
      Registry::for_each_place(inner, [&](const auto&, const Tensor& tensor) { tensors.push_back(&tensor); });
    });
  });
}

}  // namespace minima::train
