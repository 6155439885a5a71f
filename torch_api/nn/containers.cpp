#include <ATen/ATen.h>
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/container/moduledict.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/container/parameterdict.h>
#include <torch/nn/modules/container/parameterlist.h>
#include <torch/nn/modules/container/sequential.h>

#include <ostream>

namespace torch::nn {

// ---- Sequential ----

SequentialImpl::SequentialImpl(OrderedDict<std::string, AnyModule>&& modules) {
  modules_.reserve(modules.size());
  for (auto& item : modules) push_back(item.key(), std::move(item.value()));
}

SequentialImpl::SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
  modules_.reserve(modules.size());
  for (const auto& item : modules) push_back(item.name(), item.module());
}

/// Differs from LibTorch in that the clone keeps the modules' names.
std::shared_ptr<Module> SequentialImpl::clone(const std::optional<Device>& device) const {
  auto copy = std::make_shared<SequentialImpl>();
  const auto names = named_children().keys();
  for (std::size_t i = 0; i < modules_.size(); ++i) copy->push_back(names[i], modules_[i].clone(device));
  return copy;
}

void SequentialImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::Sequential"; }

void SequentialImpl::push_back(AnyModule module) { push_back(std::to_string(size()), std::move(module)); }

void SequentialImpl::push_back(std::string name, AnyModule module) {
  register_module(std::move(name), module.ptr());
  modules_.push_back(std::move(module));
}

Sequential::Sequential(std::initializer_list<NamedAnyModule> modules)
    : ModuleHolder(std::shared_ptr<SequentialImpl>(std::make_shared<SequentialImpl>(modules))) {}

AnyValue SequentialImpl::forward_rest(AnyValue value) {
  for (std::size_t i = 1; i < modules_.size(); ++i) value = modules_[i].any_forward(std::move(value));
  return value;
}

std::size_t SequentialImpl::check_index(std::size_t index) const {
  TORCH_CHECK(index < size(), "Index out of range");
  return index;
}

// ---- ModuleList, ModuleDict ----

void detail::throw_wrong_module(const std::string& key, const std::type_info& wanted) {
  TORCH_CHECK(false, "Unable to cast module[", key, "] to ", c10::demangle(wanted.name()));
}

std::shared_ptr<Module> ModuleListImpl::clone(const std::optional<Device>& device) const {
  auto copy = std::make_shared<ModuleListImpl>();
  for (const auto& module : modules_) copy->push_back(module->clone(device));
  return copy;
}

void ModuleListImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::ModuleList"; }

void ModuleListImpl::push_back(std::shared_ptr<Module> module) {
  register_module(std::to_string(size()), module);
  modules_.push_back(std::move(module));
}

void ModuleListImpl::insert(std::size_t index, std::shared_ptr<Module> module) {
  TORCH_CHECK(index <= size(), "Index out of range");
  if (index == size()) return push_back(std::move(module));
  push_back(modules_.back());
  modules_.insert(modules_.begin() + static_cast<std::ptrdiff_t>(index), std::move(module));
  modules_.pop_back();
  for (std::size_t i = index; i < size(); ++i) replace_module(std::to_string(i), modules_[i]);
}

std::shared_ptr<Module> ModuleListImpl::ptr(std::size_t index) const {
  TORCH_CHECK(index < size(), "Index out of range");
  return modules_[index];
}

ModuleDictImpl::ModuleDictImpl(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules) {
  update(modules);
}

ModuleDictImpl::ModuleDictImpl(const Dict& modules) { update(modules); }

void ModuleDictImpl::update(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules) {
  for (const auto& [key, module] : modules) insert(key, module);
}

std::vector<std::pair<std::string, std::shared_ptr<Module>>> ModuleDictImpl::items() const { return modules_.pairs(); }

std::vector<std::string> ModuleDictImpl::keys() const { return modules_.keys(); }

std::vector<std::shared_ptr<Module>> ModuleDictImpl::values() const { return modules_.values(); }

void ModuleDictImpl::clear() { modules_.clear(); }

std::shared_ptr<Module> ModuleDictImpl::clone(const std::optional<Device>& device) const {
  auto copy = std::make_shared<ModuleDictImpl>();
  for (const auto& item : modules_) copy->insert(item.key(), item.value()->clone(device));
  return copy;
}

void ModuleDictImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::ModuleDict"; }

std::shared_ptr<Module> ModuleDictImpl::pop(const std::string& key) {
  auto module = modules_[key];
  modules_.erase(key);
  return module;
}

void ModuleDictImpl::insert(const std::string& key, std::shared_ptr<Module> module) {
  if (contains(key)) {
    replace_module(key, module);
    modules_[key] = std::move(module);
  } else {
    register_module(key, module);
    modules_.insert(key, std::move(module));
  }
}

// ---- ParameterList, ParameterDict ----

namespace {

void print_parameters(std::ostream& stream, const char* name, const OrderedDict<std::string, Tensor>& parameters) {
  stream << name << "(\n";
  for (const auto& item : parameters)
    stream << '(' << item.key() << "): Parameter containing: [" << item->scalar_type() << " of size " << item->sizes()
           << "]\n";
  stream << ')';
}

}  // namespace

void ParameterListImpl::pretty_print(std::ostream& stream) const {
  print_parameters(stream, "torch::nn::ParameterList", parameters_);
}

void ParameterListImpl::append(const Tensor& parameter) {
  register_parameter(std::to_string(size()), parameter, parameter.requires_grad());
}

Tensor& ParameterListImpl::at(std::size_t index) {
  TORCH_CHECK(index < size(), "Index out of range");
  return parameters_[std::to_string(index)];
}

ParameterDictImpl::ParameterDictImpl(const OrderedDict<std::string, Tensor>& parameters) { parameters_ = parameters; }

std::vector<std::string> ParameterDictImpl::keys() const { return parameters_.keys(); }

std::vector<Tensor> ParameterDictImpl::values() const { return parameters_.values(); }

void ParameterDictImpl::clear() { parameters_.clear(); }

void ParameterDictImpl::pretty_print(std::ostream& stream) const {
  print_parameters(stream, "torch::nn::ParameterDict", parameters_);
}

Tensor& ParameterDictImpl::insert(const std::string& key, const Tensor& parameter) {
  return register_parameter(key, parameter, parameter.requires_grad());
}

Tensor ParameterDictImpl::pop(const std::string& key) {
  Tensor parameter = parameters_[key];
  parameters_.erase(key);
  return parameter;
}

// ---- Functional ----

FunctionalImpl::FunctionalImpl(Function function) : function_(std::move(function)) {}

void FunctionalImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::Functional()"; }

Tensor FunctionalImpl::forward(Tensor input) { return function_(std::move(input)); }

}  // namespace torch::nn
