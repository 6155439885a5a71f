#include <minima/nn/save_load.h>

#include <minima/io/state.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/nn/module/load_report.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <string>

namespace minima::nn {

void save(const std::string& path, const ModuleBase& module) { write_safetensors(path, module.state_dict()); }

LoadReport load(const std::string& path, ModuleBase& module, LoadOptions options) {
  const State state = read_safetensors(path, {.copy = true});
  try {
    return module.load_state_dict(state, options);
  } catch (Error& error) {
    error.add_note(str("while loading ", path));
    throw;
  }
}

}  // namespace minima::nn
