#include <minima/nn/module/module_base.h>

#include <minima/nn/module/member.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/registry.h>
#include <minima/nn/module/structure_version.h>
#include <minima/tensor/base/type_name.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <cstdlib>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace minima::nn {

using detail::Registration;
using detail::Registry;
using detail::structure_changed;

ModuleBase::ModuleBase() : state_(new detail::ModuleState) { structure_changed(); }

ModuleBase::ModuleBase(const ModuleBase& other) : Member(other), state_(other.state_) {
  structure_changed();
  if (!state_) return;
  Registry::settle(other);
  Registry::retain(state_);
}

ModuleBase::ModuleBase(ModuleBase&& other) noexcept : Member(other), state_(other.state_) {
  structure_changed();
  if (!state_) return;
  Registry::settle(other);
  other.state_ = nullptr;
}

ModuleBase& ModuleBase::operator=(const ModuleBase& other) {
  if (this == &other) return *this;
  Member::operator=(other);
  if (other.state_) Registry::settle(other);
  Registry::retain(other.state_);
  Registry::set_state(*this, other.state_);
  return *this;
}

ModuleBase& ModuleBase::operator=(ModuleBase&& other) noexcept {
  if (this == &other) return *this;
  Member::operator=(other);
  if (other.state_) Registry::settle(other);
  Registry::set_state(*this, std::exchange(other.state_, nullptr));
  return *this;
}

ModuleBase::~ModuleBase() {
  structure_changed();
  Registry::release(state_);
}

void ModuleBase::register_member(detail::Member& member, const std::string& name, detail::EachChild each) {
  Registry::register_member(
      *this, member,
      {.name = name, .kind = each ? Registration::Kind::group : Registration::Kind::module, .each = each});
}

namespace {

/// The tensors of the wanted kinds, each under its first name.
template <class Wanted>
std::vector<NamedTensor> distinct_tensors(const ModuleBase& root, Wanted wanted) {
  std::vector<NamedTensor> result;
  std::unordered_set<const TensorImpl*> seen;
  Registry::walk(root, [&](const std::string& path, const ModuleBase& module) {
    Registry::for_each_tensor(module, [&](const Registration& registration, const Tensor& tensor) {
      if (wanted(registration.kind) && seen.insert(tensor.impl()).second)
        result.push_back({detail::join_path(path, registration.name), tensor});
    });
  });
  return result;
}

bool is_parameter(Registration::Kind kind) { return kind == Registration::Kind::parameter; }
bool is_buffer(Registration::Kind kind) { return kind != Registration::Kind::parameter; }

std::vector<Tensor> without_names(std::vector<NamedTensor> named) {
  std::vector<Tensor> tensors;
  tensors.reserve(named.size());
  for (NamedTensor& entry : named) tensors.push_back(std::move(entry.tensor));
  return tensors;
}

}  // namespace

Parameter ModuleBase::parameter(const std::string& name, Parameter value) {
  Registry::register_member(*this, value, {.name = name, .kind = Registration::Kind::parameter});
  return value;
}

Buffer ModuleBase::buffer(const std::string& name, Buffer value, bool persistent) {
  const Registration::Kind kind = persistent ? Registration::Kind::buffer : Registration::Kind::transient_buffer;
  Registry::register_member(*this, value, {.name = name, .kind = kind});
  return value;
}

Parameter& ModuleBase::register_parameter(const std::string& name, Parameter& member) {
  return member = parameter(name, member);
}

Buffer& ModuleBase::register_buffer(const std::string& name, Buffer& member) { return member = buffer(name, member); }

Parameter ModuleBase::register_parameter(const std::string& name, Parameter&& value) {
  Registry::register_member(*this, value, {.name = name, .kind = Registration::Kind::parameter});
  return std::move(value);
}

Buffer ModuleBase::register_buffer(const std::string& name, Buffer&& value) {
  Registry::register_member(*this, value, {.name = name, .kind = Registration::Kind::buffer});
  return std::move(value);
}

std::vector<NamedTensor> ModuleBase::named_parameters() const { return distinct_tensors(*this, is_parameter); }
std::vector<NamedTensor> ModuleBase::named_buffers() const { return distinct_tensors(*this, is_buffer); }
std::vector<Tensor> ModuleBase::parameters() const { return without_names(named_parameters()); }
std::vector<Tensor> ModuleBase::buffers() const { return without_names(named_buffers()); }

std::vector<NamedModule> ModuleBase::children() const {
  std::vector<NamedModule> result;
  std::unordered_set<const void*> seen;
  Registry::for_each_child(*this, [&](const std::string& name, ModuleBase& child) {
    if (seen.insert(&Registry::state(child)).second) result.push_back({name, &child});
  });
  return result;
}

std::vector<NamedModule> ModuleBase::named_modules() const {
  std::vector<NamedModule> result;
  std::unordered_set<const void*> seen;
  Registry::walk(*this, [&](const std::string& path, ModuleBase& module) {
    if (seen.insert(&Registry::state(module)).second) result.push_back({path, &module});
  });
  return result;
}

std::vector<ModuleBase*> ModuleBase::inner_first() const {
  std::vector<ModuleBase*> result;
  std::unordered_set<const void*> seen;
  const auto visit = [&](auto& self, ModuleBase& module) -> void {
    if (!seen.insert(&Registry::state(module)).second) return;
    Registry::for_each_child(module, [&](const std::string&, ModuleBase& child) { self(self, child); });
    result.push_back(&module);
  };
  visit(visit, const_cast<ModuleBase&>(*this));
  return result;
}

std::string ModuleBase::type_name() const { return minima::detail::short_type_name(typeid(*this).name()); }

void ModuleBase::train(bool on) {
  Registry::walk(*this, [on](const std::string&, ModuleBase& module) { Registry::state(module).is_training = on; });
  structure_changed();
}

bool ModuleBase::is_training() const { return Registry::state(*this).is_training; }

void ModuleBase::requires_grad(bool on) {
  for (Tensor& parameter : parameters()) parameter.requires_grad(on);
}

void ModuleBase::zero_grad() const {
  for (const Tensor& parameter : parameters()) parameter.zero_grad();
}

}  // namespace minima::nn
