#include <minima/train/batch_norm_statistics.h>

#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/nn/module/structure_version.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/pointwise/arithmetic.h>

namespace minima::detail {

BatchNormPass::BatchNormPass(nn::ModuleBase& net) {
  for (const auto& [path, module] : net.named_modules()) {
    modes_.push_back({module, module->is_training()});
    auto* const norm = module->as<nn::BatchNorm>();
    if (!norm) continue;
    momenta_.push_back({norm, norm->options.momentum});
    if (!norm->running_mean.defined()) continue;
    zero_(norm->running_mean);
    fill_(norm->running_var, 1);
    if (norm->num_batches_tracked.defined()) zero_(norm->num_batches_tracked);
  }
  net.train();
}

BatchNormPass::~BatchNormPass() {
  for (const auto& [norm, value] : momenta_) norm->options.momentum = value;
  for (const auto& [module, was_training] : modes_) nn::detail::Registry::state(*module).is_training = was_training;
  nn::detail::structure_changed();
}

void BatchNormPass::next_batch() {
  ++count_;
  for (const auto& [norm, value] : momenta_) norm->options.momentum = 1 / static_cast<double>(count_);
}

}  // namespace minima::detail
