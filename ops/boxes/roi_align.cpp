#include <minima/ops/boxes/boxes.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/embedding_bag/embedding_bag.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// Each cell of the result is a weighted sum of x's pixels, taken as rows of channels by embedding_bag, whose gradient
// sums in a fixed order. Weights are products of one for the row and one for the column.

namespace minima {

namespace {

constexpr std::int64_t most = 65536;

/// A row or column of x and its weight.
struct Share {
  std::int64_t place;
  double weight;
};
/// For each cell along one dimension, what it takes of x.
using Cells = std::vector<std::vector<Share>>;

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

Cells cells_of(double start, double length, std::int64_t cells, std::int64_t size, const RoiAlignOptions& options) {
  if (!options.aligned) length = std::max(length, 1.0);
  const double cell = length / static_cast<double>(cells);
  if (!(std::abs(start) < 1e9 && std::abs(length) < 1e9 && cell < static_cast<double>(most)))
    throw ValueError(str("roi_align: a box starts at ", start, " and is ", length,
                         " elements long; boxes must be finite and in proportion to x (see spatial_scale)"));
  const std::int64_t samples =
      options.sampling_ratio > 0 ? options.sampling_ratio : static_cast<std::int64_t>(std::ceil(cell));
  Cells result(static_cast<std::size_t>(cells));
  for (std::int64_t i = 0; i < cells; ++i)
    for (std::int64_t s = 0; s < samples; ++s) {
      const double within = (static_cast<double>(s) + 0.5) / static_cast<double>(samples);
      add_sample(result[static_cast<std::size_t>(i)], start + (static_cast<double>(i) + within) * cell, size,
                 1 / static_cast<double>(samples));
    }
  return result;
}

void check_roi_align(const Tensor& x, const Tensor& boxes, const RoiAlignOptions& options) {
  constexpr const char* op = "roi_align";
  if (!is_floating(x.dtype()) || x.dtype() != boxes.dtype())
    throw DTypeError(str(op, ": needs one floating dtype, got x ", x, " and boxes ", boxes, "; convert one with to()"));
  if (x.rank() != 4) throw ShapeError(str(op, ": x must be [N, C, H, W], got ", x));
  if (x.size(2) < 1 || x.size(3) < 1) throw ShapeError(str(op, ": x ", x, " has no elements to sample"));
  if (boxes.rank() != 2 || boxes.size(1) != 5)
    throw ShapeError(str(op, ": boxes must be [K, 5], the number of an image and x1, y1, x2, y2, got ", boxes));
  const auto [height, width] = options.size;
  if (height < 1 || width < 1 || height > most || width > most)
    throw ValueError(str(op, ": size must be from 1 to ", most, ", got ", height, " and ", width));
  if (options.sampling_ratio > most)
    throw ValueError(str(op, ": sampling_ratio must be at most ", most, ", got ", options.sampling_ratio));
}

/// The bags of embedding_bag for some boxes.
struct Bags {
  std::vector<std::int64_t> rows, offsets;
  std::vector<double> weights;

  /// Appends the cells of a box (image, x1, y1, x2, y2).
  void add(const double* box, const Tensor& x, const RoiAlignOptions& options) {
    if (!(box[0] >= 0 && box[0] < static_cast<double>(x.size(0))))
      throw IndexError(str("roi_align: image ", box[0], " is out of range for x ", x));
    const std::int64_t height = x.size(2), width = x.size(3);
    const std::int64_t first = static_cast<std::int64_t>(box[0]) * height * width;
    const double shift = options.aligned ? 0.5 : 0;
    const auto along = [&](double low, double high, std::int64_t cells, std::int64_t size) {
      const double start = low * options.spatial_scale - shift;
      return cells_of(start, high * options.spatial_scale - shift - start, cells, size, options);
    };
    const Cells down = along(box[2], box[4], options.size.height, height);
    const Cells across = along(box[1], box[3], options.size.width, width);
    for (const std::vector<Share>& row : down)
      for (const std::vector<Share>& column : across) {
        offsets.push_back(static_cast<std::int64_t>(rows.size()));
        for (const Share& r : row)
          for (const Share& c : column) {
            rows.push_back(first + r.place * width + c.place);
            weights.push_back(r.weight * c.weight);
          }
      }
  }

  /// The weighted sums of `pixels` [N · H · W, C], [cells, C].
  Tensor sums(const Tensor& pixels) const {
    if (offsets.empty()) return narrow(pixels, 0, 0, 0);
    const auto moved = [&](const Tensor& values) { return values.to(pixels.device()); };
    return embedding_bag(pixels, moved(from_values(rows)), moved(from_values(offsets)),
                         {.mode = BagMode::sum, .sample_weights = moved(from_values(weights).to(pixels.dtype()))});
  }

 private:
  template <class T>
  static Tensor from_values(const std::vector<T>& values) {
    const Tensor result = empty({static_cast<std::int64_t>(values.size())}, {.dtype = dtype_of<T>, .device = Device()});
    std::copy(values.begin(), values.end(), result.template data<T>());
    return result;
  }
};

}  // namespace

Tensor roi_align(const Tensor& given_x, const Tensor& given_boxes, const RoiAlignOptions& options) {
  detail::check_defined("roi_align", given_x);
  detail::check_defined("roi_align", given_boxes, 1);
  const Tensor x = detail::autocast(Cast::to_float32, given_x), boxes = detail::autocast(Cast::to_float32, given_boxes);
  const detail::WithoutAutocast guard;
  check_roi_align(x, boxes, options);
  const std::int64_t channels = x.size(1), count = boxes.size(0);
  const Tensor full = is_half(x.dtype()) ? cast(x, DType::float32) : x;
  const Tensor pixels = reshape(permute(full, {0, 2, 3, 1}), {-1, channels});
  const Tensor host = contiguous(boxes.detach().to(Device()).to(DType::float64));
  std::vector<Tensor> parts;
  constexpr std::size_t enough = 1 << 18;  // rows at a time: embedding_bag stores them all
  std::int64_t next = 0;
  do {
    Bags bags;
    for (; next < count && bags.rows.size() < enough; ++next) bags.add(host.data<double>() + 5 * next, x, options);
    parts.push_back(bags.sums(pixels));
  } while (next < count);
  const auto [height, width] = options.size;
  const Tensor cells = reshape(parts.size() == 1 ? parts[0] : cat(parts, 0), {count, height, width, channels});
  return contiguous(permute(cast(cells, x.dtype()), {0, 3, 1, 2}));
}

}  // namespace minima
