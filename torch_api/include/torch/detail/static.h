#pragma once

#include <type_traits>
#include <utility>

namespace torch::nn {
class Module;
}  // namespace torch::nn

namespace torch::detail {

/// Whether `T` has a member `forward` that is neither overloaded nor a template.
template <typename T>
    struct has_forward : std::bool_constant < requires {
  &T::forward;
}>{};

/// Whether no type is a reference through which the caller's variable could change.
template <typename... Ts>
constexpr bool check_not_lvalue_references() {
  return ((!std::is_lvalue_reference_v<Ts> || std::is_const_v<std::remove_reference_t<Ts>>) && ...);
}

template <typename M>
using is_module = std::is_base_of<nn::Module, std::decay_t<M>>;

template <typename M, typename T = void>
using enable_if_module_t = std::enable_if_t<is_module<M>::value, T>;

/// The base of every `ModuleHolder<M>`.
struct ModuleHolderIndicator {};

template <typename T>
using is_module_holder = std::is_base_of<ModuleHolderIndicator, std::decay_t<T>>;

template <typename T>
using disable_if_module_holder_t = std::enable_if_t<!is_module_holder<T>::value>;

/// Whether `T` is a holder of `C`.
template <typename T, typename C>
struct is_module_holder_of : std::false_type {};

template <typename T, typename C>
requires(is_module_holder<T>::value)
struct is_module_holder_of<T, C> : std::is_same<typename std::decay_t<T>::ContainedType, std::decay_t<C>> {};

/// The type that `forward` of a `C` returns for these arguments; void if there is no such call. Differs from LibTorch
/// in that `forward` may be overloaded or a template, so that a `Sequential` can be called like any other module.
template <typename C, typename... Args>
struct return_type_of_forward {
  using type = void;
};

template <typename C, typename... Args>
requires requires(C& module, Args&&... args) { module.forward(std::forward<Args>(args)...); }
struct return_type_of_forward<C, Args...> {
  using type = decltype(std::declval<C&>().forward(std::declval<Args>()...));
};

template <typename C, typename... Args>
using return_type_of_forward_t = typename return_type_of_forward<C, Args...>::type;

}  // namespace torch::detail
