#pragma once

#include <minima/io/state.h>
#include <minima/nn/module/module_base.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/random/generator.h>
#include <minima/train/run/shards.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima {
class RunningMean;
}
namespace minima::data {
class LoaderBase;
}
namespace minima::optim {
class Accumulation;
class Averaged;
class Scheduler;
}  // namespace minima::optim

namespace minima::train::detail {

/// An object of a run: how its state is taken and loaded.
struct RunPart {
  Function<State()> save = {};
  Function<void(const State&)> load = {};
  /// Takes the place of `load` if the number of ranks has changed: loads what several former ranks had. Null if a state
  /// of another number of ranks cannot be loaded.
  Function<void(const std::vector<State>&)> join = {};
  /// The entries of which this rank has a part, under distributed::shard. Null if there are none ever.
  Function<Shards()> shards = {};
  bool is_own = false;       ///< each rank has its own; else they are equal
  bool is_position = false;  ///< a place in the data or in random numbers, which moves on where `accept` goes back
  bool sets_rates = false;   ///< a schedule sets the optimizer's learning rates from its own count
  nn::ModuleBase* module = nullptr;
  optim::Optimizer* optimizer = nullptr;
};

MINIMA_API RunPart module_part(nn::ModuleBase& module);
/// Its state is named by parameters, see optim::named_state.
MINIMA_API RunPart optimizer_part(optim::Optimizer& optimizer);
MINIMA_API RunPart generator_part(RandomGenerator& generator);

/// A number or text of the program.
template <class T>
RunPart value_part(T& value) {
  const char* const key = "value";
  RunPart part;
  part.save = [&value, key] {
    State state;
    if constexpr (std::is_floating_point_v<T>) state.set_number(key, static_cast<double>(value));
    else if constexpr (std::is_unsigned_v<T>) state.set_unsigned(key, value);
    else if constexpr (std::is_integral_v<T>) state.set_integer(key, value);
    else state.set_text(key, value);
    return state;
  };
  part.load = [&value, key](const State& state) {
    if constexpr (std::is_floating_point_v<T>) value = static_cast<T>(state.number(key));
    else if constexpr (std::is_unsigned_v<T>) value = static_cast<T>(state.unsigned_integer(key));
    else if constexpr (std::is_integral_v<T>) value = static_cast<T>(state.integer(key));
    else value = state.text(key);
  };
  return part;
}

template <class T>
RunPart part_of(T& object) {
  if constexpr (std::is_base_of_v<nn::ModuleBase, T>) {
    return module_part(object);
  } else if constexpr (std::is_base_of_v<optim::Optimizer, T>) {
    return optimizer_part(object);
  } else if constexpr (std::is_same_v<T, RandomGenerator>) {
    return generator_part(object);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value_part(object);
  } else {
    static_assert(
        requires(T& o, const State& s) {
          State(o.state_dict());
          o.load_state_dict(s);
        },
        "what is added to a Run needs `State state_dict() const` and `load_state_dict(const State&)`, or is a number "
        "or text");
    RunPart part;
    part.save = [&object] { return object.state_dict(); };
    part.load = [&object](const State& state) { object.load_state_dict(state); };
    constexpr bool accumulates = std::is_same_v<T, optim::Accumulation>;
    part.is_position = std::is_base_of_v<data::LoaderBase, T> || accumulates;
    // Gradients of an incomplete step and sums of a metric are each rank's own until they are reduced.
    part.is_own = accumulates || std::is_same_v<T, RunningMean>;
    if constexpr (requires { object.set_sums(object.sums()); }) {
      part.is_own = true;
      part.join = [&object](const std::vector<State>& states) {
        auto total = object.sums();
        for (auto& sum : total) sum = 0;
        for (const State& state : states) {
          object.load_state_dict(state);
          const auto sums = object.sums();
          for (std::size_t i = 0; i < total.size(); ++i) total[i] += sums[i];
        }
        object.set_sums(total);
      };
    }
    part.sets_rates = std::is_same_v<T, optim::Scheduler>;
    if constexpr (std::is_base_of_v<optim::Averaged, T>)
      part.shards = [&object] { return shards_of(object.parameters(), "average."); };
    return part;
  }
}

}  // namespace minima::train::detail
