#pragma once

#include <string>
#include <typeinfo>

namespace c10 {

/// The C++ name of a type, from `std::type_info::name()`.
std::string demangle(const char* name);

template <typename T>
const char* demangle_type() {
  static const std::string name = demangle(typeid(T).name());
  return name.c_str();
}

}  // namespace c10
