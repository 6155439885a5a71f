#include <minima/train/run/run_part.h>

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/state.h>
#include <minima/nn/module/module_base.h>
#include <minima/optim/names/named_state.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/random/generator.h>
#include <minima/train/run/shards.h>

#include <vector>

namespace minima::train::detail {

RunPart module_part(nn::ModuleBase& module) {
  RunPart part;
  part.save = [&module] { return module.state_dict(); };
  part.load = [&module](const State& state) { module.load_state_dict(state); };
  part.shards = [&module] { return shards_of(module); };
  part.module = &module;
  return part;
}

RunPart optimizer_part(optim::Optimizer& optimizer) {
  RunPart part;
  part.save = [&optimizer] { return optim::named_state(optimizer); };
  part.load = [&optimizer](const State& state) { optim::load_named_state(optimizer, state); };
  part.shards = [&optimizer] { return shards_of(optimizer); };
  part.optimizer = &optimizer;
  return part;
}

RunPart generator_part(RandomGenerator& generator) {
  RunPart part;
  part.save = [&generator] { return state_dict(generator); };
  part.load = [&generator](const State& state) { load_state_dict(generator, state); };
  part.is_own = part.is_position = true;
  part.join = [&generator](const std::vector<State>& states) { load_state_dict(generator, states.front()); };
  return part;
}

}  // namespace minima::train::detail
