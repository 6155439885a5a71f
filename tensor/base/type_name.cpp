#include <minima/tensor/base/type_name.h>

#include <string>

#include <cxxabi.h>
#include <cstdlib>
#include <memory>

namespace minima::detail {

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                        std::free);
  return status == 0 ? readable.get() : name;
}

std::string short_type_name(const char* name) {
  const std::string full = demangled(name);
  const std::size_t colon = full.substr(0, full.find('<')).rfind("::");
  return colon == std::string::npos ? full : full.substr(colon + 2);
}

}  // namespace minima::detail
