#pragma once

#include <minima/tensor/random/philox_state.h>

#include <vector>

namespace minima::detail {

/// Records the random draws of a piece of work so that a second run gets the same numbers. A draw costs a few words.
/// Works with any generator. Playing back leaves generators untouched, even while other threads draw from them.
class MINIMA_API RandomTape {
 public:
  struct Draw {
    PhiloxState start;
    std::uint64_t counters;
  };

  /// Records this thread's draws (enclosing recordings record them too), or plays the recorded ones back from the
  /// start. Playing back more draws than were recorded throws AutogradError.
  class MINIMA_API Use {
   public:
    enum class Kind : std::uint8_t { record, play };
    Use(RandomTape& tape, Kind kind);

    /// The start of a draw of `counters`: a recorded one, or `fresh(context)` if nothing is played back.
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

/// The innermost tape in use on this thread; usually null.
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
