#include <minima/profiler/gpu/gpu_work.h>

#include <cxxabi.h>

#include <cstdlib>
#include <string>

namespace minima::profiler {

const char* name(GpuWorkKind kind) {
  switch (kind) {
    case GpuWorkKind::kernel: return "kernel";
    case GpuWorkKind::collective: return "collective";
    case GpuWorkKind::to_device: return "copy to device";
    case GpuWorkKind::from_device: return "copy from device";
    case GpuWorkKind::copy: return "copy";
    case GpuWorkKind::fill: return "fill";
    case GpuWorkKind::op: return "operator";
  }
  return "";
}

std::string kernel_name(const char* mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = text ? text : mangled;
  std::free(text);
  if (status != 0) return name;
  // The parameters begin at the parenthesis that closes the text; those before are part of template arguments.
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
    if (name[i] != '(' || depth != 0) continue;
    name.erase(i);
    break;
  }
  return name.starts_with("void ") ? name.substr(5) : name;
}

}  // namespace minima::profiler
