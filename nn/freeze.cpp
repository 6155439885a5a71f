#include <minima/nn/freeze.h>

#include <minima/nn/module/module_base.h>

#include <cstdint>
#include <string>

namespace minima::nn {

namespace {

std::int64_t set_requires_grad(const ModuleBase& module, const std::string& prefix, bool trainable) {
  std::int64_t count = 0;
  for (NamedTensor& parameter : module.named_parameters()) {
    if (!parameter.name.starts_with(prefix)) continue;
    if (!trainable) parameter.tensor.set_grad(Tensor());
    parameter.tensor.requires_grad(trainable);
    ++count;
  }
  return count;
}

}  // namespace

std::int64_t freeze(const ModuleBase& module, const std::string& prefix) {
  return set_requires_grad(module, prefix, false);
}
std::int64_t unfreeze(const ModuleBase& module, const std::string& prefix) {
  return set_requires_grad(module, prefix, true);
}

}  // namespace minima::nn
