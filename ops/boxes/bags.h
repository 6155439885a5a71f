#pragma once

#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

// Regions of feature maps as weighted sums of pixels: each cell of the result is a bag of embedding_bag, whose gradient
// sums in a fixed order. Internal to ops/boxes.

namespace minima::detail {

/// A row or column of x and its weight.
struct Share {
  std::int64_t place;
  double weight;
};
/// For each cell along one dimension, what it takes of x.
using Cells = std::vector<std::vector<Share>>;

/// A box of an image, read on the host.
struct Region {
  std::int64_t image;
  double x1, y1, x2, y2;
};

/// How a kind of pooling divides a region, in columns or rows of x from `low` to `high`.
struct RegionRule {
  const char* op;
  std::int64_t height, width;  ///< cells
  bool is_max = false;         ///< the largest element of each cell instead of the sum
  bool by_cell = false;        ///< cell k of P reads the channels k, P + k, 2 P + k, … only
};

/// The regions of x [N, C, H, W]: boxes [K, 5] → [K, C, height, width], or C / (height · width) channels if `by_cell`.
/// `cells(low, high, count, size)` divides one dimension. Checks what all kinds have in common.
template <class F>
Tensor pool_regions(const RegionRule& rule, const Tensor& x, const Tensor& boxes, F&& cells);

/// The bags of embedding_bag for some boxes.
struct Bags {
  std::vector<std::int64_t> rows, offsets;
  std::vector<double> weights;
  /// Appends the cells of a region of x [N, C, H, W], given its rows and columns.
  void add(const RegionRule& rule, const Tensor& x, const Region& region, const Cells& down, const Cells& across);
  /// [cells, C] of `pixels` [rows, C].
  Tensor pooled(const RegionRule& rule, const Tensor& pixels) const;
};

/// Throws the errors of all kinds.
void check_regions(const RegionRule& rule, const Tensor& x, const Tensor& boxes);
/// The boxes on the host. Throws IndexError for an image that x does not have.
std::vector<Region> read_regions(const RegionRule& rule, const Tensor& x, const Tensor& boxes);
/// The pixels of x as rows of channels for the bags.
Tensor pixels_of(const RegionRule& rule, const Tensor& x);
/// The parts of all regions as the result.
Tensor join_regions(const RegionRule& rule, const Tensor& x, std::int64_t count, const std::vector<Tensor>& parts);

template <class F>
Tensor pool_regions(const RegionRule& rule, const Tensor& x, const Tensor& boxes, F&& cells) {
  check_regions(rule, x, boxes);
  const std::vector<Region> regions = read_regions(rule, x, boxes);
  const Tensor pixels = pixels_of(rule, x);
  std::vector<Tensor> parts;
  constexpr std::size_t enough = 1 << 18;  // rows at a time: embedding_bag stores them all
  std::size_t next = 0;
  do {
    Bags bags;
    for (; next < regions.size() && bags.rows.size() < enough; ++next) {
      const Region& r = regions[next];
      bags.add(rule, x, r, cells(r.y1, r.y2, rule.height, x.size(2)), cells(r.x1, r.x2, rule.width, x.size(3)));
    }
    parts.push_back(bags.pooled(rule, pixels));
  } while (next < regions.size());
  return join_regions(rule, x, static_cast<std::int64_t>(regions.size()), parts);
}

}  // namespace minima::detail
