#include <minima/tensor/base/error.h>

#include <string>
#include <string_view>

namespace minima {

void Error::add_module(const std::string& name) {
  // A path that starts with an index, as in a Sequential, needs a word in front to be recognisable.
  constexpr std::string_view kind = "module ";
  if (in_module_ && message_.starts_with(kind)) message_.erase(0, kind.size());
  message_.insert(0, name + (in_module_ ? "." : ": "));
  if (name[0] >= '0' && name[0] <= '9') message_.insert(0, kind);
  in_module_ = true;
}

}  // namespace minima
