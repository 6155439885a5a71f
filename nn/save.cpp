#include <minima/nn/save_load.h>

#include <minima/io/tensors/safetensors.h>
#include <minima/nn/module/module_base.h>

#include <string>

namespace minima::nn {

void save(const std::string& path, const ModuleBase& module) { write_safetensors(path, module.state_dict()); }

}  // namespace minima::nn
