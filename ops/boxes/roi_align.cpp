#include <minima/ops/boxes/bags.h>
#include <minima/ops/boxes/boxes.h>
#include <minima/ops/boxes/regions.h>
#include <minima/ops/op.h>
#include <minima/tensor/base/check_option.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// Each cell of the result is a weighted sum of x's pixels. Weights are products of one for the row and one for the
// column.

namespace minima {

namespace {

using detail::Cells;
using detail::Share;

constexpr std::int64_t most = 65536;

void add_share(std::vector<Share>& shares, std::int64_t place, double weight) {
  const auto known = std::find_if(shares.begin(), shares.end(), [&](const Share& s) { return s.place == place; });
  if (known != shares.end()) known->weight += weight;
  else shares.push_back({place, weight});
}

/// A bilinear sample at `at`, which counts as 0 if it is more than an element outside of x.
void add_sample(std::vector<Share>& shares, double at, std::int64_t size, double weight) {
  if (at < -1 || at > static_cast<double>(size)) return;
  at = std::max(at, 0.0);
  const auto low = static_cast<std::int64_t>(at);
  if (low >= size - 1) return add_share(shares, size - 1, weight);
  const double rest = at - static_cast<double>(low);
  add_share(shares, low, weight * (1 - rest));
  add_share(shares, low + 1, weight * rest);
}

Cells cells_of(const char* op, double start, double length, std::int64_t cells, std::int64_t size,
               std::int64_t sampling_ratio) {
  const double cell = length / static_cast<double>(cells);
  if (!(std::abs(start) < 1e9 && std::abs(length) < 1e9 && cell < static_cast<double>(most)))
    throw ValueError(str(op, ": a box starts at ", start, " and is ", length,
                         " elements long; boxes must be finite and in proportion to x (see spatial_scale)"));
  const std::int64_t samples = sampling_ratio > 0 ? sampling_ratio : static_cast<std::int64_t>(std::ceil(cell));
  Cells result(static_cast<std::size_t>(cells));
  for (std::int64_t i = 0; i < cells; ++i)
    for (std::int64_t s = 0; s < samples; ++s) {
      const double within = (static_cast<double>(s) + 0.5) / static_cast<double>(samples);
      add_sample(result[static_cast<std::size_t>(i)], start + (static_cast<double>(i) + within) * cell, size,
                 1 / static_cast<double>(samples));
    }
  return result;
}

Tensor aligned_regions(const detail::RegionRule& rule, const Tensor& given_x, const Tensor& given_boxes,
                       const RoiAlignOptions& options) {
  detail::check_defined(rule.op, given_x);
  detail::check_defined(rule.op, given_boxes, 1);
  const Tensor x = detail::autocast(Cast::to_float32, given_x), boxes = detail::autocast(Cast::to_float32, given_boxes);
  const detail::WithoutAutocast guard;
  if (options.sampling_ratio > most)
    throw ValueError(str(rule.op, ": sampling_ratio must be at most ", most, ", got ", options.sampling_ratio));
  detail::check_number(rule.op, "spatial_scale", options.spatial_scale, detail::positive);
  const double shift = options.aligned ? 0.5 : 0;
  return detail::pool_regions(rule, x, boxes, [&](double low, double high, std::int64_t cells, std::int64_t size) {
    const double start = low * options.spatial_scale - shift, length = high * options.spatial_scale - shift - start;
    return cells_of(rule.op, start, options.aligned ? length : std::max(length, 1.0), cells, size,
                    options.sampling_ratio);
  });
}

}  // namespace

Tensor roi_align(const Tensor& x, const Tensor& boxes, const RoiAlignOptions& options) {
  return aligned_regions({"roi_align", options.size.height, options.size.width}, x, boxes, options);
}

Tensor ps_roi_align(const Tensor& x, const Tensor& boxes, const PsRoiAlignOptions& options) {
  const detail::RegionRule rule{
      .op = "ps_roi_align", .height = options.size.height, .width = options.size.width, .by_cell = true};
  return aligned_regions(rule, x, boxes,
                         {.size = options.size,
                          .spatial_scale = options.spatial_scale,
                          .sampling_ratio = options.sampling_ratio,
                          .aligned = true});
}

}  // namespace minima
