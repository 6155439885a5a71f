#include <minima/ops/image/regions.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/unobserved.h>
#include <minima/ops/image/boxes.h>
#include <minima/ops/index/embedding_bag.h>
#include <minima/ops/op.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// Regions of feature maps as weighted sums of pixels: each cell of the result is a bag of embedding_bag, whose gradient
// sums in a fixed order. Weights are products of one for the row and one for the column.

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

namespace {

template <class T>
Tensor from_values(const std::vector<T>& values) {
  const Tensor result = empty({static_cast<std::int64_t>(values.size())}, {.dtype = dtype_of<T>, .device = Device()});
  std::copy(values.begin(), values.end(), result.template data<T>());
  return result;
}

}  // namespace

void check_regions(const RegionRule& rule, const Tensor& x, const Tensor& boxes) {
  constexpr std::int64_t most = 65536;
  const char* op = rule.op;
  if (!is_floating(x.dtype()) || x.dtype() != boxes.dtype())
    throw DTypeError(str(op, ": needs one floating dtype, got x ", x, " and boxes ", boxes, "; convert one with to()"));
  if (x.rank() != 4) throw ShapeError(str(op, ": x must be [N, C, H, W], got ", x));
  if (x.size(2) < 1 || x.size(3) < 1) throw ShapeError(str(op, ": x ", x, " has no elements to sample"));
  if (boxes.rank() != 2 || boxes.size(1) != 5)
    throw ShapeError(str(op, ": boxes must be [K, 5], the number of an image and x1, y1, x2, y2, got ", boxes));
  if (rule.height < 1 || rule.width < 1 || rule.height > most || rule.width > most)
    throw ValueError(str(op, ": size must be from 1 to ", most, ", got ", rule.height, " and ", rule.width));
  if (rule.by_cell && x.size(1) % (rule.height * rule.width) != 0)
    throw ShapeError(str(op, ": ", rule.height, " × ", rule.width, " cells must divide the channels of x ", x));
}

std::vector<Region> read_regions(const RegionRule& rule, const Tensor& x, const Tensor& boxes) {
  detail::note_read(boxes);
  const Tensor host = contiguous(boxes.detach().to(Device()).to(DType::float64));
  std::vector<Region> regions;
  for (std::int64_t i = 0; i < boxes.size(0); ++i) {
    const double* box = host.data<double>() + 5 * i;
    if (!(box[0] >= 0 && box[0] < static_cast<double>(x.size(0))))
      throw IndexError(str(rule.op, ": image ", box[0], " is out of range for x ", x));
    regions.push_back({static_cast<std::int64_t>(box[0]), box[1], box[2], box[3], box[4]});
  }
  return regions;
}

Tensor pixels_of(const RegionRule& rule, const Tensor& x) {
  const Tensor full = detail::in_full(x);
  if (!rule.by_cell) return reshape(permute(full, {0, 2, 3, 1}), {-1, x.size(1)});
  const std::int64_t cells = rule.height * rule.width, channels = x.size(1) / cells;
  const Tensor parted = reshape(full, {x.size(0), channels, cells, x.size(2), x.size(3)});
  return reshape(permute(parted, {0, 3, 4, 2, 1}), {x.size(0) * x.size(2) * x.size(3) * cells, channels});
}

void Bags::add(const RegionRule& rule, const Tensor& x, const Region& region, const Cells& down, const Cells& across) {
  const std::int64_t height = x.size(2), width = x.size(3), first = region.image * height * width;
  const std::int64_t apart = rule.by_cell ? rule.height * rule.width : 1;
  std::int64_t cell = 0;
  for (const std::vector<Share>& row : down)
    for (const std::vector<Share>& column : across) {
      offsets.push_back(static_cast<std::int64_t>(rows.size()));
      for (const Share& r : row)
        for (const Share& c : column) {
          rows.push_back((first + r.place * width + c.place) * apart + (rule.by_cell ? cell : 0));
          weights.push_back(r.weight * c.weight);
        }
      ++cell;
    }
}

Tensor Bags::pooled(const RegionRule& rule, const Tensor& pixels) const {
  if (offsets.empty()) return narrow(pixels, 0, 0, 0);
  const auto moved = [&](const Tensor& values) { return values.to(pixels.device()); };
  EmbeddingBagOptions options{.mode = rule.is_max ? BagMode::max : BagMode::sum};
  if (!rule.is_max) options.sample_weights = moved(from_values(weights).to(pixels.dtype()));
  return embedding_bag(pixels, moved(from_values(rows)), moved(from_values(offsets)), options);
}

Tensor join_regions(const RegionRule& rule, const Tensor& x, std::int64_t count, const std::vector<Tensor>& parts) {
  const std::int64_t channels = rule.by_cell ? x.size(1) / (rule.height * rule.width) : x.size(1);
  const Tensor cells =
      reshape(parts.size() == 1 ? parts[0] : cat(parts, 0), {count, rule.height, rule.width, channels});
  return contiguous(permute(cast(cells, x.dtype()), {0, 3, 1, 2}));
}

}  // namespace minima::detail

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
