#include <minima/nn/module/module_base.h>
#include <minima/tensor/tensor.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/captured_step/step_signature.h>

#include <utility>
#include <vector>

namespace minima::train {

void CapturedStep::watch(const nn::ModuleBase& module) {
  watched().add(
      [&module] {
        std::vector<Tensor> all = module.parameters();
        for (Tensor& buffer : module.buffers()) all.push_back(std::move(buffer));
        return all;
      },
      [&module](WatchedState& state) {
        for (const nn::NamedModule& inner : module.named_modules()) state.push_back(inner.module->is_training());
      });
}

}  // namespace minima::train
