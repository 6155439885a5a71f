#include <minima/tensor/random/random_tape.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/philox_state.h>

#include <cstdint>

namespace minima::detail {

constinit thread_local RandomTape::Use* random_tape = nullptr;

RandomTape::Use::Use(RandomTape& tape, Kind kind) : tape_(tape), kind_(kind), scope_(random_tape, this) {}

PhiloxState RandomTape::Use::draw(Use* use, std::uint64_t counters, PhiloxState (*fresh)(void*), void* context) {
  if (!use) return fresh(context);
  auto& draws = use->tape_.draws_;
  if (use->kind_ == Kind::record) {
    const PhiloxState start = draw(use->scope_.previous(), counters, fresh, context);
    draws.push_back({start, counters});
    return start;
  }
  if (use->next_ == draws.size())
    throw AutogradError(
        str("checkpoint: the recomputation draws random numbers more often than the forward, which drew ", draws.size(),
            " times; the function must do the same each time it is called"));
  const Draw& drawn = draws[use->next_++];
  if (drawn.counters != counters)
    throw AutogradError(str("checkpoint: random draw ", use->next_, " took ", drawn.counters,
                            " counters in the forward but takes ", counters,
                            " in the recomputation; the function must do the same each time it is called"));
  return drawn.start;
}

}  // namespace minima::detail
