#include <minima/io/checkpoint/checkpoint.h>

#include <minima/io/state.h>
#include <minima/io/tensors/pt.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/tensor/random/generator.h>

#include <string>

namespace minima {

void save(const std::string& path, const State& state) { write_safetensors(path, state); }

State load(const std::string& path) {
  return is_pt(path) ? read_pt_state(path, {.whole = true, .copy = true}) : read_safetensors(path, {.copy = true});
}

State state_dict(const RandomGenerator& generator) {
  const RandomGenerator::Position position = generator.state();
  State state;
  state.set_unsigned("seed", position.seed);
  state.set_unsigned("offset", position.offset);
  return state;
}

void load_state_dict(RandomGenerator& generator, const State& state) {
  generator.set_state({state.unsigned_integer("seed"), state.unsigned_integer("offset")});
}

}  // namespace minima
