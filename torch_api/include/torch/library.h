#pragma once

#include <c10/core/DispatchKey.h>
#include <c10/core/SymInt.h>
#include <torch/core/tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

// Operators of the program's own under names, with kernels for devices, gradients and autocast. They are called by
// c10::Dispatcher (ATen/core/dispatch/Dispatcher.h). A call takes the first kernel that applies among Autocast,
// Autograd, ADInplaceOrView, the tensors' device, CompositeExplicitAutograd and CompositeImplicitAutograd, but for keys
// that a guard on this thread leaves out. The operators of the library itself are plain functions and not among them.

namespace torch {

namespace detail {

enum class KernelKind : std::uint8_t { function, fallthrough, not_implemented, not_implemented_view };

template <class F>
struct SignatureOf : SignatureOf<decltype(&F::operator())> {};
template <class R, class... Args>
struct SignatureOf<R(Args...)> {
  using type = R(Args...);
};
template <class R, class... Args>
struct SignatureOf<R (*)(Args...)> : SignatureOf<R(Args...)> {};
template <class F, class R, class... Args>
struct SignatureOf<R (F::*)(Args...)> : SignatureOf<R(Args...)> {};
template <class F, class R, class... Args>
struct SignatureOf<R (F::*)(Args...) const> : SignatureOf<R(Args...)> {};

/// A kernel takes sizes as numbers, whether it says so or not.
template <class T>
using Plain = std::conditional_t<std::is_same_v<T, c10::SymInt>, std::int64_t, T>;

}  // namespace detail

/// A kernel to be registered: a function or an object that can be called, whose arguments have definite types.
class CppFunction {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, CppFunction>>>
  CppFunction(F&& f) : CppFunction(std::function<typename detail::SignatureOf<std::decay_t<F>>::type>(f)) {}
  template <class R, class... Args>
  CppFunction(std::function<R(Args...)> f)
      : function_(std::make_shared<std::function<R(detail::Plain<Args>...)>>(std::move(f))),
        signature_(&typeid(R(detail::Plain<Args>...))) {}
  explicit CppFunction(detail::KernelKind kind) : kind_(kind) {}

  /// The operator behaves as if it had no kernel for the key.
  static CppFunction makeFallthrough() { return CppFunction(detail::KernelKind::fallthrough); }

  detail::KernelKind kind() const { return kind_; }
  /// The std::function, and the type of what it calls; null for kinds without.
  const void* function() const { return function_.get(); }
  const std::type_info* signature() const { return signature_; }

 private:
  friend class Library;

  std::shared_ptr<const void> function_;
  const std::type_info* signature_ = nullptr;
  detail::KernelKind kind_ = detail::KernelKind::function;
  c10::DispatchKey key_ = c10::DispatchKey::Undefined;
};

/// The kernel for a key other than the library's.
template <class F>
CppFunction dispatch(c10::DispatchKey key, F&& f);

/// Registers operators and kernels of one namespace, until it is destroyed. Throws c10::Error for names of another
/// namespace, malformed schemas, and what is registered already.
class Library {
 public:
  enum Kind { DEF, IMPL, FRAGMENT };
  Library(Kind kind, std::string name, c10::DispatchKey key = c10::DispatchKey::Undefined);
  Library(Library&&) noexcept = default;
  Library& operator=(Library&&) = delete;
  ~Library();

  /// An operator by its schema, `name(Tensor a, Tensor(b!) c) -> Tensor`, or by name alone. With a kernel, one for all
  /// keys: an operator that consists of functions of tensors, and is differentiated through them.
  Library& def(std::string_view schema) &;
  Library& def(std::string_view schema, CppFunction kernel) &;
  /// A kernel for the library's key, or the kernel's own. The operator may be defined later.
  Library& impl(std::string_view name, CppFunction kernel) &;
  Library& impl(std::string_view name, c10::DispatchKey key, CppFunction kernel) &;
  /// Throws: kernels for all operators at once do not exist here.
  Library& fallback(const CppFunction& kernel) &;

 private:
  std::string qualified(std::string_view name) const;

  std::string namespace_;
  c10::DispatchKey key_;
  std::vector<std::function<void()>> undo_;

  template <class F>
  friend CppFunction dispatch(c10::DispatchKey key, F&& f);
  static void set_key(CppFunction& kernel, c10::DispatchKey key) { kernel.key_ = key; }
};

template <class F>
CppFunction dispatch(c10::DispatchKey key, F&& f) {
  CppFunction kernel(std::forward<F>(f));
  Library::set_key(kernel, key);
  return kernel;
}

namespace detail {

/// Registers before main.
struct LibraryBlock {
  LibraryBlock(Library::Kind kind, const char* name, c10::DispatchKey key, void (*body)(Library&))
      : library(kind, name, key) {
    body(library);
  }

  Library library;
};

}  // namespace detail

}  // namespace torch

#define MINIMA_TORCH_CONCATENATE_(a, b) a##b
#define MINIMA_TORCH_CONCATENATE(a, b) MINIMA_TORCH_CONCATENATE_(a, b)
#define MINIMA_TORCH_BLOCK(kind, ns, key, name, m)                                                \
  static void MINIMA_TORCH_CONCATENATE(name, _body)(torch::Library & m);                          \
  static const torch::detail::LibraryBlock name(torch::Library::kind, #ns, c10::DispatchKey::key, \
                                                &MINIMA_TORCH_CONCATENATE(name, _body));          \
  static void MINIMA_TORCH_CONCATENATE(name, _body)([[maybe_unused]] torch::Library & m)
#define TORCH_LIBRARY(ns, m) MINIMA_TORCH_BLOCK(DEF, ns, Undefined, minima_torch_library_##ns, m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) \
  MINIMA_TORCH_BLOCK(FRAGMENT, ns, Undefined, MINIMA_TORCH_CONCATENATE(minima_torch_fragment_##ns##_, __COUNTER__), m)
#define TORCH_LIBRARY_IMPL(ns, key, m) \
  MINIMA_TORCH_BLOCK(IMPL, ns, key, MINIMA_TORCH_CONCATENATE(minima_torch_impl_##ns##_##key##_, __COUNTER__), m)
#define MAKE_TORCH_LIBRARY(ns) torch::Library(torch::Library::DEF, #ns)
#define MAKE_TORCH_LIBRARY_IMPL(ns, key) torch::Library(torch::Library::IMPL, #ns, c10::DispatchKey::key)
#define TORCH_FN(function) (&(function))
#define TORCH_SELECTIVE_NAME(name) name
#define TORCH_SELECTIVE_SCHEMA(schema) schema
