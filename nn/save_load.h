#pragma once

#include <minima/nn/module/module_base.h>

namespace minima::nn {

/// Writes the state dict as safetensors, replacing the file atomically: `save("net.safetensors", net);` Throws
/// ValueError if parameters have no values yet (init::Defer), or are sharded over ranks.
MINIMA_API void save(const std::string& path, const ModuleBase& module);
/// Loads a safetensors file, written by minima or PyTorch, into the module: `load("net.safetensors", net);` So it does
/// a PyTorch file (`.pt`, `.pth`, `pytorch_model.bin`), recognised by its content: the state dict that read_pt_state
/// finds, without the "module." that DataParallel puts before each name. While loading, the weights are in memory
/// twice; `net.load_state_dict(read_safetensors(path))` maps the file instead (see ReadSafetensors).
MINIMA_API LoadReport load(const std::string& path, ModuleBase& module, LoadOptions options = {});

}  // namespace minima::nn
