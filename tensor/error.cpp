#include <minima/tensor/error.h>

namespace minima {

void Error::add_module(const std::string& name) {
  message_.insert(0, name + (in_module_ ? "." : ": "));
  in_module_ = true;
}

}  // namespace minima
