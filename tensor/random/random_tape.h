#pragma once

#include <minima/tensor/random/philox_state.h>

#include <vector>

namespace minima::detail {

/// What a piece of work drew from generators, so that it can draw the same once more. It costs a few words for each
/// draw, works for every generator, and leaves generators alone when played, also while other threads draw from them.
class MINIMA_API RandomTape {
 public:
  struct Draw {
    PhiloxState start;
    std::uint64_t counters;
  };

  /// While it lives, what this thread reserves is written down (and by the recordings around it too), or, playing, is
  /// what was written down, from the beginning. Playing more than there is throws AutogradError.
  class MINIMA_API Use {
   public:
    enum class Kind : std::uint8_t { record, play };
    Use(RandomTape& tape, Kind kind);

    /// Where a call that needs `counters` starts; `fresh(context)` if nothing is being played.
    static PhiloxState draw(Use* use, std::uint64_t counters, PhiloxState (*fresh)(void*), void* context);

   private:
    RandomTape& tape_;
    Kind kind_;
    std::size_t next_ = 0;
    Scoped<Use*> scope_;
  };

 private:
  std::vector<Draw> draws_;
};

/// The innermost use of a tape on this thread, null for almost all work.
extern MINIMA_API constinit thread_local RandomTape::Use* random_tape;

template <class Fresh>
PhiloxState draw(std::uint64_t counters, Fresh&& fresh) {
  if (!random_tape) [[likely]]
    return fresh();
  return RandomTape::Use::draw(
      random_tape, counters,
      [](void* f) -> PhiloxState { return (*static_cast<std::remove_reference_t<Fresh>*>(f))(); }, &fresh);
}

}  // namespace minima::detail
