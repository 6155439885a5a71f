#include <torch/nn/modules/container/any.h>

namespace torch::nn {

void detail::throw_wrong_argument(std::size_t index, const std::type_info& expected, const std::type_info& actual) {
  TORCH_CHECK(false, "Expected argument #", index, " to be of type ", c10::demangle(expected.name()),
              ", but received value of type ", c10::demangle(actual.name()));
}

AnyModule AnyModule::clone(std::optional<Device> device) const {
  AnyModule copy;
  if (module_) copy.module_ = module_->clone(device);
  copy.type_ = type_;
  return copy;
}

AnyValue AnyModule::call(std::vector<AnyValue> arguments) {
  check_not_empty("forward");
  const std::size_t count = arguments.size(), expected = type_->num_arguments;
  const std::string name = c10::demangle(type_->module.name());
  if (module_->_forward_has_default_args()) {
    const unsigned int required = module_->_forward_num_required_args();
    TORCH_CHECK(count >= required && count <= expected, name, "'s forward() method expects at least ", required,
                " argument(s) and at most ", expected, " argument(s), but received ", count, ".");
    arguments = module_->_forward_populate_default_args(std::move(arguments));
  }
  TORCH_CHECK(arguments.size() == expected, name, "'s forward() method expects ", expected,
              " argument(s), but received ", count, ".",
              count < expected ? " If " + name +
                                     "'s forward() method has default arguments, please make sure the forward() method "
                                     "is declared with a corresponding `FORWARD_HAS_DEFAULT_ARGS` macro."
                               : "");
  return type_->forward(*module_, arguments);
}

std::shared_ptr<Module> AnyModule::ptr() const {
  check_not_empty("ptr");
  return module_;
}

const std::type_info& AnyModule::type_info() const {
  check_not_empty("type_info");
  return type_->module;
}

void AnyModule::check_not_empty(const char* function) const {
  TORCH_CHECK(!is_empty(), "Cannot call ", function, "() on an empty AnyModule");
}

void AnyModule::check_type(const char* function, const std::type_info& wanted) const {
  check_not_empty(function);
  TORCH_CHECK(type_->module == wanted, "Attempted to cast module of type ", c10::demangle(type_->module.name()),
              " to type ", c10::demangle(wanted.name()));
}

}  // namespace torch::nn
