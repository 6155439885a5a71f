#include <minima/nn/files.h>

#include <minima/io/safetensors.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

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
