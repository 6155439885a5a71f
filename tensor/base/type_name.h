#pragma once

#include <string>

namespace minima::detail {

/// `minima::nn::Linear` for the mangled name that typeid and symbol tables have; the name itself if it is none.
std::string demangled(const char* name);
/// The same without namespaces: `Linear`.
std::string short_type_name(const char* name);

}  // namespace minima::detail
