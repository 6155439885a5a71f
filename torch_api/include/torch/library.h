#pragma once

#include <c10/core/DispatchKey.h>

#include <string>
#include <string_view>

// There is no dispatcher: operators are plain functions. Registration compiles, so that headers with both operators and
// their registration can be used, and throws when it would run.

namespace torch {

namespace detail {
[[noreturn]] void refuse_registration(std::string_view what);
}

/// A kernel to be registered.
class CppFunction {
 public:
  CppFunction() = default;
  template <class F>
  CppFunction(F&&) {}
};

template <class... Args>
CppFunction dispatch(Args&&...) {
  return {};
}

class Library {
 public:
  enum Kind { DEF, IMPL, FRAGMENT };
  Library(Kind kind, std::string_view name);
  template <class... Args>
  Library(Kind kind, std::string name, Args&&...) : Library(kind, name) {}

  template <class... Args>
  Library& def(std::string_view what, Args&&...) & {
    detail::refuse_registration(what);
  }
  template <class... Args>
  Library& impl(std::string_view what, Args&&...) & {
    detail::refuse_registration(what);
  }
  template <class F>
  Library& fallback(F&&) & {
    detail::refuse_registration("fallback");
  }
};

}  // namespace torch

#define MINIMA_TORCH_CONCATENATE_(a, b) a##b
#define MINIMA_TORCH_CONCATENATE(a, b) MINIMA_TORCH_CONCATENATE_(a, b)
/// The body of a registration, which is compiled and never run.
#define TORCH_LIBRARY(ns, m) [[maybe_unused]] static void minima_torch_library_##ns(torch::Library& m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) \
  [[maybe_unused]] static void MINIMA_TORCH_CONCATENATE(minima_torch_fragment_##ns, __COUNTER__)(torch::Library & m)
#define TORCH_LIBRARY_IMPL(ns, key, m) \
  [[maybe_unused]] static void MINIMA_TORCH_CONCATENATE(minima_torch_impl_##ns##_##key, __COUNTER__)(torch::Library & m)
#define MAKE_TORCH_LIBRARY(ns) torch::Library(torch::Library::DEF, #ns)
#define MAKE_TORCH_LIBRARY_IMPL(ns, key) torch::Library(torch::Library::IMPL, #ns)
#define TORCH_FN(function) (&(function))
#define TORCH_SELECTIVE_NAME(name) name
#define TORCH_SELECTIVE_SCHEMA(schema) schema
