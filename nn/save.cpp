#include <minima/nn/save_load.h>

#include <minima/io/tensors/safetensors.h>
#include <minima/nn/module/deferred.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/parametrize/stand_in.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <string>

namespace minima::nn {

void save(const std::string& path, const ModuleBase& module) {
  for (const auto& [name, parameter] : module.named_parameters())
    if (const detail::Initialiser* const found = detail::find_deferred(parameter))
      throw ValueError(str("save: ", name, " has no values yet: its initialisation (", found->text,
                           ") is deferred; call init::materialise() before, or load it"));
  if (const std::string sharded = detail::find_stand_in(module); !sharded.empty())
    throw ValueError(str("save: this rank has only a part of ", sharded,
                         ", which is sharded over ranks; write_safetensors the Sharding::gather_state() of all ranks, "
                         "or save a train::Run"));
  write_safetensors(path, module.state_dict());
}

}  // namespace minima::nn
