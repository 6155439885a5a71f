#include <minima/nn/parametrize/stand_in.h>

#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace minima::nn::detail {

void set_stand_ins(const ModuleBase& root, const std::vector<StandIn>& stand_ins) {
  std::unordered_map<const TensorImpl*, const StandIn*> found;
  for (const StandIn& stand_in : stand_ins) found[stand_in.parameter.impl()] = &stand_in;
  Registry::visit(root, [&](const ModuleBase& module) {
    for (Registration& registration : Registry::state(module).registrations) {
      if (registration.kind != Registration::Kind::parameter) continue;
      const auto other = found.find(Registry::tensor_of(module, registration).impl());
      if (other == found.end()) continue;
      registration.stand_in = other->second->other;
      registration.whole = other->second->whole;
      registration.begin = other->second->begin;
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

State whole_state(const ModuleBase& root) {
  const State parts = root.state_dict();
  std::unordered_map<std::string, Shape> shapes;
  Registry::walk(root, [&](const std::string& path, const ModuleBase& module) {
    for (const Registration& registration : Registry::state(module).registrations)
      if (registration.stand_in.defined()) shapes[join_path(path, registration.name)] = registration.whole;
  });
  State state;
  for (const auto& [name, tensor] : parts.tensors()) {
    const auto whole = shapes.find(name);
    state.add(name, whole == shapes.end()
                        ? tensor
                        : expand(empty({}, {.dtype = tensor.dtype(), .device = tensor.device()}), whole->second));
  }
  return state;
}

std::vector<Tensor> own_parameters(const ModuleBase& module) {
  std::vector<Tensor> result;
  Registry::for_each_tensor(module, [&](const Registration& registration, const Tensor& tensor) {
    if (registration.kind == Registration::Kind::parameter) result.push_back(tensor);
  });
  return result;
}

}  // namespace minima::nn::detail
