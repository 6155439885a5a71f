#pragma once

#include <string>

namespace minima::detail {

/// Demangles a name from typeid or a symbol table: `minima::nn::Linear`. Returns `name` itself if it is not mangled.
std::string demangled(const char* name);
/// The same without namespaces: `Linear`.
std::string short_type_name(const char* name);

}  // namespace minima::detail
