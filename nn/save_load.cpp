#include <minima/nn/save_load.h>

#include <minima/io/tensors/safetensors.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

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
