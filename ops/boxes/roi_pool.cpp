#include <minima/ops/boxes/bags.h>
#include <minima/ops/boxes/regions.h>
#include <minima/ops/op.h>
#include <minima/tensor/base/check_option.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace minima {

namespace {

/// Cells between whole elements; `least` elements at least, and those from `end` on are not read.
detail::Cells whole_cells(const char* op, double low, double high, std::int64_t cells, std::int64_t end, double extra,
                          bool is_mean) {
  const double start = std::round(low), length = std::max(std::round(high) - start + extra, 1.0);
  if (!(std::abs(start) < 1e9 && length < 1e9))
    throw ValueError(str(op, ": a box starts at ", low, " and ends at ", high, "; boxes must be finite"));
  const double cell = length / static_cast<double>(cells);
  const auto clamped = [&](double at) {
    return static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(end)));
  };
  detail::Cells result(static_cast<std::size_t>(cells));
  for (std::int64_t i = 0; i < cells; ++i) {
    const auto at = static_cast<double>(i);
    const std::int64_t first = clamped(std::floor(at * cell) + start),
                       last = clamped(std::ceil((at + 1) * cell) + start);
    for (std::int64_t place = first; place < last; ++place)
      result[static_cast<std::size_t>(i)].push_back({place, is_mean ? 1 / static_cast<double>(last - first) : 1});
  }
  return result;
}

Tensor whole_regions(const detail::RegionRule& rule, const Tensor& given_x, const Tensor& given_boxes,
                     const RoiPoolOptions& options) {
  detail::check_defined(rule.op, given_x);
  detail::check_defined(rule.op, given_boxes, 1);
  const Tensor x = detail::autocast(Cast::to_float32, given_x), boxes = detail::autocast(Cast::to_float32, given_boxes);
  const detail::WithoutAutocast guard;
  detail::check_number(rule.op, "spatial_scale", options.spatial_scale, detail::positive);
  return detail::pool_regions(rule, x, boxes, [&](double low, double high, std::int64_t cells, std::int64_t size) {
    // torchvision's roi_pool counts both corners, and its ps_roi_pool never reads the last row and column.
    return whole_cells(rule.op, low * options.spatial_scale, high * options.spatial_scale, cells,
                       rule.is_max ? size : size - 1, rule.is_max ? 1 : 0, !rule.is_max);
  });
}

}  // namespace

Tensor roi_pool(const Tensor& x, const Tensor& boxes, const RoiPoolOptions& options) {
  const detail::RegionRule rule{
      .op = "roi_pool", .height = options.size.height, .width = options.size.width, .is_max = true};
  return whole_regions(rule, x, boxes, options);
}

Tensor ps_roi_pool(const Tensor& x, const Tensor& boxes, const RoiPoolOptions& options) {
  const detail::RegionRule rule{
      .op = "ps_roi_pool", .height = options.size.height, .width = options.size.width, .by_cell = true};
  return whole_regions(rule, x, boxes, options);
}

}  // namespace minima
