#pragma once

#include <cstdint>

namespace minima {

/// An attribute of the three dimensions of a volume: `.stride = 2`, or `.stride = {1, 2, 2}` for depth, height and
/// width.
struct Triple {
  std::int64_t depth, height, width;
  constexpr Triple(std::int64_t all) : depth(all), height(all), width(all) {}
  constexpr Triple(std::int64_t depth, std::int64_t height, std::int64_t width)
      : depth(depth), height(height), width(width) {}
  friend constexpr bool operator==(Triple, Triple) = default;
};

}  // namespace minima
