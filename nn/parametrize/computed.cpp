#include <minima/nn/parametrize/computed.h>

#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/parameter.h>
#include <minima/nn/module/registry.h>
#include <minima/nn/module/structure_version.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <string>
#include <vector>

namespace minima::nn::detail {

namespace {

Registration* find(const ModuleBase& module, const std::string& name) {
  using Kind = Registration::Kind;
  for (Registration& registration : Registry::state(module).registrations)
    if (registration.name == name && (registration.kind == Kind::parameter || registration.kind == Kind::computed))
      return &registration;
  return nullptr;
}

}  // namespace

Tensor& parameter_member(const char* op, ModuleBase& module, const std::string& name) {
  const Registration* registration = find(module, name);
  if (!registration) {
    std::string known;
    for (const NamedTensor& parameter : module.named_parameters())
      known += (known.empty() ? "" : ", ") + parameter.name;
    throw ValueError(str(op, ": ", module.type_name(), " has no parameter \"", name, "\" of its own; it has ", known));
  }
  Tensor& member = Registry::tensor_of(module, *registration);
  if (!member.defined()) throw ValueError(str(op, ": the parameter \"", name, "\" is undefined"));
  return member;
}

bool is_computed(const ModuleBase& module, const std::string& name) {
  const Registration* registration = find(module, name);
  return registration && registration->kind == Registration::Kind::computed;
}

void make_computed(ModuleBase& module, const std::string& name, void (*compute)(ModuleBase&, const std::string&)) {
  find(module, name)->kind = Registration::Kind::computed;
  structure_changed();
  // The hook stays when the parametrisation goes, since handles are not kept, and does nothing from then on. It is
  // given the module that is called, so it serves clones, too.
  module.add_forward_pre_hook([name, compute](ModuleBase& called, std::vector<Tensor>&) {
    if (is_computed(called, name)) compute(called, name);
  });
  compute(module, name);
}

void make_parameter(const char* op, ModuleBase& module, const std::string& name, const Parameter& value) {
  if (!Registry::state(module).references.is_one())
    throw ValueError(str(op, ": other copies of the ", module.type_name(),
                         " exist, whose members would keep the computed ", name, "; keep one"));
  Registration& registration = *find(module, name);
  registration.kind = Registration::Kind::parameter;
  structure_changed();
  Registry::tensor_of(module, registration) = value;
}

}  // namespace minima::nn::detail
