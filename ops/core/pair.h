#pragma once

#include <cstdint>

namespace minima {

/// An attribute of both image dimensions: `.stride = 2`, or `.stride = {2, 1}` for height and width.
struct Pair {
  std::int64_t height, width;
  constexpr Pair(std::int64_t both) : height(both), width(both) {}
  constexpr Pair(std::int64_t height, std::int64_t width) : height(height), width(width) {}
  friend constexpr bool operator==(Pair, Pair) = default;
};

}  // namespace minima
