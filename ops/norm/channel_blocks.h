#pragma once

#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/layout/layout.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace minima::detail {

/// A dense tensor [N, C, …] split into blocks of consecutive memory, each small enough for a core's cache. In a
/// row-major tensor a block belongs to one channel (period 1); in a channels_last one it consists of whole rows of C
/// (period C). The split depends on the layout alone, never on the number of threads.
class ChannelBlocks {
 public:
  explicit ChannelBlocks(const Layout& dense);

  struct Block {
    std::int64_t offset, count;  ///< elements
    std::int64_t channel;        ///< of the first element; the following channels repeat with `period`
    std::int64_t slot;           ///< blocks with equal slots have different channels
  };
  std::int64_t count() const { return matrices_ * per_matrix_; }
  Block operator[](std::int64_t i) const;

  std::int64_t channels() const { return channels_; }
  std::int64_t slots() const { return matrices_ / channel_step_ * per_matrix_; }
  std::int64_t period() const { return period_; }
  std::int64_t largest() const { return block_; }
  /// The number of lanes of a loop over a block: lane l sees elements l, l + lanes, … and so only one channel. There
  /// are no more than elements: with planes of 2 × 2, filling and folding empty lanes would take most of the time.
  std::int64_t lanes() const { return period_ >= 64 ? period_ : std::min(64 / period_ * period_, block_); }
  /// Writes values[channel] for each lane of a block.
  template <class T> void spread(const T* values, const Block& block, T* lanes_out) const {
    for (std::int64_t l = 0; l < lanes(); ++l) lanes_out[l] = values[block.channel + (period_ == 1 ? 0 : l % period_)];
  }
  /// Sums the lanes per channel of a block; those of a single channel eight at a time.
  template <class T> void fold(T* lanes_in) const {
    const std::int64_t count = lanes();
    if (period_ > 1) {
      for (std::int64_t l = period_; l < count; ++l) lanes_in[l % period_] += lanes_in[l];
      return;
    }
    constexpr std::int64_t width = 8;
    T sums[width] = {};
    std::int64_t l = 0;
    for (; l + width <= count; l += width)
      for (std::int64_t i = 0; i < width; ++i) sums[i] += lanes_in[l + i];
    for (std::int64_t i = 0; l + i < count; ++i) sums[i] += lanes_in[l + i];
    T total = 0;
    for (const T sum : sums) total += sum;
    lanes_in[0] = total;
  }

 private:
  std::int64_t channels_, period_;
  std::int64_t matrices_;      ///< pieces of memory in which the channels repeat with the period
  std::int64_t channel_step_;  ///< this many consecutive matrices have different channels
  std::int64_t matrix_size_, block_, per_matrix_;
};

/// f(e, l) for each element e of a block and its lane l.
template <class F>
inline void for_lanes(std::int64_t count, std::int64_t lanes, const F& f) {
  std::int64_t e = 0;
  for (; e + lanes <= count; e += lanes) {
    MINIMA_IVDEP
    for (std::int64_t l = 0; l < lanes; ++l) f(e + l, l);
  }
  MINIMA_IVDEP
  for (std::int64_t l = 0; l < count - e; ++l) f(e + l, l);
}

}  // namespace minima::detail
