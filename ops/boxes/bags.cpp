#include <minima/ops/boxes/bags.h>

#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/copy/in_full.h>
#include <minima/ops/embedding_bag/embedding_bag.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

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
