#include <c10/util/Type.h>

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace c10 {

std::string demangle(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace c10
