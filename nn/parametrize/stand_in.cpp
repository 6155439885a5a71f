#include <minima/nn/parametrize/stand_in.h>

#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace minima::nn::detail {

void set_stand_ins(const ModuleBase& root, const std::vector<StandIn>& stand_ins) {
  std::unordered_map<const TensorImpl*, Tensor> found;
  for (const auto& [parameter, other] : stand_ins) found[parameter.impl()] = other;
  Registry::visit(root, [&](const ModuleBase& module) {
    for (Registration& registration : Registry::state(module).registrations) {
      if (registration.kind != Registration::Kind::parameter) continue;
      const auto other = found.find(Registry::tensor_of(module, registration).impl());
      if (other != found.end()) registration.stand_in = other->second;
    }
  });
}

std::string find_stand_in(const ModuleBase& root) {
  std::string name;
  Registry::walk(root, [&](const std::string& path, const ModuleBase& module) {
    for (const Registration& registration : Registry::state(module).registrations)
      if (name.empty() && registration.stand_in.defined()) name = join_path(path, registration.name);
  });
  return name;
}

std::vector<Tensor> own_parameters(const ModuleBase& module) {
  std::vector<Tensor> result;
  Registry::for_each_tensor(module, [&](const Registration& registration, const Tensor& tensor) {
    if (registration.kind == Registration::Kind::parameter) result.push_back(tensor);
  });
  return result;
}

}  // namespace minima::nn::detail
