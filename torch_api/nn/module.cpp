#include <torch/nn/module.h>
#include <ATen/ATen.h>
#include <c10/util/Type.h>
#include <torch/serialize/archive.h>
#include <torch/utils.h>

#include <ostream>
#include <typeinfo>
#include <utility>

namespace torch::nn {

namespace {

std::string join_name(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

void check_name(const char* kind, const std::string& name) {
  TORCH_CHECK(!name.empty(), kind, " name must not be empty");
  TORCH_CHECK(name.find('.') == std::string::npos, kind, " name must not contain a dot (got '", name, "')");
}

void insert_defined(const OrderedDict<std::string, Tensor>& source, const std::string& prefix,
                    OrderedDict<std::string, Tensor>& out) {
  for (const auto& item : source)
    if (item->defined()) out.insert(join_name(prefix, item.key()), item.value());
}

/// Gives each defined tensor of `members` what `convert` makes of it; the tensors stay the same.
template <typename Convert>
void replace_data(OrderedDict<std::string, Tensor>& members, Convert convert) {
  NoGradGuard no_grad;
  for (auto& member : members)
    if (member->defined()) member->set_data(convert(*member));
}

void copy_tensors(const OrderedDict<std::string, Tensor>& source, OrderedDict<std::string, Tensor>& target,
                  const std::optional<Device>& device, const char* kind) {
  TORCH_CHECK(target.size() == source.size(), "The cloned module does not have the same number of ", kind,
              "s as the original module after calling reset(). Are you sure you called register_", kind,
              "() inside reset() and not the constructor?");
  for (const auto& item : source)
    if (item->defined())
      target[item.key()].set_data(device && item->device() != *device ? item->to(*device) : item->clone());
}

}  // namespace

void detail::throw_empty_holder() { TORCH_CHECK(false, "Accessing empty ModuleHolder"); }

Module::Module() = default;

Module::Module(std::string name) : name_(std::move(name)) {}

const std::string& Module::name() const noexcept {
  if (!name_) name_ = c10::demangle(typeid(*this).name());
  return *name_;
}

std::shared_ptr<Module> Module::clone(const std::optional<Device>&) const {
  TORCH_CHECK(false, "clone() has not been implemented for ", name(), ". Subclass torch::nn::Cloneable<", name(),
              "> instead of torch::nn::Module to inherit the ability to clone.");
}

/// As in LibTorch, a submodule that is not Cloneable stays as the parent's `reset()` made it.
void Module::clone_(Module&, const std::optional<Device>&) {}

void Module::forget_members() {
  parameters_.clear();
  buffers_.clear();
  children_.clear();
}

void Module::copy_members(const Module& source, const std::optional<Device>& device) {
  NoGradGuard no_grad;
  copy_tensors(source.parameters_, parameters_, device, "parameter");
  copy_tensors(source.buffers_, buffers_, device, "buffer");
  TORCH_CHECK(children_.size() == source.children_.size(),
              "The cloned module does not have the same number of child modules as the original module after calling "
              "reset(). Are you sure you called register_module() inside reset() and not the constructor?");
  for (const auto& child : source.children_) children_[child.key()]->clone_(*child.value(), device);
}

void Module::apply(const ModuleApplyFunction& function) {
  function(*this);
  apply_to_submodules([&](const std::string&, const std::shared_ptr<Module>& module) { function(*module); }, "");
}

void Module::apply(const ConstModuleApplyFunction& function) const {
  function(*this);
  apply_to_submodules([&](const std::string&, const std::shared_ptr<Module>& module) { function(*module); }, "");
}

void Module::apply(const NamedModuleApplyFunction& function, const std::string& name_prefix) {
  function(name_prefix, *this);
  apply_to_submodules([&](const std::string& name, const std::shared_ptr<Module>& module) { function(name, *module); },
                      name_prefix);
}

void Module::apply(const ConstNamedModuleApplyFunction& function, const std::string& name_prefix) const {
  function(name_prefix, *this);
  apply_to_submodules([&](const std::string& name, const std::shared_ptr<Module>& module) { function(name, *module); },
                      name_prefix);
}

void Module::apply(const ModulePointerApplyFunction& function) const {
  function(shared_from_this_checked());
  apply_to_submodules([&](const std::string&, const std::shared_ptr<Module>& module) { function(module); }, "");
}

void Module::apply(const NamedModulePointerApplyFunction& function, const std::string& name_prefix) const {
  function(name_prefix, shared_from_this_checked());
  apply_to_submodules(function, name_prefix);
}

void Module::apply_to_submodules(const NamedModulePointerApplyFunction& function,
                                 const std::string& name_prefix) const {
  for (const auto& child : children_) {
    const std::string name = join_name(name_prefix, child.key());
    function(name, child.value());
    child.value()->apply_to_submodules(function, name);
  }
}

std::vector<Tensor> Module::parameters(bool recurse) const { return named_parameters(recurse).values(); }

OrderedDict<std::string, Tensor> Module::named_parameters(bool recurse) const {
  OrderedDict<std::string, Tensor> result;
  insert_defined(parameters_, "", result);
  if (recurse)
    apply_to_submodules(
        [&](const std::string& name, const std::shared_ptr<Module>& module) {
          insert_defined(module->parameters_, name, result);
        },
        "");
  return result;
}

std::vector<Tensor> Module::buffers(bool recurse) const { return named_buffers(recurse).values(); }

OrderedDict<std::string, Tensor> Module::named_buffers(bool recurse) const {
  OrderedDict<std::string, Tensor> result;
  insert_defined(buffers_, "", result);
  if (recurse)
    apply_to_submodules([&](const std::string& name,
                            const std::shared_ptr<Module>& module) { insert_defined(module->buffers_, name, result); },
                        "");
  return result;
}

std::vector<std::shared_ptr<Module>> Module::modules(bool include_self) const {
  return named_modules("", include_self).values();
}

OrderedDict<std::string, std::shared_ptr<Module>> Module::named_modules(const std::string& name_prefix,
                                                                        bool include_self) const {
  OrderedDict<std::string, std::shared_ptr<Module>> result;
  if (include_self) result.insert(name_prefix, shared_from_this_checked());
  apply_to_submodules(
      [&](const std::string& name, const std::shared_ptr<Module>& module) { result.insert(name, module); },
      name_prefix);
  return result;
}

std::vector<std::shared_ptr<Module>> Module::children() const { return children_.values(); }

OrderedDict<std::string, std::shared_ptr<Module>> Module::named_children() const { return children_; }

void Module::train(bool on) {
  for (auto& child : children_) child.value()->train(on);
  is_training_ = on;
}

void Module::eval() { train(false); }

bool Module::is_training() const noexcept { return is_training_; }

void Module::to(Device device, Dtype dtype, bool non_blocking) {
  for (auto& child : children_) child.value()->to(device, dtype, non_blocking);
  auto convert = [&](const Tensor& tensor) { return tensor.to(device, dtype, non_blocking); };
  replace_data(parameters_, convert);
  replace_data(buffers_, convert);
}

void Module::to(Dtype dtype, bool non_blocking) {
  for (auto& child : children_) child.value()->to(dtype, non_blocking);
  auto convert = [&](const Tensor& tensor) { return tensor.to(dtype, non_blocking); };
  replace_data(parameters_, convert);
  replace_data(buffers_, convert);
}

void Module::to(Device device, bool non_blocking) {
  for (auto& child : children_) child.value()->to(device, non_blocking);
  auto convert = [&](const Tensor& tensor) { return tensor.to(device, tensor.scalar_type(), non_blocking); };
  replace_data(parameters_, convert);
  replace_data(buffers_, convert);
}

void Module::zero_grad(bool set_to_none) {
  for (auto& child : children_) child.value()->zero_grad(set_to_none);
  for (auto& parameter : parameters_) {
    if (!parameter->defined()) continue;
    auto grad = parameter->mutable_grad();
    if (!grad.defined()) continue;
    if (set_to_none) {
      grad.reset();
    } else {
      const Tensor zeros = grad.detach();
      zeros.zero_();
      grad = zeros;
    }
  }
}

void Module::save(serialize::OutputArchive& archive) const {
  for (const auto& parameter : named_parameters(false)) archive.write(parameter.key(), parameter.value());
  for (const auto& buffer : named_buffers(false)) archive.write(buffer.key(), buffer.value(), /*is_buffer=*/true);
  for (const auto& child : children_) {
    if (!child.value()->is_serializable()) continue;
    serialize::OutputArchive child_archive(archive.compilation_unit());
    child.value()->save(child_archive);
    archive.write(child.key(), child_archive);
  }
}

void Module::load(serialize::InputArchive& archive) {
  for (auto& parameter : parameters_)
    if (parameter->defined()) archive.read(parameter.key(), *parameter);
  for (auto& buffer : buffers_)
    if (buffer->defined()) archive.read(buffer.key(), *buffer, /*is_buffer=*/true);
  for (const auto& child : children_) {
    if (!child.value()->is_serializable()) continue;
    serialize::InputArchive child_archive;
    archive.read(child.key(), child_archive);
    child.value()->load(child_archive);
  }
}

bool Module::is_serializable() const { return true; }

Tensor& Module::register_parameter(std::string name, Tensor tensor, bool requires_grad) {
  check_name("Parameter", name);
  if (tensor.defined()) tensor.set_requires_grad(requires_grad);
  else if (requires_grad)
    TORCH_WARN("The parameter '", name,
               "' is an undefined tensor. Ignoring the `requires_grad=true` function parameter");
  return parameters_.insert(std::move(name), std::move(tensor));
}

Tensor& Module::register_buffer(std::string name, Tensor tensor) {
  check_name("Buffer", name);
  return buffers_.insert(std::move(name), std::move(tensor));
}

void Module::insert_module(std::string name, std::shared_ptr<Module> module) {
  check_name("Submodule", name);
  children_.insert(std::move(name), std::move(module));
}

void Module::unregister_module(const std::string& name) {
  TORCH_CHECK(children_.contains(name), "No Module with name `", name, "` is registered");
  children_.erase(name);
}

unsigned int Module::_forward_num_required_args() {
  TORCH_CHECK(false, name(), " has default arguments in `forward` and must say which: use FORWARD_HAS_DEFAULT_ARGS");
}

std::vector<AnyValue> Module::_forward_populate_default_args(std::vector<AnyValue>&&) {
  TORCH_CHECK(false, name(), " has default arguments in `forward` and must say which: use FORWARD_HAS_DEFAULT_ARGS");
}

void Module::pretty_print(std::ostream& stream) const { stream << name(); }

void Module::print(std::ostream& stream, const std::string& indentation) const {
  pretty_print(stream);
  if (children_.is_empty()) return;
  stream << "(\n";
  for (const auto& child : children_) {
    stream << indentation << "  (" << child.key() << "): ";
    child.value()->print(stream, indentation + "  ");
    stream << '\n';
  }
  stream << indentation << ')';
}

std::shared_ptr<Module> Module::shared_from_this_checked() const {
  auto self = weak_from_this().lock();
  TORCH_CHECK(
      self != nullptr,
      "It looks like you attempted to retrieve your top-level module as a shared_ptr, but it is not stored in a "
      "shared_ptr. Use std::make_shared<",
      name(),
      "> instead of creating your module on the stack, or alternatively do not try to access your submodules "
      "at all as a shared_ptr");
  return std::const_pointer_cast<Module>(self);
}

std::ostream& operator<<(std::ostream& stream, const Module& module) {
  module.print(stream, "");
  return stream;
}

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const std::shared_ptr<Module>& module) {
  TORCH_CHECK(module != nullptr, "Cannot serialize empty module");
  module->save(archive);
  return archive;
}

serialize::InputArchive& operator>>(serialize::InputArchive& archive, const std::shared_ptr<Module>& module) {
  TORCH_CHECK(module != nullptr, "Cannot deserialize empty module");
  module->load(archive);
  return archive;
}

}  // namespace torch::nn
