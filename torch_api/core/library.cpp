#include "registered_operator.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

namespace c10 {

namespace detail {

OperatorRegistry& OperatorRegistry::instance() {
  static auto* const registry = new OperatorRegistry;  // libraries in other files' objects outlive this file's
  return *registry;
}

}  // namespace detail

DispatchKeySet& impl::excluded_dispatch_keys() {
  constinit thread_local DispatchKeySet excluded;
  return excluded;
}

Dispatcher& Dispatcher::singleton() {
  static Dispatcher dispatcher;
  return dispatcher;
}

OperatorHandle Dispatcher::findSchemaOrThrow(const char* name, const char* overload) {
  const std::string full = *overload ? str(name, ".", overload) : std::string(name);
  detail::OperatorRegistry& registry = detail::OperatorRegistry::instance();
  const std::lock_guard guard(registry.mutex);
  const auto found = registry.operators.find(full);
  TORCH_CHECK(found != registry.operators.end() && found->second.schema, "Could not find schema for ", full,
              ": define it with TORCH_LIBRARY; the library's own operators are functions such as at::add");
  return OperatorHandle(found->second);
}

}  // namespace c10

namespace torch {

namespace {

/// Calls f with an operator of any state.
template <class F>
void with_operator(const std::string& name, F&& f) {
  c10::detail::OperatorRegistry& registry = c10::detail::OperatorRegistry::instance();
  const std::lock_guard guard(registry.mutex);
  c10::detail::RegisteredOperator& op = registry.operators[name];
  op.name = name;
  f(op);
}

}  // namespace

Library::Library(Kind, std::string name, c10::DispatchKey key) : namespace_(std::move(name)), key_(key) {}

Library::~Library() {
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
}

std::string Library::qualified(std::string_view name) const {
  const std::size_t colons = name.find("::");
  TORCH_CHECK(colons == std::string_view::npos || namespace_ == "_" || name.substr(0, colons) == namespace_,
              "torch::Library '", namespace_, "': '", name, "' is of another namespace");
  return colons == std::string_view::npos ? c10::str(namespace_, "::", name) : std::string(name);
}

Library& Library::def(std::string_view text) & {
  const c10::detail::OperatorSchema schema = c10::detail::parse_schema(text);
  const std::string name = qualified(text.substr(0, text.find('(')));
  with_operator(name, [&](c10::detail::RegisteredOperator& op) {
    TORCH_CHECK(!op.schema, "Tried to register an operator (", text,
                ") with the same name and overload name multiple times.");
    op.schema = schema;
  });
  undo_.emplace_back([name] { with_operator(name, [](auto& op) { op.schema.reset(); }); });
  return *this;
}

Library& Library::def(std::string_view schema, CppFunction kernel) & {
  def(schema);
  const c10::DispatchKey own = kernel.key_;
  return impl(schema.substr(0, schema.find('(')),
              own == c10::DispatchKey::Undefined ? c10::DispatchKey::CompositeImplicitAutograd : own,
              std::move(kernel));
}

Library& Library::impl(std::string_view text, CppFunction kernel) & {
  const c10::DispatchKey key = kernel.key_ != c10::DispatchKey::Undefined ? kernel.key_
                               : key_ != c10::DispatchKey::Undefined      ? key_
                                                                          : c10::DispatchKey::CompositeImplicitAutograd;
  return impl(text, key, std::move(kernel));
}

Library& Library::impl(std::string_view text, c10::DispatchKey key, CppFunction kernel) & {
  const std::string name = qualified(text);
  with_operator(name, [&](c10::detail::RegisteredOperator& op) {
    TORCH_CHECK(op.kernels.emplace(key, std::move(kernel)).second, "torch::Library: '", name,
                "' has a kernel for this key already");
  });
  undo_.emplace_back([name, key] { with_operator(name, [key](auto& op) { op.kernels.erase(key); }); });
  return *this;
}

Library& Library::fallback(const CppFunction&) & {
  throw c10::NotImplementedError(
      "torch::Library: a kernel for all operators at once does not exist; register it for each");
}

}  // namespace torch
