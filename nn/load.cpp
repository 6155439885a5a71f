#include <minima/nn/save_load.h>

#include <minima/io/state.h>
#include <minima/io/tensors/pt.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/nn/module/load_report.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <string>

namespace minima::nn {

namespace {

/// DataParallel and DistributedDataParallel hold the model as a child of this name.
constexpr const char* wrapper = "module.";

bool is_wrapped(const State& state) {
  for (const auto& [name, tensor] : state.tensors())
    if (!name.starts_with(wrapper)) return false;
  return !state.tensors().empty();
}

State read_weights(const std::string& path, const ModuleBase& module) {
  if (!is_pt(path)) return read_safetensors(path, {.copy = true});
  const State state = read_pt_state(path, {.copy = true});
  return is_wrapped(state) && !is_wrapped(module.state_dict()) ? state.sub("module") : state;
}

}  // namespace

LoadReport load(const std::string& path, ModuleBase& module, LoadOptions options) {
  const State state = read_weights(path, module);
  try {
    return module.load_state_dict(state, options);
  } catch (Error& error) {
    error.add_note(str("while loading ", path));
    throw;
  }
}

}  // namespace minima::nn
