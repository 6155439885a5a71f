#pragma once

#include <torch/detail/static.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/any_value.h>

#include <cstddef>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace torch::nn::detail {

/// Describes the type of an AnyModule's module: one constant per type.
struct AnyModuleType {
  const std::type_info& module;
  std::size_t num_arguments;
  AnyValue (*forward)(Module& module, std::vector<AnyValue>& arguments);
};

[[noreturn]] void throw_wrong_argument(std::size_t index, const std::type_info& expected, const std::type_info& actual);

template <typename T>
std::decay_t<T>&& any_argument(std::vector<AnyValue>& arguments, std::size_t index) {
  using Value = std::decay_t<T>;
  if (Value* value = arguments[index].try_get<Value>()) return std::move(*value);
  throw_wrong_argument(index, typeid(Value), arguments[index].type_info());
}

template <typename M, typename Return, typename... Arguments>
const AnyModuleType* make_any_module_type() {
  static_assert(torch::detail::check_not_lvalue_references<Arguments...>(),
                "Modules stored inside AnyModule must not take references. Use pointers instead.");
  static_assert(!std::is_void_v<Return>,
                "AnyModule cannot store modules that return void (you can return a dummy value).");
  static constexpr auto forward = [](Module& module, std::vector<AnyValue>& arguments) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return AnyValue(dynamic_cast<M&>(module).forward(any_argument<Arguments>(arguments, I)...));
    }(std::index_sequence_for<Arguments...>());
  };
  static const AnyModuleType type{typeid(M), sizeof...(Arguments), forward};
  return &type;
}

template <typename M, typename Class, typename Return, typename... Arguments>
const AnyModuleType* any_module_type(Return (Class::*)(Arguments...)) {
  return make_any_module_type<M, Return, Arguments...>();
}
template <typename M, typename Class, typename Return, typename... Arguments>
const AnyModuleType* any_module_type(Return (Class::*)(Arguments...) const) {
  return make_any_module_type<M, Return, Arguments...>();
}

}  // namespace torch::nn::detail
