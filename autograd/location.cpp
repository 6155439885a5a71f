#include <minima/autograd/location.h>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdint>
#include <cstdlib>

namespace minima::detail {

namespace {

/// `program(function+0x12)`; a function of a stripped program is an offset, which addr2line turns into a line.
std::string describe(void* address) {
  Dl_info info{};
  if (!dladdr(address, &info) || !info.dli_fname) return "?";
  std::string text = info.dli_fname;
  text.erase(0, text.rfind('/') + 1);
  const char* base = static_cast<const char*>(info.dli_fbase);
  if (info.dli_sname) {
    int status = 0;
    char* readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    text += std::string("(") + (status == 0 ? readable : info.dli_sname) + ")";
    std::free(readable);
  }
  char offset[32];
  std::snprintf(offset, sizeof offset, " [+0x%llx]",
                static_cast<unsigned long long>(static_cast<const char*>(address) - base));
  return text + offset;
}

}  // namespace

std::string here() {
  constexpr int most = 32, own_frames = 2;
  void* frames[most];
  const int count = backtrace(frames, most);
  std::string text;
  for (int i = own_frames; i < count; ++i) text += "\n    " + describe(frames[i]);
  return text;
}

}  // namespace minima::detail
